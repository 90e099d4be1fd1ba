/**
 * Our server as a user starts it: the built command line program in its own process, with the Node of the test run.
 * Nothing here knows the inside of the server, so these tests judge what is shipped.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeOutput, type Finished, type GroupedProcess, runToEnd, spawnGroup } from './process-group.ts';
import { type ScratchFolder, scratchFolder } from './scratch-folder.ts';

const START_DEADLINE_MS = 120_000;
const STOP_DEADLINE_MS = 60_000;
const RUN_DEADLINE_MS = 120_000;

export interface SkillwireProcess {
  readonly url: string;
  readonly mcp: string;
  /** Asks the server to end and waits for it; fails if it had ended before or has to be killed. */
  stop(): Promise<void>;
}

/** The program and arguments that serve `root` over stdio, for a client that starts its servers itself. */
export function skillwireOverStdio(
  root: string,
  ...options: readonly string[]
): { readonly command: string; readonly args: readonly string[] } {
  return { command: process.execPath, args: [cliFile(), 'serve', root, '--stdio', ...options] };
}

/** Serves `root` on a free loopback port. */
export function serveOverHttp(root: string, ...options: readonly string[]): Promise<SkillwireProcess> {
  return startSkillwire(['serve', root, '--http', '127.0.0.1:0', '--json', ...options]);
}

/** Runs a command that ends by itself, with a state of its own unless a test names one. */
export async function runSkillwire(
  args: readonly string[],
  place?: { readonly cwd: string; readonly env: ScratchFolder['env'] },
): Promise<Finished> {
  if (place !== undefined)
    return runToEnd(process.execPath, [cliFile(), ...args], { ...place, deadlineMs: RUN_DEADLINE_MS });
  const scratch = await scratchFolder();
  try {
    const { path: cwd, env } = scratch;
    return await runToEnd(process.execPath, [cliFile(), ...args], { env, cwd, deadlineMs: RUN_DEADLINE_MS });
  } finally {
    await scratch.remove();
  }
}

/** `args` must use absolute paths: the program runs in an empty folder. */
export async function startSkillwire(args: readonly string[]): Promise<SkillwireProcess> {
  const argv = [cliFile(), ...args];
  const scratch = await scratchFolder();
  const group = spawnGroup(process.execPath, argv, { env: scratch.env, cwd: scratch.path });
  const described = (): string => describeOutput(process.execPath, argv, group);
  try {
    const { url, mcp } = await listening(group, described);
    const stop = async (): Promise<void> => {
      try {
        await stopGroup(group, described);
      } finally {
        await scratch.remove();
      }
    };
    return { url, mcp, stop };
  } catch (error) {
    group.signal('SIGKILL');
    await group.ended.catch(() => undefined);
    await scratch.remove();
    throw error;
  }
}

function cliFile(): string {
  const file = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
  if (!existsSync(file)) throw new Error(`There is no built program at "${file}". Run \`npm run build\`.`);
  return file;
}

interface Listening {
  readonly url: string;
  readonly mcp: string;
}

async function listening(group: GroupedProcess, described: () => string): Promise<Listening> {
  const line = new Promise<Listening>((resolve, reject) => {
    group.child.stdout.on('data', () => {
      const text = group.stdout();
      const end = text.indexOf('\n');
      if (end < 0) return;
      const found = parseListening(text.slice(0, end));
      if (found === undefined) reject(new Error(`The first line is not a "listening" event.\n${described()}`));
      else resolve(found);
    });
  });
  const early = group.ended.then((): never => {
    throw new Error(`The server ended before it was listening.\n${described()}`);
  });
  return await within(START_DEADLINE_MS, Promise.race([line, early]), () => {
    return `The server was not listening within ${START_DEADLINE_MS} ms.\n${described()}`;
  });
}

async function stopGroup(group: GroupedProcess, described: () => string): Promise<void> {
  if (group.child.exitCode !== null || group.child.signalCode !== null) {
    throw new Error(`The server ended by itself during the test.\n${described()}`);
  }
  group.signal('SIGTERM');
  try {
    await within(STOP_DEADLINE_MS, group.ended, () => {
      return `The server did not end within ${STOP_DEADLINE_MS} ms after SIGTERM.\n${described()}`;
    });
  } finally {
    group.signal('SIGKILL');
  }
}

async function within<T>(ms: number, work: Promise<T>, message: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(message())), ms);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}

function parseListening(line: string): Listening | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { event, url, mcp } = value as Readonly<Record<string, unknown>>;
  return event === 'listening' && typeof url === 'string' && typeof mcp === 'string' ? { url, mcp } : undefined;
}
