import { expect, test } from 'vitest';
import { isTooDeep } from './json-bounds.ts';

test('isTooDeep() counts arrays and objects, but not brackets in strings', () => {
  expect(isTooDeep('[{"a":[]}]', 3)).toBe(false);
  expect(isTooDeep('[{"a":[]}]', 2)).toBe(true);
  expect(isTooDeep('[[],[],[]]', 2)).toBe(false);
  expect(isTooDeep('["[[[\\"[[["]', 1)).toBe(false);
  expect(isTooDeep('"unfinished [[[', 1)).toBe(false);
});
