/**
 * Runs work once for all concurrent callers. Each caller can cancel alone, and results are not cached. When the last caller has left, the
 * work is aborted, unless it `outlives` its callers.
 */
import { interrupted, unlessAborted } from './unless-aborted.ts';

interface Running {
  readonly controller: AbortController;
  readonly result: Promise<unknown>;
  waiting: number;
}

/** `action`: for the error of a caller who cancels. */
export function sharedWork(action: string, outlives: boolean = false) {
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
    async run<T>(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
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

export type SharedWork = ReturnType<typeof sharedWork>;

/**
 * Runs work at most once at a time. Calls during a run share the next run, so every caller gets a result that began after its call.
 */
export function coalesced<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  function start(): Promise<T> {
    next = undefined;
    const own = work();
    running = own;
    // Registered before the next run is, so no call can come between the two and run beside it.
    const end = (): void => {
      if (running === own) running = undefined;
    };
    own.then(end, end);
    return own;
  }

  return () => {
    if (running === undefined) return start();
    next ??= running.then(start, start);
    return next;
  };
}
