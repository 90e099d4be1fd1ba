import { expect, test } from 'vitest';
import { createBoundedCache } from './bounded-cache.ts';

test('a full cache evicts the least recently used value', () => {
  const cache = createBoundedCache<string, Uint8Array>(100);
  for (const name of ['a', 'b', 'c', 'd']) cache.put(name, new Uint8Array(25), 25);
  cache.get('a');
  cache.put('e', new Uint8Array(20), 20);
  expect(cache.get('b')).toBeUndefined();
  expect(cache.get('a')).toHaveLength(25);
  expect(cache.get('e')).toHaveLength(20);
});

test('the cache makes room even if all values were used, and spares a value once per use', () => {
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

test('the cache does not store a file that would evict a quarter of the others', () => {
  const cache = createBoundedCache<string, Uint8Array>(100, 25);
  cache.put('large', new Uint8Array(26), 26);
  expect(cache.get('large')).toBeUndefined();
});

test('the cache counts a replaced value once, and stores no value that is too large', () => {
  const bounded = createBoundedCache<string, string>(10);
  bounded.put('a', 'A', 9);
  bounded.put('a', 'B', 2);
  bounded.put('b', 'C', 8);
  expect([bounded.get('a'), bounded.get('b')]).toEqual(['B', 'C']);
  bounded.put('c', 'D', 11);
  expect([bounded.get('a'), bounded.get('b'), bounded.get('c')]).toEqual(['B', 'C', undefined]);
  bounded.delete('a');
  bounded.clear();
  expect([bounded.get('a'), bounded.get('b')]).toEqual([undefined, undefined]);
});

test('a cache limited by count keeps the newest values', () => {
  const bounded = createBoundedCache<string, number>(2);
  for (const [value, key] of ['a', 'b', 'c'].entries()) bounded.put(key, value, 1);
  expect([bounded.get('a'), bounded.get('b'), bounded.get('c')]).toEqual([undefined, 1, 2]);
});
