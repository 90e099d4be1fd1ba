import { expect, test } from 'vitest';
import { memoryStore } from '../store/memory-store.ts';
import { oneStore } from './one-store.ts';

test('all callers share one store, opened on first use and closed once', async () => {
  let opened = 0;
  let closed = 0;
  const one = oneStore({
    exists: () => false,
    async open() {
      opened++;
      const store = memoryStore();
      return {
        ...store,
        async close() {
          closed++;
          await store.close();
        },
      };
    },
  });
  expect([one.exists(), opened]).toEqual([false, 0]);
  const [first, second] = await Promise.all([one.open(), one.open()]);
  expect([first === second, opened]).toEqual([true, 1]);
  await one.close();
  expect(closed).toBe(1);
  await expect((await one.open()).state.get(['trust', 'x'])).rejects.toMatchObject({ code: 'CLOSED' });
});

test('closing does not open a store', async () => {
  let opened = 0;
  const one = oneStore({
    exists: () => true,
    async open() {
      opened++;
      return memoryStore();
    },
  });
  await one.close();
  expect([one.exists(), opened]).toEqual([true, 0]);
});

test('the next caller repeats a failed attempt, and closing does not fail after it', async () => {
  let attempts = 0;
  const one = oneStore({
    exists: () => false,
    async open() {
      if (++attempts === 1) throw new Error('busy');
      return memoryStore();
    },
  });
  await expect(one.open()).rejects.toThrow('busy');
  await one.close();
  expect(await (await one.open()).state.entries(['approval'])).toEqual([]);
  expect(attempts).toBe(2);
});
