import { SkillwireError } from '../errors.ts';

/** The same promise for one of several who wait for it: it gives up with its signal, and the work goes on for the others. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void =>
      reject(
        new SkillwireError('INTERRUPTED', 'gave up to list skills: the caller ended it', { cause: signal.reason }),
      );
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
