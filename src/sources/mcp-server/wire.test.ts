import { expect, test } from 'vitest';
import { decodingTurn } from './wire.ts';

test('decodingTurn() runs in order, and lets the event loop run in between', async () => {
  const seen: string[] = [];
  const turns = ['first', 'second', 'third'].map(async (name) => {
    await decodingTurn();
    seen.push(name);
    // Other turns of the event loop run in between.
    setImmediate(() => seen.push(`after ${name}`));
  });
  await Promise.all(turns);
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toEqual(['first', 'after first', 'second', 'after second', 'third', 'after third']);
});
