/**
 * Ctrl-C: the first signal aborts or closes what is running, so child processes end and files are closed. The second one ends the process
 * at once. A closed terminal stops a server, too; without a terminal, SIGHUP only reloads a configuration.
 */
import { setMaxListeners } from 'node:events';
import { type ExitCode, exitCodes, SkillwireError } from '../errors.ts';
import type { ServeHandle } from '../node/serve.ts';
import type { Cli } from './cli.ts';
import { isTerminalClosed } from './closed-terminal.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the work with a signal that aborts on Ctrl-C. After that, every error of the work becomes INTERRUPTED. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  // Every pending request listens to it.
  setMaxListeners(0, controller.signal);
  const interrupted = new SkillwireError('INTERRUPTED', 'Interrupted.');
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort(interrupted);
  };
  for (const signal of signals) process.on(signal, onSignal);
  try {
    const result = await work(controller.signal);
    if (controller.signal.aborted) throw interrupted;
    return result;
  } catch (error) {
    throw controller.signal.aborted ? interrupted : error;
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}

/** Waits until the server closes by itself, by a signal or with its terminal. @param drainMs how long it answers after SIGTERM */
export async function untilStopped(
  handle: Pick<ServeHandle, 'close' | 'closed'>,
  { stderr }: Cli,
  drainMs = 0,
): Promise<ExitCode> {
  let exitCode: ExitCode | undefined;
  const { promise, resolve, reject } = deferred();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (exitCode !== undefined) process.exit(exitCodes.interrupted);
    exitCode = signal === 'SIGTERM' ? exitCodes.ok : exitCodes.interrupted;
    if (signal === 'SIGINT' && stderr.isTTY === true) stderr.write('Closing. Press Ctrl-C again to stop at once.\n');
    // Ctrl-C is for the person who waits; SIGTERM is for the program that replaces this one.
    handle.close({ drainMs: signal === 'SIGTERM' ? drainMs : 0 }).then(resolve, reject);
  };
  const onHangUp = (): void => {
    // Windows sends SIGHUP only when the console window is closed.
    if (exitCode === undefined && (process.platform === 'win32' || isTerminalClosed())) onSignal('SIGHUP');
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', onHangUp);
  try {
    await Promise.race([promise, handle.closed]);
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
    process.off('SIGHUP', onHangUp);
  }
  return exitCode ?? exitCodes.ok;
}

function deferred(): { promise: Promise<void>; resolve: () => void; reject: (error: unknown) => void } {
  let resolve: () => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
