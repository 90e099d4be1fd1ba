import { expect, test } from 'vitest';
import { memoryStore } from '../store/memory-store.ts';
import { decisionFeed } from './decision-feed.ts';

test('subscribe() calls back after writes, until it is stopped', async () => {
  const store = memoryStore();
  const feed = decisionFeed(
    async () => store,
    (error) => {
      throw error;
    },
  );
  let calls = 0;
  const end = feed.subscribe(() => calls++);
  await expect.poll(() => calls).toBe(1);
  await store.state.set(['disabled', 'docs'], { at: '2026-01-01T00:00:00.000Z' });
  await expect.poll(() => calls).toBe(2);
  end();
  await store.state.set(['disabled', 'other'], { at: '2026-01-01T00:00:00.000Z' });
  await store.state.set(['disabled', 'third'], { at: '2026-01-01T00:00:00.000Z' });
  expect(calls).toBe(2);
});

test('subscribe() follows nothing if it is stopped before the store is open', async () => {
  const store = memoryStore();
  let followed = 0;
  let opened: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const feed = decisionFeed(
    async () => {
      await gate;
      return {
        state: {
          ...store.state,
          follow: (listener) => {
            followed++;
            return store.state.follow(listener);
          },
        },
      };
    },
    () => {},
  );
  feed.subscribe(() => {
    throw new Error('called back after the end');
  })();
  opened?.();
  await gate;
  await feed.read();
  expect(followed).toBe(0);
});

test('subscribe() reports a store that cannot be opened', async () => {
  const errors: string[] = [];
  const feed = decisionFeed(
    () => Promise.reject(new Error('no disk')),
    ({ message }) => errors.push(message),
  );
  feed.subscribe(() => {});
  await expect.poll(() => errors).toEqual(['no disk']);
});
