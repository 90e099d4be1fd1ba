import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { isPlainPath } from './file-path.ts';

test.each(['a', 'acme/refunds/SKILL.md', '...', 'a/.../b', '.hidden/x', "A_z-0!~*'().", 'a..', '..a/b.'])(
  'isPlainPath() accepts %j',
  (path) => expect(isPlainPath(path)).toBe(true),
);

test.each([
  '',
  '/',
  '/a',
  'a/',
  'a//b',
  '.',
  '..',
  'a/.',
  'a/../b',
  './a',
  'a b',
  'a%20b',
  'ä',
  'a\\b',
  'a?b',
  'a#b',
  'a:b',
  'a\u0000',
  '\ud800',
])('isPlainPath() leaves %j to the full parser', (path) => expect(isPlainPath(path)).toBe(false));

test('isPlainPath() starts at the given index', () => {
  expect(isPlainPath('skill://a/b', 8)).toBe(true);
  expect(isPlainPath('skill://../b', 8)).toBe(false);
  expect(isPlainPath('skill://', 8)).toBe(false);
});

test('isPlainPath() refuses more segments than a URI may have', () => {
  const path = (segments: number) => Array.from({ length: segments }, () => 'a').join('/');
  expect(isPlainPath(path(limits.uri.segments))).toBe(true);
  expect(isPlainPath(path(limits.uri.segments + 1))).toBe(false);
});

test('a plain path needs no encoding in a URI, and is read back unchanged', () => {
  const text = fc.string({ unit: fc.constantFrom(..."aZ0._-~!*'()/%é \\".split('')), maxLength: 12 });
  fc.assert(
    fc.property(text, (path) => {
      const segments = path.split('/');
      const expected = segments.every(
        (one) => one !== '' && one !== '.' && one !== '..' && encodeURIComponent(one) === one,
      );
      expect(isPlainPath(path)).toBe(expected);
    }),
    { numRuns: 2_000 },
  );
});
