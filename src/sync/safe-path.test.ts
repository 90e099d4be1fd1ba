/** Names from origins and lock files, and which of them may become files. */
import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { folderNameFault, nameFault, pathsFault, requireSafeNames } from './safe-path.ts';

test.each(['a', 'SKILL.md', '.gitignore', '.github', 'git', 'a b'])('%j can be a name', (name) => {
  expect(nameFault(name)).toBeUndefined();
});

test.each([
  '',
  '.',
  '..',
  'a/b',
  'a\\b',
  'a\0b',
  'e\u0301',
  '.git',
  '.GIT',
  '.hg',
  '.svn',
  '.bzr',
  '.jj',
  'CON',
  'nul.txt',
  'a.',
  'a ',
  'a:b',
])('%j cannot be a name', (name) => {
  expect(nameFault(name)).toEqual(expect.stringMatching(/\w+ .+/));
});

test('the folder of a skill does not start with a dot', () => {
  expect(folderNameFault('alpha')).toBeUndefined();
  expect(folderNameFault('.alpha')).toMatch(/dot/);
  expect(folderNameFault('CON')).toBeDefined();
});

describe('pathsFault()', () => {
  const deep = (segments: number): string => Array.from({ length: segments }, () => 'd').join('/');
  const long = (characters: number): string => {
    const text = Array.from({ length: limits.path.depth - 1 }, () => 'd'.repeat(200)).join('/');
    return text.slice(0, characters).replace(/\/$/, 'd').padEnd(characters, 'd');
  };

  test.each([
    [['SKILL.md', 'a/b.txt', 'a/c.txt', 'b/a/b.txt']],
    [[deep(limits.path.depth)]],
    [[long(limits.path.characters)]],
    [['a/b', 'b/A']],
  ])('finds nothing in %j', (paths) => {
    expect(pathsFault(paths)).toBeUndefined();
  });

  test.each([
    ['too deep', [deep(limits.path.depth + 1)], /too long/],
    ['too long', [long(limits.path.characters + 1)], /too long/],
    ['a bad name at the end', ['a/.git'], /"a\/.git" has a name/],
    ['a bad name at the start', ['../a'], /"..\/a" has a name/],
    ['an empty name', ['a//b'], /has a name/],
    ['one file in two ways', ['a.txt', 'A.txt'], /two files are "A.txt"/],
    ['one folder in two ways', ['a/x', 'A/y'], /"a" and "A" are one folder/],
    ['one deeper folder in two ways', ['x/a/x', 'x/A/y'], /"x\/a" and "x\/A" are one folder/],
    ['a file and a folder', ['a', 'a/b'], /both a file and a folder/],
    ['a folder and then a file', ['a/b/c', 'a/b'], /both a file and a folder/],
    ['a folder and a file of another case', ['A/b', 'a'], /both a file and a folder/],
  ])('finds %s', (_, paths, fault) => {
    expect(pathsFault(paths)).toMatch(fault);
  });

  test('caches good names, and no bad ones', () => {
    const good = new Set<string>();
    expect(pathsFault(['a/b.txt'], good)).toBeUndefined();
    expect(pathsFault(['c/.git'], good)).toBeDefined();
    expect([...good].sort()).toEqual(['a', 'b.txt', 'c']);
    expect(pathsFault(['c/.git'], good)).toBeDefined();
  });
});

test.each<readonly [string, readonly string[]]>([
  ['.alpha', ['SKILL.md']],
  ['alpha', ['SKILL.md', 'skill.MD']],
])('requireSafeNames() refuses %s with %j', (name, paths) => {
  expect(() => requireSafeNames(name, paths)).toThrow(
    expect.objectContaining({ code: 'INVALID_SKILL', data: { name }, message: expect.stringContaining(`"${name}"`) }),
  );
  expect(() => requireSafeNames('alpha', ['SKILL.md'])).not.toThrow();
});
