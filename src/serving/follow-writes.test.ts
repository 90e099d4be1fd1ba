import { expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { createListeners } from '../async/listeners.ts';
import { followWrites } from './follow-writes.ts';

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

function following(read: () => Promise<void>) {
  const writes = createListeners();
  const errors: string[] = [];
  const stop = followWrites(writes.add, read, ({ message }) => errors.push(message));
  return { write: () => writes.call(), errors, stop };
}

test('a write during a reading is read afterwards, and many in a row are read together', async () => {
  let written = 0;
  let seen = 0;
  let readings = 0;
  const { write, stop } = following(async () => {
    const now = written;
    readings++;
    await soon();
    seen = now;
  });
  for (let times = 0; times < 200; times++) {
    written++;
    write();
    if (times % 10 === 0) await soon();
  }
  await eventually(() => expect(seen).toBe(200));
  expect(readings).toBeLessThan(20);
  stop();
});

test('a failed reading is reported, and the next write is read; none is after the end', async () => {
  let readings = 0;
  const { write, errors, stop } = following(() => {
    readings++;
    return readings === 1 ? Promise.reject(new Error('the store is away')) : Promise.resolve();
  });
  write();
  await eventually(() => expect(errors).toEqual(['the store is away']));
  write();
  await eventually(() => expect(readings).toBe(2));
  write();
  stop();
  write();
  await soon();
  await soon();
  expect(readings).toBe(2);
});
