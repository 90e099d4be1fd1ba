import { expect, test } from 'vitest';
import { sharedWork } from './shared-work.ts';

function pending<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test('sharedWork() runs once for simultaneous callers, and again for later ones', async () => {
  const work = sharedWork('count');
  const first = pending<number>();
  let started = 0;
  const start = (): Promise<number> => {
    started++;
    return first.promise;
  };
  const both = [work.run('a', undefined, start), work.run('a', undefined, start)];
  first.resolve(7);
  expect(await Promise.all(both)).toEqual([7, 7]);
  expect(started).toBe(1);
  await work.run('a', undefined, start);
  expect(started).toBe(2);
});

test('sharedWork() continues for the others when one caller aborts, and stops with the last', async () => {
  const work = sharedWork('count');
  const result = pending<number>();
  const signals: AbortSignal[] = [];
  const start = (signal: AbortSignal): Promise<number> => {
    signals.push(signal);
    return result.promise;
  };
  const [one, two] = [new AbortController(), new AbortController()];
  const first = work.run('a', one.signal, start);
  const second = work.run('a', two.signal, start);
  one.abort();
  await expect(first).rejects.toMatchObject({ code: 'INTERRUPTED' });
  expect(signals[0]?.aborted).toBe(false);
  two.abort();
  await expect(second).rejects.toMatchObject({ code: 'INTERRUPTED' });
  expect(signals[0]?.aborted).toBe(true);
  const third = work.run('a', undefined, start);
  expect(signals).toHaveLength(2);
  result.resolve(1);
  expect(await third).toBe(1);
});

test('sharedWork() rejects for all callers and does not cache the failure', async () => {
  const work = sharedWork('count');
  const failing = [1, 2].map(() => work.run('a', undefined, () => Promise.reject(new Error('no'))));
  for (const one of failing) await expect(one).rejects.toThrow('no');
  expect(await work.run('a', undefined, async () => 3)).toBe(3);
});

test('sharedWork() starts nothing for a caller that has aborted', async () => {
  const work = sharedWork('count');
  let started = false;
  const late = work.run('a', AbortSignal.abort(), async () => {
    started = true;
    return 1;
  });
  await expect(late).rejects.toMatchObject({ code: 'INTERRUPTED' });
  expect(started).toBe(false);
});

test('sharedWork() that outlives its callers continues for the next one', async () => {
  const work = sharedWork('count', true);
  const result = pending<number>();
  const signals: AbortSignal[] = [];
  const start = (signal: AbortSignal): Promise<number> => {
    signals.push(signal);
    return result.promise;
  };
  const leaving = new AbortController();
  const first = work.run('a', leaving.signal, start);
  leaving.abort();
  await expect(first).rejects.toMatchObject({ code: 'INTERRUPTED' });
  const second = work.run('a', undefined, start);
  result.resolve(2);
  expect(await second).toBe(2);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});
