import { expect, test } from 'vitest';
import { decodingTurn } from './wire.ts';

test('decodingTurn() comes in order, and lets the event loop look around in between', async () => {
  const seen: string[] = [];
  const turns = ['first', 'second', 'third'].map(async (name) => {
    await decodingTurn();
    seen.push(name);
    // What is due in the meantime: a turn that ran right after the other would come before it.
    setImmediate(() => seen.push(`after ${name}`));
  });
  await Promise.all(turns);
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toEqual(['first', 'after first', 'second', 'after second', 'third', 'after third']);
});
