import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { createPathSet, encodePath, relativePathFault } from './relative-path.ts';

describe('relativePathFault()', () => {
  test.each(['SKILL.md', 'a/b/c d.md', 'ü.md', '.hidden'])('accepts %s', (path) => {
    expect(relativePathFault(path)).toBeUndefined();
  });

  test.each<[path: unknown, fault: string]>([
    [5, 'is not text'],
    ['', 'is empty'],
    ['/a', 'starts with a slash'],
    ['a//b', 'has a segment that is empty'],
    ['a/', 'has a segment that is empty'],
    ['..', 'means another folder'],
    ['a/../b', 'has a segment that is ".."'],
    ['a\\b', 'contains a backslash'],
    ['a\0', 'contains a NUL'],
    ['x'.repeat(limits.path.characters + 1), 'characters'],
    [
      Array(limits.path.depth + 1)
        .fill('a')
        .join('/'),
      'levels',
    ],
  ])('refuses %j', (path, fault) => {
    expect(relativePathFault(path)).toContain(fault);
  });
});

test('createPathSet() refuses paths that cannot exist side by side', () => {
  const paths = createPathSet();
  expect(paths.add('a/b')).toBeUndefined();
  expect(paths.add('a/b')).toBe('is listed twice');
  expect(paths.add('A/B')).toContain('only by case');
  expect(paths.add('a')).toContain('is a file, but "a/b" is below it');
  expect(paths.add('a/b/c')).toContain('is below "a/b", which is a file');
  expect(paths.add('a/c')).toBeUndefined();
});

test('encodePath() encodes each segment', () => {
  expect(encodePath('a b/c?d/u\u0308')).toBe('a%20b/c%3Fd/%C3%BC');
});
