import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortInSlices } from './sort-in-slices.ts';

test('sorts like Array.sort, and keeps the order of equal items', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 9 })), async (numbers) => {
      const items = numbers.map((key, place) => ({ key, place }));
      expect(await sortInSlices(items, (a, b) => a.key - b.key)).toEqual([...items].sort((a, b) => a.key - b.key));
    }),
  );
});

test('lets other work run while it sorts a long list', async () => {
  const items = Array.from({ length: 50_000 }, (_, index) => (index * 7_919) % 50_000);
  let turns = 0;
  const count = setInterval(() => turns++, 0);
  const sorted = await sortInSlices(items, (a, b) => a - b);
  clearInterval(count);
  expect(sorted).toEqual(Array.from({ length: 50_000 }, (_, index) => index));
  expect(turns).toBeGreaterThan(0);
});
