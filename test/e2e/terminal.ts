/** The built command in a real pseudo-terminal, made by `script` of util-linux, with somebody who types answers. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellWord } from '../../src/agents/client-config.ts';
import type { CliFolder } from './cli-process.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** Makes a pseudo-terminal for a command. */
const maker = 'script';

export const hasTerminal: boolean =
  process.platform === 'linux' && spawnSync(maker, ['--version']).stdout?.includes('util-linux') === true;

export const controlC = '\x03';

export interface Answer {
  /** Of the question. */
  readonly to: string;
  readonly text: string;
}

export interface Shown {
  readonly exitCode: number | null;
  readonly screen: string;
  /** Questions that were answered. */
  readonly answered: number;
}

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** The line of the shell that runs the command. Default: the shell becomes the command. */
  readonly line?: (command: string) => string;
}

/** Types each answer when its question is there, one after the other. */
export function atTerminal(folder: CliFolder, argv: readonly string[], ...answers: readonly Answer[]): Promise<Shown> {
  return atTerminalWith({}, folder, argv, ...answers);
}

/** The same at a terminal of this size, with these variables. */
export function atTerminalWith(
  options: TerminalOptions,
  folder: CliFolder,
  argv: readonly string[],
  ...answers: readonly Answer[]
): Promise<Shown> {
  const child = openTerminal(options, folder, argv);
  let screen = '';
  let looked = 0;
  let answered = 0;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk;
    const next = answers[answered];
    const at = next === undefined ? -1 : screen.indexOf(next.to, looked);
    if (next === undefined || at === -1) return;
    looked = at + next.to.length;
    answered += 1;
    child.stdin.write(next.text);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (exitCode) => resolve({ exitCode, screen, answered }));
  });
}

/** The command at a terminal. The terminal closes with the process that is returned, as a window does. */
export function openTerminal(
  { env = {}, columns = 80, rows = 24, line = (command) => `exec ${command}` }: TerminalOptions,
  folder: CliFolder,
  argv: readonly string[],
): ChildProcessWithoutNullStreams {
  const words = [process.execPath, main, ...argv].map(shellWord).join(' ');
  return spawn(maker, ['-qec', `stty columns ${columns} rows ${rows} && ${line(words)}`, '/dev/null'], {
    cwd: folder.path,
    env: {
      PATH: process.env['PATH'],
      HOME: folder.path,
      SKILLWIRE_HOME: join(folder.path, 'no-home'),
      TERM: 'xterm',
      NO_COLOR: '1',
      ...env,
    },
  });
}
