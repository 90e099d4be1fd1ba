import { expect, test } from 'vitest';
import { createByteCache } from './byte-cache.ts';

test('the cache gives up what was not used for longest when it is full', () => {
  const cache = createByteCache(100);
  for (const name of ['a', 'b', 'c', 'd']) cache.put(name, new Uint8Array(25));
  cache.get('a');
  cache.put('e', new Uint8Array(20));
  expect(cache.get('b')).toBeUndefined();
  expect(cache.get('a')).toHaveLength(25);
  expect(cache.get('e')).toHaveLength(20);
});

test('the cache makes room also where all was asked for, and spares nothing twice for one question', () => {
  const cache = createByteCache(100);
  for (const name of ['a', 'b', 'c', 'd']) cache.put(name, new Uint8Array(25));
  for (const name of ['a', 'b', 'c', 'd']) cache.get(name);
  cache.put('e', new Uint8Array(25));
  expect(['a', 'b', 'c', 'd', 'e'].filter((name) => cache.get(name) !== undefined)).toEqual(['b', 'c', 'd', 'e']);

  const once = createByteCache(100);
  for (const name of ['a', 'b', 'c', 'd']) once.put(name, new Uint8Array(25));
  once.get('a');
  for (const name of ['e', 'f', 'g', 'h']) once.put(name, new Uint8Array(25));
  expect(once.get('a')).toBeUndefined();
  expect(once.get('e')).toHaveLength(25);
});

test('the cache does not keep a file that would push out a quarter of the others', () => {
  const cache = createByteCache(100);
  cache.put('large', new Uint8Array(26));
  expect(cache.get('large')).toBeUndefined();
});
