/**
 * Ctrl-C for commands that talk to others: the first signal aborts what is under way, so that child processes end and files
 * are closed; a second one ends the process at once.
 */
import { setMaxListeners } from 'node:events';
import { exitCodes, SkillwireError } from '../errors.ts';

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
