/**
 * How long to wait before the next attempt. A connection counts as good only after it has lasted: a hub that lets everybody in
 * and then throws some out would otherwise be asked again at once, for ever. One that refused is asked much less often.
 */
import { limits } from '../limits.ts';

export interface Backoff {
  /** The connection has lasted. */
  settled(): void;
  /** Milliseconds until the next attempt. */
  next(refused: boolean): number;
}

/** @param random gives 0 to 1; half of each pause is left to it, so that a thousand tabs do not come back at one moment */
export function createBackoff(random: () => number = Math.random): Backoff {
  const { retryMs, longestRetryMs, refusedRetryMs, longestRefusedRetryMs } = limits.runtimeClient;
  let failures = 0;
  return {
    settled() {
      failures = 0;
    },
    next(refused) {
      const [first, most] = refused ? [refusedRetryMs, longestRefusedRetryMs] : [retryMs, longestRetryMs];
      const pause = Math.min(first * 2 ** Math.min(failures++, 16), most);
      return pause / 2 + (pause / 2) * random();
    },
  };
}
