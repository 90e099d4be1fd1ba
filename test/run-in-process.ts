/**
 * Runs a command in this process, with its own folder and environment, and returns output and exit code. A new process costs a fifth of a
 * second of CPU time, so tests start one only if they are about the process.
 */
import { readFileSync } from 'node:fs';
import type { Cli } from '../src/cli/cli.ts';
import { runProgram } from '../src/cli/program.ts';
import { renderError } from '../src/cli/render/error.ts';
import { wantsJson } from '../src/cli/render/wants-json.ts';

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
  /** Gets what the command writes to stderr, while it runs. */
  readonly printed?: (text: string) => void;
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Does what `src/cli/main.ts` does around the program. */
export async function runInProcess(argv: readonly string[], { cwd, env, ask, printed }: InProcess): Promise<CliResult> {
  const out: Uint8Array[] = [];
  const err: Uint8Array[] = [];
  const cli: Cli = {
    version,
    argv,
    cwd,
    env,
    stdin: {},
    stdout: { write: (data) => out.push(Buffer.from(data)) },
    stderr: {
      write(data) {
        err.push(Buffer.from(data));
        printed?.(String(data));
      },
    },
    ...(ask === undefined ? {} : { ask }),
  };
  const leave = enter(cwd, env, (warning) => err.push(Buffer.from(`(node) ${warning.name}: ${warning.message}\n`)));
  try {
    const exitCode = await runProgram(argv, cli).catch((error: unknown) => {
      const rendered = renderError(error, { json: wantsJson(argv), debug: env['SKILLWIRE_DEBUG'] === '1' });
      err.push(Buffer.from(rendered.text));
      return rendered.exitCode;
    });
    return { stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString(), exitCode };
  } finally {
    leave();
  }
}

type Warned = (warning: Error) => void;

let inside: { readonly place: string; readonly running: Set<Warned>; restore(): void } | undefined;

/** Makes folder and environment those of the process, since libraries, the home folder and relative paths follow them. */
function enter(cwd: string, env: Readonly<Record<string, string>>, warned: Warned): () => void {
  const place = JSON.stringify([cwd, env]);
  if (inside !== undefined && inside.place !== place)
    throw new Error('A command of another folder or environment is running; use a process for one of them.');
  if (inside === undefined) {
    const running = new Set<Warned>();
    inside = { place, running, restore: moveTo(cwd, env, running) };
  }
  const { running, restore } = inside;
  running.add(warned);
  return () => {
    running.delete(warned);
    if (running.size > 0) return;
    inside = undefined;
    restore();
  };
}

function moveTo(cwd: string, env: Readonly<Record<string, string>>, running: ReadonlySet<Warned>): () => void {
  const before = { cwd: process.cwd(), env: { ...process.env }, listeners: process.getMaxListeners() };
  const onWarning = (warning: Error): void => {
    for (const warned of running) warned(warning);
  };
  setEnvironment(env);
  process.chdir(cwd);
  // Every command listens to signals; a normal process runs only one command.
  process.setMaxListeners(0);
  process.on('warning', onWarning);
  return () => {
    process.off('warning', onWarning);
    process.setMaxListeners(before.listeners);
    process.chdir(before.cwd);
    setEnvironment(before.env);
  };
}

/** The object stays the same: `os.homedir()` and child processes read the environment behind it. */
function setEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name];
  Object.assign(process.env, env);
}
