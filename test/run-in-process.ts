/**
 * A command in this process, with a folder and an environment of its own: what it printed and how it ended. A process of its own costs
 * a fifth of a second of CPU time, so tests start one only if the process is what they are about.
 */
import { readFileSync } from 'node:fs';
import type { Cli } from '../src/cli/cli.ts';
import { runProgram, wantsJson } from '../src/cli/program.ts';
import { renderError } from '../src/cli/render/error.ts';

export interface CliResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

export interface InProcess {
  readonly cwd: string;
  /** Everything that the command finds in its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Absent: nobody is at the terminal. */
  readonly ask?: Cli['ask'];
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Does what `src/cli/main.ts` does around the program. */
export async function runInProcess(argv: readonly string[], { cwd, env, ask }: InProcess): Promise<CliResult> {
  const out: Uint8Array[] = [];
  const err: Uint8Array[] = [];
  const warned = (warning: Error): number => err.push(Buffer.from(`(node) ${warning.name}: ${warning.message}\n`));
  const cli: Cli = {
    version,
    cwd,
    env,
    stdin: {},
    stdout: { write: (data) => out.push(Buffer.from(data)) },
    stderr: { write: (data) => err.push(Buffer.from(data)) },
    ...(ask === undefined ? {} : { ask }),
  };
  const leave = enter(cwd, env);
  process.on('warning', warned);
  try {
    const exitCode = await runProgram(argv, cli).catch((error: unknown) => {
      const rendered = renderError(error, { json: wantsJson(argv), debug: env['SKILLWIRE_DEBUG'] === '1' });
      err.push(Buffer.from(rendered.text));
      return rendered.exitCode;
    });
    return { stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString(), exitCode };
  } finally {
    process.off('warning', warned);
    leave();
  }
}

let inside: { readonly place: string; count: number; restore(): void } | undefined;

/** Makes folder and environment those of the process, since libraries, the home folder and relative paths follow them. */
function enter(cwd: string, env: Readonly<Record<string, string>>): () => void {
  const place = JSON.stringify([cwd, env]);
  if (inside !== undefined && inside.place !== place)
    throw new Error('A command of another folder or environment is running; use a process for one of them.');
  inside ??= { place, count: 0, restore: moveTo(cwd, env) };
  const mine = inside;
  mine.count += 1;
  return () => {
    mine.count -= 1;
    if (mine.count > 0) return;
    inside = undefined;
    mine.restore();
  };
}

function moveTo(cwd: string, env: Readonly<Record<string, string>>): () => void {
  const before = { cwd: process.cwd(), env: { ...process.env } };
  setEnvironment(env);
  process.chdir(cwd);
  return () => {
    setEnvironment(before.env);
    process.chdir(before.cwd);
  };
}

/** The object stays the same: `os.homedir()` and child processes read the environment behind it. */
function setEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name];
  Object.assign(process.env, env);
}
