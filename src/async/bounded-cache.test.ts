import { expect, test } from 'vitest';
import { createBoundedCache } from './bounded-cache.ts';

test('the cache gives up what was not used for longest when it is full', () => {
  const cache = createBoundedCache<string, Uint8Array>(100);
  for (const name of ['a', 'b', 'c', 'd']) cache.put(name, new Uint8Array(25), 25);
  cache.get('a');
  cache.put('e', new Uint8Array(20), 20);
  expect(cache.get('b')).toBeUndefined();
  expect(cache.get('a')).toHaveLength(25);
  expect(cache.get('e')).toHaveLength(20);
});

test('the cache makes room also where all was asked for, and spares nothing twice for one question', () => {
  const cache = createBoundedCache<string, Uint8Array>(100);
  for (const name of ['a', 'b', 'c', 'd']) cache.put(name, new Uint8Array(25), 25);
  for (const name of ['a', 'b', 'c', 'd']) cache.get(name);
  cache.put('e', new Uint8Array(25), 25);
  expect(['a', 'b', 'c', 'd', 'e'].filter((name) => cache.get(name) !== undefined)).toEqual(['b', 'c', 'd', 'e']);

  const once = createBoundedCache<string, Uint8Array>(100);
  for (const name of ['a', 'b', 'c', 'd']) once.put(name, new Uint8Array(25), 25);
  once.get('a');
  for (const name of ['e', 'f', 'g', 'h']) once.put(name, new Uint8Array(25), 25);
  expect(once.get('a')).toBeUndefined();
  expect(once.get('e')).toHaveLength(25);
});

test('the cache does not keep a file that would push out a quarter of the others', () => {
  const cache = createBoundedCache<string, Uint8Array>(100, 25);
  cache.put('large', new Uint8Array(26), 26);
  expect(cache.get('large')).toBeUndefined();
});

test('the cache counts a value that is replaced once, and keeps none that is too large', () => {
  const kept = createBoundedCache<string, string>(10);
  kept.put('a', 'A', 9);
  kept.put('a', 'B', 2);
  kept.put('b', 'C', 8);
  expect([kept.get('a'), kept.get('b')]).toEqual(['B', 'C']);
  kept.put('c', 'D', 11);
  expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual(['B', 'C', undefined]);
  kept.delete('a');
  kept.clear();
  expect([kept.get('a'), kept.get('b')]).toEqual([undefined, undefined]);
});

test('the cache of a number of values keeps the newest', () => {
  const kept = createBoundedCache<string, number>(2);
  for (const [value, key] of ['a', 'b', 'c'].entries()) kept.put(key, value, 1);
  expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual([undefined, 1, 2]);
});
