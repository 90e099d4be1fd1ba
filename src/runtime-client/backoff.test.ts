import { expect, test } from 'vitest';
import { createBackoff } from './wire.ts';

test('createBackoff() doubles the pause up to the maximum, and starts again after a lasting connection', () => {
  const backoff = createBackoff(() => 1);
  expect([1, 2, 3, 4, 5, 6, 7].map(() => backoff.next(false))).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ]);
  backoff.settled();
  expect(backoff.next(false)).toBe(1_000);
});

test('createBackoff() waits much longer after a refusal', () => {
  const backoff = createBackoff(() => 1);
  expect([1, 2, 3, 4, 5].map(() => backoff.next(true))).toEqual([30_000, 60_000, 120_000, 240_000, 300_000]);
});

test('createBackoff() spreads pauses randomly over their second half', () => {
  expect(createBackoff(() => 0).next(false)).toBe(500);
});
