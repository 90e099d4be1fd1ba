import { expect, test } from 'vitest';
import { wrapped } from './wrapped.ts';

test.each([
  ['one two three', 20, '', 'one two three'],
  ['one two three', 7, '', 'one two\nthree'],
  ['one two three', 9, '    ', 'one two\n    three'],
  ['sha256:0123456789 x', 5, '', 'sha256:0123456789\nx'],
  ['漢字 漢字', 5, '', '漢字\n漢字'],
  ['', 5, '', ''],
  ['a b', Number.POSITIVE_INFINITY, '', 'a b'],
])('wraps %j at %d', (text, width, indent, expected) => {
  expect(wrapped(text, width, indent)).toBe(expected);
});
