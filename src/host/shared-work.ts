/**
 * Work that several callers want at the same time is done once. Each caller may give up alone; the work itself is told to stop
 * when the last one has. Nothing is kept once it is done.
 */
import { interrupted, throwIfInterrupted } from './deadline.ts';

export interface SharedWork<T> {
  run(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface Running<T> {
  readonly controller: AbortController;
  readonly result: Promise<T>;
  waiting: number;
}

/** `action` is for the message to a caller who gave up. */
export function sharedWork<T>(action: string): SharedWork<T> {
  const running = new Map<string, Running<T>>();

  function begin(key: string, start: (signal: AbortSignal) => Promise<T>): Running<T> {
    const controller = new AbortController();
    const work: Running<T> = { controller, waiting: 0, result: start(controller.signal) };
    running.set(key, work);
    const forget = (): void => {
      if (running.get(key) === work) running.delete(key);
    };
    work.result.then(forget, forget);
    return work;
  }

  return {
    async run(key, signal, start) {
      throwIfInterrupted(signal, action);
      const work = running.get(key) ?? begin(key, start);
      work.waiting++;
      let leave: () => void = () => undefined;
      const left = new Promise<never>((_, reject) => {
        leave = () => reject(interrupted(action));
      });
      signal?.addEventListener('abort', leave, { once: true });
      try {
        return await Promise.race([work.result, left]);
      } finally {
        signal?.removeEventListener('abort', leave);
        if (--work.waiting === 0 && running.get(key) === work) {
          running.delete(key);
          work.controller.abort(interrupted(action));
        }
      }
    },
  };
}
