import { expect, test } from 'vitest';
import { pathBelow } from './resource-uri.ts';

test('pathBelow() returns the decoded path of a file in the folder of a skill', () => {
  expect(pathBelow('skill://a/b/SKILL.md', 'skill://a/b/SKILL.md')).toBe('SKILL.md');
  expect(pathBelow('skill://a/b/SKILL.md', 'skill://a/b/c%20d/e.md')).toBe('c d/e.md');
  expect(pathBelow('github://o/r/b/SKILL.md', 'github://o/r/b/x y.md')).toBe('x y.md');
});

test('pathBelow() returns the whole URI of a file elsewhere', () => {
  for (const uri of ['skill://a/bc/x.md', 'skill://a/x.md', 'other://a/b/x.md', 'skill://a/b/../x.md'])
    expect(pathBelow('skill://a/b/SKILL.md', uri)).toBe(uri);
});
