/**
 * Work that several callers want at the same time and that is done once. It ends with its source, not with one of its callers:
 * whoever gives up stops waiting and leaves the others their answer.
 */
import { SkillwireError } from '../../errors.ts';

export interface SharedWork {
  run<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
}

export function sharedWork(): SharedWork {
  const running = new Map<string, Promise<unknown>>();
  return {
    run<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
      let current = running.get(key) as Promise<T> | undefined;
      if (current === undefined) {
        current = work().finally(() => running.delete(key));
        running.set(key, current);
      }
      return unlessAborted(current, signal);
    },
  };
}

/** Waits no longer than the caller wants to. */
function unlessAborted<T>(work: Promise<T>, given: AbortSignal | undefined): Promise<T> {
  if (given === undefined) return work;
  // Many callers may share one signal; each listens to one of its own.
  const signal = AbortSignal.any([given]);
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      const { reason } = signal;
      reject(
        reason instanceof SkillwireError
          ? reason
          : new SkillwireError('INTERRUPTED', 'gave up on the site: the caller did not want to wait any longer', {
              cause: reason,
            }),
      );
    };
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
