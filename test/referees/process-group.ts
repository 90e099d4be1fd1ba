/**
 * Child processes that cannot outlive a test. Each one leads its own process group. The whole group is killed when the deadline passes, the
 * leader ends, or the test process exits. The output of a child is recorded, because an error about another program is only useful with
 * that program's own words.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/** A report on a few dozen skills is some 100 KiB; anything near this is a program gone wild. */
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

const GROUPS = process.platform !== 'win32';

export interface SpawnOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

export interface Finished {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type ProcessEnd = { readonly exitCode: number } | { readonly signal: string };

export interface GroupedProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** Settles when the leader has ended and every holder of its output is gone; rejects if it could not be started. */
  readonly ended: Promise<ProcessEnd>;
  stdout(): string;
  stderr(): string;
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
}

const living = new Set<GroupedProcess>();

process.on('exit', () => {
  for (const group of living) group.signal('SIGKILL');
});

export function spawnGroup(command: string, args: readonly string[], options: SpawnOptions): GroupedProcess {
  const child = spawn(command, args, {
    ...options,
    detached: GROUPS,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const signal = (name: 'SIGTERM' | 'SIGKILL'): void => {
    if (child.pid === undefined) return;
    if (!GROUPS) {
      child.kill(name);
      return;
    }
    try {
      process.kill(-child.pid, name);
    } catch (error) {
      if (!isNoSuchProcess(error)) throw error;
    }
  };
  const stdout = collect(child.stdout, () => signal('SIGKILL'));
  const stderr = collect(child.stderr, () => signal('SIGKILL'));
  const ended = new Promise<ProcessEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => signal('SIGKILL'));
    child.once('close', (code, by) => resolve(code === null ? { signal: String(by) } : { exitCode: code }));
  });
  const group: GroupedProcess = { child, ended, stdout, stderr, signal };
  living.add(group);
  const forget = (): void => {
    living.delete(group);
  };
  ended.then(forget, forget);
  return group;
}

export async function runToEnd(
  command: string,
  args: readonly string[],
  options: SpawnOptions & { readonly deadlineMs: number },
): Promise<Finished> {
  const group = spawnGroup(command, args, { env: options.env, cwd: options.cwd });
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    group.signal('SIGKILL');
  }, options.deadlineMs);
  try {
    const end = await group.ended;
    const shown = describeOutput(command, args, group);
    if (expired) throw new Error(`The program did not end within ${options.deadlineMs} ms and was killed.\n${shown}`);
    if ('signal' in end) throw new Error(`The program was ended by ${end.signal}.\n${shown}`);
    return { exitCode: end.exitCode, stdout: group.stdout(), stderr: group.stderr() };
  } finally {
    clearTimeout(timer);
  }
}

export function describeOutput(
  command: string,
  args: readonly string[],
  output: Pick<GroupedProcess, 'stdout' | 'stderr'>,
): string {
  return [
    `command: ${[command, ...args].map((word) => JSON.stringify(word)).join(' ')}`,
    `stdout: ${output.stdout().trim() || '(nothing)'}`,
    `stderr: ${output.stderr().trim() || '(nothing)'}`,
  ].join('\n');
}

function collect(stream: Readable, onTooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes > MAX_OUTPUT_BYTES) return;
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > MAX_OUTPUT_BYTES) onTooMuch();
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function isNoSuchProcess(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ESRCH';
}
