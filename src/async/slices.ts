import { limits } from '../limits.ts';

// Not every runtime has it; timers take a millisecond each.
const soon =
  (globalThis as { setImmediate?: (work: () => void) => void }).setImmediate ?? ((work) => setTimeout(work, 0));

export function createSlices(ms: number = limits.scan.sliceMs) {
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
      } else if (monotonicMs() >= endMs) soon(release);
      else {
        first++;
        resume();
        // Runs after the microtasks that the resumed caller queued.
        queueMicrotask(() => queueMicrotask(() => queueMicrotask(next)));
      }
    };
    next();
  }

  return {
    /** A promise to await if the slice is used up, else `undefined`. */
    pause(): Promise<void> | undefined {
      if (waiting.length === 0 && monotonicMs() < endMs) return undefined;
      return new Promise((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 1) soon(release);
      });
    },
  };
}

/** Lets other work of the process run between slices of synchronous work. */
export type Slices = ReturnType<typeof createSlices>;

/** Monotonic milliseconds. On Node not from `performance`, whose lazy loading would slow down short commands. */
export function monotonicMs(): number {
  if (globalThis.process?.hrtime === undefined) return performance.now();
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** Most items visited in one turn, even if they are fast. */
const visitsPerTurn = 500;

/** Visits every item in order. Other work of the process runs after each slice, and after 500 items at the latest. */
export async function visitInSlices<T>(items: Iterable<T>, visit: (item: T) => void): Promise<void> {
  let endMs = monotonicMs() + limits.scan.sliceMs;
  let visits = 0;
  for (const item of items) {
    if (visits >= visitsPerTurn || monotonicMs() >= endMs) {
      await nextTurn();
      endMs = monotonicMs() + limits.scan.sliceMs;
      visits = 0;
    }
    visit(item);
    visits++;
  }
}

/** Yields to other work of the process, in every runtime. */
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
