import { expect, test } from 'vitest';
import { loadOnce } from './load-once.ts';

test('work runs once for all callers', async () => {
  let runs = 0;
  const value = loadOnce(async () => ++runs);
  expect(value.started()).toBeUndefined();
  expect(await Promise.all([value.get(), value.get()])).toEqual([1, 1]);
  expect(await value.get()).toBe(1);
  expect(await value.started()).toBe(1);
});

test('work runs again after a failure, and all callers of one run get its error', async () => {
  let runs = 0;
  const value = loadOnce(async () => {
    if (++runs === 1) throw new Error('no file descriptors');
    return runs;
  });
  const [first, second] = [value.get(), value.get()];
  await expect(first).rejects.toThrow('no file descriptors');
  await expect(second).rejects.toThrow('no file descriptors');
  expect(value.started()).toBeUndefined();
  expect(await value.get()).toBe(2);
});
