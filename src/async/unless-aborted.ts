import { SkillwireError } from '../errors.ts';

/**
 * Waits for shared work no longer than one of its callers wants to; the work goes on for the others.
 *
 * @param action what the caller gives up, for the message; without it the reason of the signal is thrown as it is
 */
export function unlessAborted<T>(work: Promise<T>, given: AbortSignal | undefined, action?: string): Promise<T> {
  if (given === undefined) return work;
  // Many callers may share one signal; each listens to one of its own.
  const signal = AbortSignal.any([given]);
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(action === undefined ? signal.reason : interrupted(action, signal.reason));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The error of a caller who gave up: the reason if it is one of ours, such as a deadline. */
export function interrupted(action: string, reason?: unknown): SkillwireError {
  if (reason instanceof SkillwireError) return reason;
  return new SkillwireError('INTERRUPTED', `gave up to ${action}: the caller ended it`, { cause: reason });
}
