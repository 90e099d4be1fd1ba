import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { createBreaker, createCallGuard } from './call-guard.ts';

const forever = (): Promise<never> => new Promise(() => undefined);
const fails = (code: 'UNREACHABLE' | 'ORIGIN_FAILED') => () => Promise.reject(new SkillwireError(code, 'no'));

function guardOf(options: Partial<Parameters<typeof createCallGuard>[0]> = {}) {
  return createCallGuard({ label: 'docs', deadlineMs: 50, concurrency: 2, ...options });
}

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'ok',
    (error: SkillwireError) => error.code,
  );

describe('createCallGuard()', () => {
  test('ends a call at its deadline even if it ignores its signal', async () => {
    const guard = guardOf();
    let aborted = false;
    const work = (signal: AbortSignal): Promise<never> => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return forever();
    };
    expect(await codeOf(guard.run('list', undefined, work))).toBe('TIMED_OUT');
    expect([aborted, guard.counts.failed]).toEqual([true, 1]);
  });

  test('renews the deadline while the upstream is alive, up to the limit', async () => {
    const guard = guardOf({ deadlineMs: 200 });
    const slow = async (_: AbortSignal, alive: () => void): Promise<string> => {
      for (let step = 0; step < 4; step++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        alive();
      }
      return 'done';
    };
    expect(await guard.run('list', undefined, slow, 60_000)).toBe('done');
    expect(await codeOf(guard.run('list', undefined, slow, 150))).toBe('TIMED_OUT');
  });

  test('limits parallel calls, and cancels waiting ones at their deadline', async () => {
    const guard = guardOf({ concurrency: 1, deadlineMs: 100 });
    let most = 0;
    let now = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now--;
    };
    await Promise.all([1, 2, 3].map(() => guard.run('read', undefined, work)));
    expect(most).toBe(1);
    const hanging = codeOf(guard.run('read', undefined, forever));
    expect(await codeOf(guard.run('read', undefined, work))).toBe('TIMED_OUT');
    expect([await hanging, guard.counts.refused]).toEqual(['TIMED_OUT', 1]);
    expect(await codeOf(guard.run('read', undefined, work))).toBe('ok');
  });

  test('refuses a call if too many are waiting', async () => {
    const guard = guardOf({ concurrency: 1, deadlineMs: 60_000 });
    const controller = new AbortController();
    const waiting = Array.from({ length: limits.gateway.waiting + 1 }, () =>
      guard.run('read', controller.signal, forever),
    );
    const ended = Promise.allSettled(waiting);
    await expect(guard.run('read', undefined, forever)).rejects.toThrow('are already waiting');
    controller.abort();
    await ended;
  });

  test('makes no call while the breaker is open; an error answer counts as an answer, a canceled call as nothing', async () => {
    const guard = guardOf({ breaker: createBreaker({ failures: 2, openMs: 60_000 }) });
    for (let count = 0; count < 5; count++) await codeOf(guard.run('get', undefined, fails('ORIGIN_FAILED')));
    expect(guard.breaker.state).toBe('closed');
    const given = new AbortController();
    const interrupted = codeOf(guard.run('get', given.signal, forever));
    given.abort();
    expect(await interrupted).toBe('INTERRUPTED');
    for (let count = 0; count < 2; count++) await codeOf(guard.run('get', undefined, fails('UNREACHABLE')));
    let called = false;
    const work = async (): Promise<void> => {
      called = true;
    };
    await expect(guard.run('get', undefined, work)).rejects.toThrow('failed repeatedly');
    expect([called, guard.counts.refused]).toEqual([false, 1]);
  });

  test('turns a foreign error into a SkillwireError', async () => {
    const work = (): Promise<never> => Promise.reject(new TypeError('bad'));
    expect(await codeOf(guardOf().run('get', undefined, work))).toBe('ORIGIN_FAILED');
  });
});
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

test('a failed attempt opens the breaker as long again, and a canceled one lets the next try', () => {
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

test('a success resets the count of failures', () => {
  const breaker = createBreaker({ failures: 2 });
  breaker.failed();
  breaker.succeeded();
  breaker.failed();
  expect(breaker.state).toBe('closed');
});
