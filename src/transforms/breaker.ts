/**
 * A circuit breaker (sec:X-1): after so many failures in a row nothing is asked for a while, then one call tries. What it tries
 * decides: closed again, or open for as long again.
 */
import { limits } from '../limits.ts';

export type BreakerState = 'closed' | 'open' | 'half-open';

export interface BreakerOptions {
  readonly failures?: number;
  readonly openMs?: number;
  readonly now?: () => number;
}

export interface Breaker {
  readonly state: BreakerState;
  /** When the next call may try, by `now()`; undefined where calls pass. */
  readonly retryAt: number | undefined;
  /** Whether a call may be made now; each that may must be told the outcome of. */
  enter(): boolean;
  succeeded(): void;
  failed(): void;
  /** The call ended without telling anything about the other side. */
  abandoned(): void;
}

export function createBreaker(options: BreakerOptions = {}): Breaker {
  const { failures = limits.gateway.breakerFailures, openMs = limits.gateway.breakerOpenMs, now = Date.now } = options;
  let count = 0;
  let openedAt: number | undefined;
  let trying = false;

  return {
    get state() {
      if (openedAt === undefined) return 'closed';
      return trying || now() >= openedAt + openMs ? 'half-open' : 'open';
    },
    get retryAt() {
      return openedAt === undefined ? undefined : openedAt + openMs;
    },
    enter() {
      if (openedAt === undefined) return true;
      if (trying || now() < openedAt + openMs) return false;
      trying = true;
      return true;
    },
    succeeded() {
      count = 0;
      openedAt = undefined;
      trying = false;
    },
    failed() {
      count++;
      if (trying || count >= failures) openedAt = now();
      trying = false;
    },
    abandoned() {
      trying = false;
    },
  };
}
