/**
 * Waits for a quiet period: calls back when nothing has moved for a while, or after a longest wait if movement never
 * stops. Uses the monotonic clock, so changes of the system clock do not matter.
 */
import { monotonicMs } from '../../async/slices.ts';
import { limits } from '../../limits.ts';

export function createDebounce(onQuiet: () => Promise<void>) {
  let timer: NodeJS.Timeout | undefined;
  let firstMs: number | undefined;
  let waiting: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  let closed = false;

  function fire(): void {
    timer = undefined;
    onQuiet().catch((error: unknown) => {
      const failed = waiting;
      waiting = [];
      firstMs = undefined;
      for (const { reject } of failed) reject(error);
    });
  }

  function disturb(): void {
    if (closed) return;
    const nowMs = monotonicMs();
    firstMs ??= nowMs;
    clearTimeout(timer);
    const leftMs = firstMs + limits.watch.longestWaitMs - nowMs;
    timer = setTimeout(fire, Math.max(0, Math.min(limits.watch.quietMs, leftMs)));
    // Only waiting callers keep the process alive.
    if (waiting.length === 0) timer.unref();
  }

  return {
    /** Something moved. */
    disturb,
    /** True if the first disturbance is at least this long ago. */
    isOverdue: (longestMs: number): boolean => firstMs !== undefined && monotonicMs() - firstMs >= longestMs,
    /** The changes were published. */
    settled(): void {
      firstMs = undefined;
      const done = waiting;
      waiting = [];
      for (const { resolve } of done) resolve();
    },
    /** Disturbs, and resolves when that change is published. */
    settledAfterNow(): Promise<void> {
      if (closed) return Promise.resolve();
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        disturb();
      });
    },
    close(): void {
      closed = true;
      clearTimeout(timer);
      for (const { resolve } of waiting) resolve();
      waiting = [];
    },
  };
}
