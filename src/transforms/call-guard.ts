/**
 * Calls to one upstream, so that it costs the others nothing: each ends at its deadline, whether or not the upstream listens to its
 * signal; only so many run at the same time and only so many wait; after failures in a row none is made until one has tried.
 * Counts what happened. An error that is not ours becomes ORIGIN_FAILED.
 */
import { withDeadline } from '../async/deadline.ts';
import { interrupted } from '../async/unless-aborted.ts';
import { type ErrorCode, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { type Breaker, createBreaker } from './breaker.ts';

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
  /** Not made, because the breaker was open or too many waited. */
  readonly refused: number;
  /** Of all calls that were made. */
  readonly ms: number;
}

export interface CallGuard {
  readonly breaker: Breaker;
  readonly counts: CallCounts;
  /**
   * @param work gets a signal, and a function by which it says that the upstream is alive, which renews its deadline
   * @param longestMs of the whole call, where it may renew its deadline
   */
  run<T>(
    action: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal, alive: () => void) => Promise<T>,
    longestMs?: number,
  ): Promise<T>;
}

/** Failures that say that the upstream is not well, and not only one of its skills. */
const unwell: ReadonlySet<ErrorCode> = new Set(['UNREACHABLE', 'TIMED_OUT', 'BAD_ANSWER', 'NOT_AN_INDEX']);

export function createCallGuard(options: CallGuardOptions): CallGuard {
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
      `cannot ${action}: the origin ${quoteText(label)} failed again and again and is left alone; the next try is in ${Math.ceil(left / 1000)} s`,
      { data: { label, reason: 'SUSPENDED' } },
    );
  }

  /** Waits for its turn, at most as long as a call may take. */
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

  function told(error: unknown, action: string): SkillwireError {
    if (error instanceof SkillwireError) return error;
    const message = error instanceof Error ? error.message : String(error);
    return new SkillwireError(
      'ORIGIN_FAILED',
      `cannot ${action}: the origin ${quoteText(label)} failed: ${quoteText(message)}`,
      { data: { label }, cause: error },
    );
  }

  return {
    breaker,
    counts,
    async run(action, signal, work, longestMs) {
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
        const failure = told(error, action);
        if (failure.code === 'INTERRUPTED' || failure.code === 'CLOSED') breaker.abandoned();
        else {
          counts.failed++;
          // Any other answer is one.
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
    `cannot ${action}: the origin ${quoteText(label)} did not answer within ${ms} ms`,
    { data: { label, deadlineMs: ms } },
  );
}

function busy(action: string, label: string, count: number): SkillwireError {
  return new SkillwireError(
    'UNREACHABLE',
    `cannot ${action}: ${count} calls to the origin ${quoteText(label)} are waiting already; try again later`,
    { data: { label, reason: 'BUSY' } },
  );
}
