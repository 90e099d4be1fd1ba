/**
 * Stdio servers as child processes (sec:X-10). They start without a shell, in their own process group, with a small environment. Every
 * process that they started ends with them. The size of lines is limited, and only the end of stderr is stored. Lines that are not JSON are
 * skipped, because programs greet and log, up to a number that no working server reaches.
 */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText, shortText } from '../skill/display-text.ts';
import type { ChildCommand, ChildEvents, ServerChild, StartChild } from '../sources/mcp-server/child-session.ts';

const newline = 0x0a;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Children that must not outlive this process. */
const running = new Set<ChildProcessWithoutNullStreams>();
function killAll(): void {
  for (const child of running) signalTree(child, 'SIGKILL');
}

export const startServerChild: StartChild = async ({ command, args, env, cwd }, events) => {
  const child = spawn(command, args, {
    env: { ...getDefaultEnvironment(), ...env },
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    windowsHide: true,
    // Its own process group, so that its children are terminated with it.
    detached: process.platform !== 'win32',
  });
  const started = wire(child, events);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(cannotStart({ command, args }, error)));
  });
  if (running.size === 0) process.on('exit', killAll);
  running.add(child);
  child.once('exit', () => {
    running.delete(child);
    if (running.size === 0) process.off('exit', killAll);
  });
  return started;
};

function cannotStart({ command }: ChildCommand, error: NodeJS.ErrnoException): SkillwireError {
  const reason =
    error.code === 'ENOENT'
      ? 'the program, or the folder to start it in, does not exist'
      : error.code === 'EACCES'
        ? 'it is not executable'
        : shortText(error.message);
  return new SkillwireError('UNREACHABLE', `Cannot start ${quoteText(command)}: ${reason}.`, {
    cause: error,
    data: { command, reason: error.code },
  });
}

function wire(child: ChildProcessWithoutNullStreams, { onMessage, onEnd }: ChildEvents): ServerChild {
  const stderr = createTail(limits.origin.stderrBytes);
  let ended = false;
  let closing: Promise<void> | undefined;
  let junk = 0;

  function end(reason: string, broken = false): void {
    if (ended) return;
    ended = true;
    onEnd(reason, broken);
  }

  /** Terminates a process that violates the protocol. */
  function terminate(reason: string): void {
    end(reason, true);
    // A flood is not read to its end.
    child.stdout.destroy();
    closing ??= endTree(child, false);
  }

  function takeLine(line: Uint8Array): void {
    if (line.length === 0 || ended) return;
    let message: unknown;
    try {
      message = JSON.parse(decoder.decode(line));
    } catch {
      junk++;
      const shown = new TextDecoder().decode(line.subarray(0, limits.messages.quotedCharacters));
      if (junk > limits.origin.junkLines) terminate(`writes lines that are not messages, such as ${quoteText(shown)}`);
      return;
    }
    onMessage(message);
  }

  const lines = splitLines(takeLine, () => terminate(`wrote a line of more than ${limits.origin.lineBytes} bytes`));
  child.stdout.on('data', lines);
  child.stderr.on('data', stderr.push);
  // The exit of the process reports a broken pipe.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {});
  child.on('error', (error) => end(`could not be used: ${shortText(error.message)}`));
  const onExit = (code: number | null, signal: NodeJS.Signals | null): void =>
    end(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
  child.on('close', onExit);
  // If a grandchild keeps the pipes open they never close, so the bytes in them get a moment to arrive.
  child.on('exit', (code, signal) => setTimeout(onExit, limits.origin.drainMs, code, signal).unref());

  function close(): Promise<void> {
    closing ??= endTree(child, true);
    return closing;
  }

  return {
    send(line) {
      if (!ended && child.stdin.writable) child.stdin.write(`${line}\n`);
    },
    stderr: stderr.text,
    close,
  };
}

/** Splits a stream of bytes into lines. A long line is joined once, at its end. */
function splitLines(take: (line: Uint8Array) => void, tooLong: () => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let bytes = 0;
  return (chunk) => {
    let start = 0;
    for (let index = chunk.indexOf(newline); index !== -1; index = chunk.indexOf(newline, start)) {
      const last = chunk.subarray(start, index);
      const line = parts.length === 0 ? last : Buffer.concat([...parts, last]);
      parts = [];
      bytes = 0;
      start = index + 1;
      take(line.at(-1) === 0x0d ? line.subarray(0, -1) : line);
    }
    if (start === chunk.length) return;
    parts.push(chunk.subarray(start));
    bytes += chunk.length - start;
    if (bytes <= limits.origin.lineBytes) return;
    parts = [];
    bytes = 0;
    tooLong();
  };
}

/** The last bytes of a stream. */
function createTail(most: number): { push(chunk: Buffer): void; text(): string } {
  let parts: Buffer[] = [];
  let bytes = 0;
  return {
    push(chunk) {
      parts.push(chunk);
      bytes += chunk.length;
      if (bytes < 2 * most) return;
      parts = [Buffer.concat(parts).subarray(-most)];
      bytes = most;
    },
    text: () => Buffer.concat(parts).subarray(-most).toString('utf8'),
  };
}

/** Closes stdin, then sends SIGTERM, then SIGKILL, to the whole process group. `politely`: with time to exit by itself. */
async function endTree(child: ChildProcessWithoutNullStreams, politely: boolean): Promise<void> {
  child.stdin.end();
  if (!politely || !(await goneWithin(child, limits.origin.endMs))) {
    signalTree(child, 'SIGTERM');
    if (!(await goneWithin(child, limits.origin.terminateMs))) signalTree(child, 'SIGKILL');
    await goneWithin(child, limits.origin.terminateMs);
  }
  // Pipes that a grandchild in another group keeps open must not keep this process alive.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
}

/** Waits until the process and its group are gone. A group without its leader is terminated at once. */
async function goneWithin(child: ChildProcessWithoutNullStreams, ms: number): Promise<boolean> {
  const endsAt = performance.now() + ms;
  let isSignaled = false;
  while (isAlive(child)) {
    if (performance.now() > endsAt) return false;
    if (!isSignaled && hasExited(child)) {
      signalTree(child, 'SIGTERM');
      isSignaled = true;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}

function hasExited(child: ChildProcessWithoutNullStreams): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function isAlive(child: ChildProcessWithoutNullStreams): boolean {
  if (child.pid === undefined) return false;
  if (process.platform === 'win32') return !hasExited(child);
  try {
    process.kill(-child.pid, 0);
    return true;
  } catch {
    return false;
  }
}

function signalTree(child: ChildProcessWithoutNullStreams, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'], { windowsHide: true });
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
