/**
 * Guards the calls to one upstream, so that a bad one does not slow down the others:
 *
 * - A call ends at its deadline, even if the upstream ignores its signal.
 * - The number of running and of waiting calls is limited.
 * - A circuit breaker (sec:X-1) opens after several failures in a row. No call is made for a while, then one call tries: the breaker
 *   closes, or stays open as long again.
 *
 * Calls are counted. A foreign error becomes ORIGIN_FAILED.
 */
import { withDeadline } from '../async/deadline.ts';
import { interrupted } from '../async/unless-aborted.ts';
import { type ErrorCode, reasonOf, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';

export interface CallGuardOptions {
  /** For messages. */
  readonly label: string;
  readonly deadlineMs: number;
  readonly concurrency: number;
  readonly breaker?: Breaker;
  readonly now?: () => number;
}

export interface CallCounts {
  readonly ok: number;
  readonly failed: number;
  /** Not made: the breaker was open, or too many calls were waiting. */
  readonly refused: number;
  /** Total duration of the calls that were made. */
  readonly ms: number;
}

/** Failures of the upstream as a whole, not of one of its skills. */
const unwell: ReadonlySet<ErrorCode> = new Set(['UNREACHABLE', 'TIMED_OUT', 'BAD_ANSWER', 'NOT_AN_INDEX']);

export function createCallGuard(options: CallGuardOptions) {
  const { label, deadlineMs, concurrency, now = Date.now, breaker = createBreaker({ now }) } = options;
  const waiting: (() => void)[] = [];
  const counts = { ok: 0, failed: 0, refused: 0, ms: 0 };
  let running = 0;

  function release(): void {
    running--;
    waiting.shift()?.();
  }

  function suspended(action: string): SkillwireError {
    const left = Math.max(0, (breaker.retryAt ?? now()) - now());
    return new SkillwireError(
      'UNREACHABLE',
      `Cannot ${action}: the origin ${quoteText(label)} failed repeatedly. The next attempt is in ${Math.ceil(left / 1000)} s.`,
      { data: { label, reason: 'SUSPENDED' } },
    );
  }

  /** Waits for a free slot, at most as long as a call may take. */
  function turn(action: string, signal: AbortSignal | undefined): Promise<void> | undefined {
    if (running < concurrency) {
      running++;
      return undefined;
    }
    if (waiting.length >= limits.gateway.waiting) throw busy(action, label, waiting.length);
    return new Promise((resolve, reject) => {
      const leave = (error: SkillwireError): void => {
        const place = waiting.indexOf(enter);
        if (place === -1) return;
        waiting.splice(place, 1);
        settle();
        reject(error);
      };
      const onAbort = (): void => leave(interrupted(action));
      const timer = setTimeout(() => leave(timedOut(action, label, deadlineMs)), deadlineMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      function settle(): void {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      }
      function enter(): void {
        running++;
        settle();
        resolve();
      }
      waiting.push(enter);
    });
  }

  function asSkillwireError(error: unknown, action: string): SkillwireError {
    if (error instanceof SkillwireError) return error;
    const message = reasonOf(error);
    return new SkillwireError(
      'ORIGIN_FAILED',
      `Cannot ${action}: the origin ${quoteText(label)} failed: ${quoteText(message)}`,
      { data: { label }, cause: error },
    );
  }

  return {
    breaker,
    counts,
    /**
     * @param work gets a signal, and a function that renews the deadline while the upstream is alive
     * @param longestMs limit of the whole call, however often the deadline is renewed
     */
    async run<T>(
      action: string,
      signal: AbortSignal | undefined,
      work: (signal: AbortSignal, alive: () => void) => Promise<T>,
      longestMs?: number,
    ): Promise<T> {
      if (signal?.aborted === true) throw interrupted(action);
      try {
        await turn(action, signal);
      } catch (error) {
        counts.refused++;
        throw error;
      }
      if (!breaker.enter()) {
        release();
        counts.refused++;
        throw suspended(action);
      }
      const started = now();
      try {
        const result = await withDeadline(
          {
            ms: deadlineMs,
            mostMs: longestMs,
            signal,
            late: (ms) => timedOut(action, label, ms),
            interrupted: () => interrupted(action),
          },
          work,
        );
        breaker.succeeded();
        counts.ok++;
        return result;
      } catch (error) {
        const failure = asSkillwireError(error, action);
        if (failure.code === 'INTERRUPTED' || failure.code === 'CLOSED') breaker.abandoned();
        else {
          counts.failed++;
          // Any other error is an answer, so the upstream is alive.
          if (unwell.has(failure.code)) breaker.failed();
          else breaker.succeeded();
        }
        throw failure;
      } finally {
        counts.ms += now() - started;
        release();
      }
    },
  };
}

function timedOut(action: string, label: string, ms: number): SkillwireError {
  return new SkillwireError(
    'TIMED_OUT',
    `Cannot ${action}: the origin ${quoteText(label)} did not answer within ${ms} ms. Try again later.`,
    { data: { label, deadlineMs: ms } },
  );
}

function busy(action: string, label: string, count: number): SkillwireError {
  return new SkillwireError(
    'UNREACHABLE',
    `Cannot ${action}: ${count} calls to the origin ${quoteText(label)} are already waiting. Try again later.`,
    { data: { label, reason: 'BUSY' } },
  );
}

export type BreakerState = 'closed' | 'open' | 'half-open';

export interface BreakerOptions {
  readonly failures?: number;
  readonly openMs?: number;
  readonly now?: () => number;
}

export function createBreaker(options: BreakerOptions = {}) {
  const { failures = limits.gateway.breakerFailures, openMs = limits.gateway.breakerOpenMs, now = Date.now } = options;
  let count = 0;
  let openedAt: number | undefined;
  let trying = false;

  return {
    get state(): BreakerState {
      if (openedAt === undefined) return 'closed';
      return trying || now() >= openedAt + openMs ? 'half-open' : 'open';
    },
    /** When the next call may try; `undefined` while the breaker is closed. */
    get retryAt(): number | undefined {
      return openedAt === undefined ? undefined : openedAt + openMs;
    },
    /** Whether a call may be made now. If so, the caller must report its outcome. */
    enter(): boolean {
      if (openedAt === undefined) return true;
      if (trying || now() < openedAt + openMs) return false;
      trying = true;
      return true;
    },
    succeeded(): void {
      count = 0;
      openedAt = undefined;
      trying = false;
    },
    failed(): void {
      count++;
      if (trying || count >= failures) openedAt = now();
      trying = false;
    },
    /** The call ended without an outcome. */
    abandoned(): void {
      trying = false;
    },
  };
}

export type Breaker = ReturnType<typeof createBreaker>;
