import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pathInside, shownPath } from './shown-path.ts';

const cwd = resolve('/a/b');

describe('shownPath()', () => {
  test('is relative below the working folder and absolute elsewhere', () => {
    expect(shownPath(cwd, resolve('/a/b/c'))).toBe('c');
    expect(shownPath(cwd, 'c')).toBe('c');
    expect(shownPath(cwd, resolve('/a/b/..c'))).toBe('..c');
    expect(shownPath(cwd, cwd)).toBe('.');
    expect(shownPath(cwd, resolve('/a/bc'))).toBe(resolve('/a/bc'));
    expect(shownPath(cwd, '../x')).toBe(resolve('/a/x'));
    expect(shownPath(cwd, resolve('/a'))).toBe(resolve('/a'));
  });

  test('keeps the address of a repository', () => {
    expect(shownPath(cwd, 'https://github.com/acme/skills.git/a/SKILL.md')).toBe(
      'https://github.com/acme/skills.git/a/SKILL.md',
    );
  });
});

describe('pathInside()', () => {
  test('is empty for the folder itself and undefined outside', () => {
    expect(pathInside(cwd, '.')).toBe('');
    expect(pathInside(cwd, '..')).toBeUndefined();
  });
});
