import { expect, test } from 'vitest';
import { type MaybePromise, orElse } from './maybe-promise.ts';

const failure = new Error('failed');
const works: Readonly<Record<string, () => MaybePromise<string>>> = {
  'at once': () => {
    throw failure;
  },
  later: () => Promise.reject(failure),
};

test.each(Object.entries(works))('orElse() recovers from an error that comes %s', async (_when, work) => {
  expect(await orElse(work, (error) => (error as Error).message)).toBe('failed');
  await expect(
    Promise.resolve().then(() =>
      orElse(work, () => {
        throw new Error('worse');
      }),
    ),
  ).rejects.toThrow('worse');
});

test('orElse() returns a synchronous value at once', async () => {
  const never = () => expect.unreachable();
  expect(orElse(() => 1, never)).toBe(1);
  expect(await orElse(async () => 1, never)).toBe(1);
});
