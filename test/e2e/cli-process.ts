/**
 * The command in its own folder, without any setting of the person who runs the tests. It runs in this process, or built and in a separate
 * one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CliResult, runInProcess } from '../run-in-process.ts';

export type { CliResult } from '../run-in-process.ts';

export interface CliProcess {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<CliResult>;
  /** Waits until the text on the stream matches. */
  seen(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string>;
}

export interface CliFolder {
  readonly path: string;
  /** Writes files by their path below the folder. */
  write(files: Readonly<Record<string, string>>): void;
  /** The built command in a process of its own. */
  start(argv: readonly string[], env?: Readonly<Record<string, string>>): CliProcess;
  /** In another folder than its own. */
  startIn(cwd: string, argv: readonly string[], env?: Readonly<Record<string, string>>): CliProcess;
  /** In the process of the test, until the command ends. */
  run(argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<CliResult>;
  /** Trusts the files, as a person who has read them does. @param files default: those that came with the folder */
  trust(files?: readonly string[]): Promise<void>;
  remove(): void;
}

/** Copied: while a command runs in this process, its environment is that of the command. */
const usersEnvironment = { ...process.env };

export function cliFolder(): CliFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-cli-')));
  const start = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) => startCli(argv, path, env);
  const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runInProcess(argv, { cwd: path, env: { ...ownEnvironment(path), ...env } });
  return {
    path,
    write(files) {
      for (const [name, text] of Object.entries(files)) {
        const file = join(path, name);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      }
    },
    start,
    startIn: (cwd, argv, env = {}) => startCli(argv, cwd, env),
    run,
    trust: (files) => trustFiles(run, files),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** For tests that start the command themselves. */
export async function trustFiles(
  run: (argv: readonly string[]) => Promise<CliResult>,
  files: readonly string[] = [],
): Promise<void> {
  const shown = await run(['trust', ...files, '--json']);
  const judged = (JSON.parse(shown.stdout || '{"files":[]}') as { files: { file: string; digest: string }[] }).files;
  if (judged.length === 0) throw new Error(`There is nothing to trust: ${JSON.stringify(shown)}`);
  const digests = judged.flatMap(({ digest }) => ['--trust-config', digest]);
  const trusted = await run(['trust', ...judged.map(({ file }) => file), ...digests]);
  if (trusted.exitCode !== 0) throw new Error(`Not trusted: ${JSON.stringify(trusted)}`);
}

/** The text of a good `SKILL.md`. */
export function skillText(name: string, body = 'Do it.\n'): string {
  return `---\nname: ${name}\ndescription: Does something when it is asked to.\n---\n${body}`;
}

/** Only the variables that programs need to be found. */
function ownEnvironment(home: string): Readonly<Record<string, string>> {
  const { PATH = '', SystemRoot = '' } = usersEnvironment;
  return { PATH, SystemRoot, HOME: home, USERPROFILE: home, SKILLWIRE_HOME: join(home, 'no-home') };
}

function startCli(argv: readonly string[], cwd: string, env: Readonly<Record<string, string>>): CliProcess {
  const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
  if (!existsSync(main)) throw new Error(`There is no built program at "${main}". Run \`npm run build\`.`);
  const child = spawn(process.execPath, [main, ...argv], {
    cwd,
    env: { ...ownEnvironment(cwd), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      text[stream] += chunk;
    });
  }
  const ended = new Promise<CliResult>((resolve, reject) => {
    child.once('error', reject).once('close', (exitCode) => resolve({ ...text, exitCode }));
  });
  const seen = (stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (pattern.test(text[stream])) resolve(text[stream]);
      };
      child[stream].on('data', look);
      child.once('close', () => reject(new Error(`${pattern} not seen in: ${JSON.stringify(text)}`)));
      look();
    });
  return { child, stdout: () => text.stdout, stderr: () => text.stderr, ended, seen };
}
