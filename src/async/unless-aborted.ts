import { SkillwireError } from '../errors.ts';

/**
 * Waits for shared work until one caller cancels; the work continues for the others.
 *
 * @param action the canceled action, for the message; without it the signal's reason is thrown
 */
export function unlessAborted<T>(work: Promise<T>, outer: AbortSignal | undefined, action?: string): Promise<T> {
  if (outer === undefined) return work;
  // Many callers may share one signal, so each gets a signal of its own.
  const signal = AbortSignal.any([outer]);
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(action === undefined ? signal.reason : interrupted(action, signal.reason));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The error of a caller who canceled: the reason if it is a SkillwireError, such as a deadline. */
export function interrupted(action: string, reason?: unknown): SkillwireError {
  if (reason instanceof SkillwireError) return reason;
  return new SkillwireError('INTERRUPTED', `cannot ${action}: the caller canceled it`, { cause: reason });
}
