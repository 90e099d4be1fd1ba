import { limits } from '../limits.ts';

/** Lets other work of the process run between slices of synchronous work. */
export interface Slices {
  /** A promise to await if the slice is used up, else `undefined`. */
  pause(): Promise<void> | undefined;
}

export function createSlices(ms: number = limits.scan.sliceMs): Slices {
  let endMs = monotonicMs() + ms;
  let waiting: (() => void)[] = [];
  let first = 0;

  /** Resumes the waiting callers one by one, each with its own work, until the slice is used up. */
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
        // After the work of the resumed caller, which is in the microtasks that it queued.
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

/** Monotonic milliseconds. Not `performance`, whose lazy loading would slow down short commands. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** Yields to other work of the process, in every runtime. */

// Not every runtime has it; timers take a millisecond each.
const soon =
  (globalThis as { setImmediate?: (work: () => void) => void }).setImmediate ?? ((work) => setTimeout(work, 0));

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    soon(() => resolve());
  });
}

/** A queue for turns of the event loop: every call waits for a turn that no other call has, in order. */
export function createTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(nextTurn);
    return last;
  };
}
