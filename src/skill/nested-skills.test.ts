import { expect, test } from 'vitest';
import { folderPath, hasFilesIn, nestedOf, pathsAround } from './nested-skills.ts';

const file = (uri: string) => ({ uri, digest: '', size: 0 });
const outer = {
  uri: 'skill://a/SKILL.md',
  resources: ['skill://a/SKILL.md', 'skill://a/b/skill.MD', 'skill://a/b/x.txt', 'skill://a/bc/y.txt'].map(file),
};

test('finds nested SKILL.md files, in any case', () => {
  expect(nestedOf(outer)).toEqual(['skill://a/b/skill.MD']);
  expect(nestedOf({ uri: 'skill://a/SKILL.md', resources: 'dynamic' })).toEqual([]);
});

test('decodes the folder of a file, and lists its parents', () => {
  expect(folderPath('skill://a/b%20c/SKILL.md')).toBe('a/b c');
  expect(folderPath('other://a/%62/SKILL.md')).toBe('a/b');
  expect([...pathsAround('a/b/c')]).toEqual(['a/b', 'a']);
  expect([...pathsAround('a')]).toEqual([]);
});

test('lists the folders with files of a skill', () => {
  expect(['a/b', 'a/bc', 'a/c'].map((folder) => hasFilesIn(outer, folder))).toEqual([true, true, false]);
  expect(hasFilesIn({ resources: 'dynamic' }, 'a/anything')).toBe(true);
});
