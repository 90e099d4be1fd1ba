/**
 * Ctrl-C for commands that talk to others: the first signal aborts what is under way, so that child processes end and files
 * are closed; a second one ends the process at once.
 */
import { setMaxListeners } from 'node:events';
import { type ExitCode, exitCodes, SkillwireError } from '../errors.ts';
import type { ServeHandle } from '../node/serve.ts';
import type { Cli } from './cli.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the work with a signal that aborts on Ctrl-C. Whatever the work throws afterwards, the error is INTERRUPTED. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  // Every request in flight listens to it.
  setMaxListeners(0, controller.signal);
  const interrupted = new SkillwireError('INTERRUPTED', 'interrupted');
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

/** How `serve` ends: by itself, or by a signal. */

/** Waits for the end of the service. The first signal closes it, a second one ends the process at once. */
export async function untilStopped(handle: Pick<ServeHandle, 'close' | 'closed'>, { stderr }: Cli): Promise<ExitCode> {
  let exitCode: ExitCode | undefined;
  const { promise, resolve, reject } = deferred();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (exitCode !== undefined) process.exit(exitCodes.interrupted);
    exitCode = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.ok;
    if (signal === 'SIGINT' && stderr.isTTY === true) stderr.write('closing; Ctrl-C again stops at once\n');
    handle.close().then(resolve, reject);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    await Promise.race([promise, handle.closed]);
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
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
