import { expect, test } from 'vitest';
import { createFoundByUri } from './found-by-uri.ts';

test('createFoundByUri() gives back what was found, and never holds more than it may', () => {
  const files = createFoundByUri<number>(2);
  files.put('a', 1);
  files.put('b', 2);
  expect([files.get('a'), files.get('b')]).toEqual([1, 2]);
  files.put('c', 3);
  expect([files.get('a'), files.get('b'), files.get('c')]).toEqual([undefined, undefined, 3]);
  files.clear();
  expect(files.get('c')).toBeUndefined();
});
