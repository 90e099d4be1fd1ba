/**
 * When a request is worth a second try, and after which wait (sec:N-9). Only requests that may be repeated ask here. Waits grow
 * and vary, so that many clients do not come back at the same moment; what the server asks for is honoured up to a limit.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';

const passingStatus = new Set([429, 502, 503, 504]);
const passingFailures = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ECONNABORTED', 'EAI_AGAIN', 'TRUNCATED']);

/** True for answers that may be another one soon. */
export function isPassingStatus(status: number): boolean {
  return passingStatus.has(status);
}

/** True for connections that failed in a way that may be over soon. */
export function isPassingFailure(error: unknown): boolean {
  return (
    error instanceof SkillwireError && error.code === 'UNREACHABLE' && passingFailures.has(String(error.data['reason']))
  );
}

/** The wait before the retry with this number, counted from 0. */
export function retryWait(attempt: number, random: () => number = Math.random): number {
  return limits.outbound.retryMs * 2 ** attempt * (0.5 + random());
}

/** What `Retry-After` asks for in milliseconds, or undefined where it asks for nothing that can be read. */
export function retryAfter(value: string | undefined, now: number = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
