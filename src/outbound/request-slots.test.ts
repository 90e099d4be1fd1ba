import { expect, test } from 'vitest';
import { createRequestSlots } from './request-slots.ts';

test('createRequestSlots() limits running requests, in total and per origin', async () => {
  const slots = createRequestSlots(3, 2);
  const order: string[] = [];
  const take = async (origin: string): Promise<() => void> => {
    const free = await slots.take(origin);
    order.push(origin);
    return free;
  };
  const first = await take('a');
  await take('a');
  const third = take('a');
  const other = await take('b');
  const full = take('c');
  expect(order).toEqual(['a', 'a', 'b']);
  other();
  (await full)();
  expect(order).toEqual(['a', 'a', 'b', 'c']);
  first();
  first();
  await third;
  expect(order).toEqual(['a', 'a', 'b', 'c', 'a']);
});

test('an aborted request leaves the line', async () => {
  const slots = createRequestSlots(1, 1);
  const free = await slots.take('a');
  const controller = new AbortController();
  const waiting = slots.take('a', controller.signal);
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(slots.take('a', controller.signal)).rejects.toThrow('enough');
  free();
  expect(slots.take('a')).toBeInstanceOf(Function);
});
