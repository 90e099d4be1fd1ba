import { expect, test } from 'vitest';
import { inParallel } from './in-parallel.ts';

test('works on all items, never on more than allowed, and keeps their order', async () => {
  let running = 0;
  let most = 0;
  const results = await inParallel([3, 1, 2, 0], 2, async (turns) => {
    most = Math.max(most, ++running);
    for (let turn = 0; turn < turns; turn++) await undefined;
    running--;
    return turns * 10;
  });
  expect([results, most]).toEqual([[30, 10, 20, 0], 2]);
});

test('begins no further item after an error, and awaits those that run', async () => {
  const seen: string[] = [];
  const work = async (item: string): Promise<void> => {
    seen.push(`begin ${item}`);
    if (item === 'bad') throw new Error('bad item');
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(`end ${item}`);
  };
  await expect(inParallel(['slow', 'bad', 'never'], 2, work)).rejects.toThrow('bad item');
  expect(seen).toEqual(['begin slow', 'begin bad', 'end slow']);
});
