import { expect, test } from 'vitest';
import { createListeners } from './listeners.ts';

test('calls every listener until it is removed, also if one is removed meanwhile', () => {
  const listeners = createListeners<number>();
  const heard: string[] = [];
  const stopFirst = listeners.add((value) => heard.push(`first ${value}`));
  listeners.add((value) => {
    heard.push(`second ${value}`);
    stopFirst();
  });
  listeners.call(1);
  listeners.call(2);
  expect(heard).toEqual(['first 1', 'second 1', 'second 2']);
  listeners.clear();
  listeners.call(3);
  expect([heard.length, listeners.size]).toEqual([3, 0]);
});

test('reports the end of the last listener once', () => {
  const listeners = createListeners();
  const ends: string[] = [];
  const stops = ['a', 'b'].map((name) =>
    listeners.add(
      () => undefined,
      () => ends.push(name),
    ),
  );
  for (const stop of stops) stop();
  stops[1]?.();
  expect(ends).toEqual(['b']);
});
