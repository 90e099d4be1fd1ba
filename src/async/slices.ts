import { limits } from '../limits.ts';

/** Lets other work of the process run between slices of synchronous work. */
export interface Slices {
  /** A promise to wait for where the slice is used up, else undefined. */
  pause(): Promise<void> | undefined;
}

export function createSlices(ms: number = limits.scan.sliceMs): Slices {
  let endMs = monotonicMs() + ms;
  let waiting: (() => void)[] = [];
  let first = 0;

  /** Lets those who wait go on one by one, each with its own work, until the slice is used up. */
  function release(): void {
    endMs = monotonicMs() + ms;
    const next = (): void => {
      const resume = waiting[first];
      if (resume === undefined) {
        waiting = [];
        first = 0;
      } else if (monotonicMs() >= endMs) setImmediate(release);
      else {
        first++;
        resume();
        // After the work of the one that was let go, which is in the microtasks that it queued.
        queueMicrotask(() => queueMicrotask(() => queueMicrotask(next)));
      }
    };
    next();
  }

  return {
    pause() {
      if (waiting.length === 0 && monotonicMs() < endMs) return undefined;
      return new Promise((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 1) setImmediate(release);
      });
    },
  };
}

/** Milliseconds that only grow. What `performance` is made of has to be loaded first, which a command that is soon over can spare itself. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
