import { expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { isPassingFailure, isPassingStatus, retryAfter, retryWait } from './retry.ts';

test('retryWait() grows and varies by half to both sides', () => {
  const { retryMs } = limits.outbound;
  expect(retryWait(0, () => 0)).toBe(retryMs / 2);
  expect(retryWait(0, () => 1)).toBe(retryMs * 1.5);
  expect(retryWait(2, () => 0.5)).toBe(retryMs * 4);
});

test('retryAfter() reads seconds and dates', () => {
  expect(retryAfter('3')).toBe(3_000);
  expect(retryAfter('Thu, 01 Jan 1970 00:00:10 GMT', 4_000)).toBe(6_000);
  expect(retryAfter('Thu, 01 Jan 1970 00:00:10 GMT', 40_000)).toBe(0);
  expect(retryAfter('soon')).toBeUndefined();
  expect(retryAfter(undefined)).toBeUndefined();
});

test('only failures that may pass are retried', () => {
  expect([429, 502, 503, 504].every(isPassingStatus)).toBe(true);
  expect([200, 400, 401, 404, 500].some(isPassingStatus)).toBe(false);
  const failure = (reason: string): SkillwireError => new SkillwireError('UNREACHABLE', 'x', { data: { reason } });
  expect(isPassingFailure(failure('ECONNRESET'))).toBe(true);
  expect(isPassingFailure(failure('CERT_HAS_EXPIRED'))).toBe(false);
  expect(isPassingFailure(new SkillwireError('TIMED_OUT', 'x', { data: { reason: 'ECONNRESET' } }))).toBe(false);
  expect(isPassingFailure(new Error('x'))).toBe(false);
});
