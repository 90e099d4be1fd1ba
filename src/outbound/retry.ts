/**
 * Decides whether an idempotent request is retried, and after how long (sec:N-9). Waits grow and vary, so that many
 * clients do not return at the same moment. `Retry-After` is honored up to a limit.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';

const passingStatus = new Set([429, 502, 503, 504]);
const passingFailures = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ECONNABORTED', 'EAI_AGAIN', 'TRUNCATED']);

/** True for statuses that may soon change. */
export function isPassingStatus(status: number): boolean {
  return passingStatus.has(status);
}

/** True for connection failures that may soon pass. */
export function isPassingFailure(error: unknown): boolean {
  return (
    error instanceof SkillwireError && error.code === 'UNREACHABLE' && passingFailures.has(String(error.data['reason']))
  );
}

/** Milliseconds before the retry with this number, counted from 0. */
export function retryWait(attempt: number, random: () => number = Math.random): number {
  return limits.outbound.retryMs * 2 ** attempt * (0.5 + random());
}

/** The milliseconds that `Retry-After` asks for; `undefined` if it is missing or unreadable. */
export function retryAfter(value: string | undefined, now: number = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
