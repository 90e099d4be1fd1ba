/**
 * Work that several callers want at the same time is done once. Each caller may give up alone. Nothing is kept once it is done.
 * When the last caller has left, the work is aborted, or goes on for the next caller if it `outlives` them.
 */
import { interrupted, unlessAborted } from './unless-aborted.ts';

export interface SharedWork {
  run<T>(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface Running {
  readonly controller: AbortController;
  readonly result: Promise<unknown>;
  waiting: number;
}

/** `action` is for the message to a caller who gave up. */
export function sharedWork(action: string, outlives: boolean = false): SharedWork {
  const running = new Map<string, Running>();

  function begin(key: string, start: (signal: AbortSignal) => Promise<unknown>): Running {
    const controller = new AbortController();
    const work: Running = { controller, waiting: 0, result: start(controller.signal) };
    running.set(key, work);
    const forget = (): void => {
      if (running.get(key) === work) running.delete(key);
    };
    work.result.then(forget, forget);
    return work;
  }

  return {
    async run<T>(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>) {
      if (signal?.aborted === true) throw interrupted(action, signal.reason);
      const work = running.get(key) ?? begin(key, start);
      work.waiting++;
      try {
        return await unlessAborted(work.result as Promise<T>, signal, action);
      } finally {
        if (--work.waiting === 0 && !outlives && running.get(key) === work) {
          running.delete(key);
          work.controller.abort(interrupted(action));
        }
      }
    },
  };
}
