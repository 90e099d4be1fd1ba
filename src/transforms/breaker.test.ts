import { expect, test } from 'vitest';
import { createBreaker } from './breaker.ts';

test('a breaker opens after failures in a row, lets one call try after a while, and closes when that succeeds', () => {
  let now = 0;
  const breaker = createBreaker({ failures: 3, openMs: 1_000, now: () => now });
  for (let count = 0; count < 2; count++) {
    expect(breaker.enter()).toBe(true);
    breaker.failed();
  }
  expect([breaker.state, breaker.retryAt]).toEqual(['closed', undefined]);
  breaker.failed();
  expect([breaker.state, breaker.retryAt, breaker.enter()]).toEqual(['open', 1_000, false]);
  now = 1_000;
  expect([breaker.state, breaker.enter(), breaker.enter()]).toEqual(['half-open', true, false]);
  breaker.succeeded();
  expect([breaker.state, breaker.enter(), breaker.enter()]).toEqual(['closed', true, true]);
});

test('a try that fails opens the breaker for as long again, and one that is given up lets the next one try', () => {
  let now = 0;
  const breaker = createBreaker({ failures: 1, openMs: 100, now: () => now });
  breaker.failed();
  now = 100;
  expect(breaker.enter()).toBe(true);
  breaker.failed();
  expect([breaker.state, breaker.retryAt]).toEqual(['open', 200]);
  now = 200;
  expect(breaker.enter()).toBe(true);
  breaker.abandoned();
  expect(breaker.enter()).toBe(true);
});

test('a success between failures begins the count anew', () => {
  const breaker = createBreaker({ failures: 2 });
  breaker.failed();
  breaker.succeeded();
  breaker.failed();
  expect(breaker.state).toBe('closed');
});
