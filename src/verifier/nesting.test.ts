import { describe, expect, test } from 'vitest';
import type { SkillEntry } from '../skill/entry.ts';
import { createFailureList } from './failures.ts';
import { createNestingCheck } from './nesting.ts';

const digestOf = (letter: string): string => `sha256:${letter.repeat(64)}`;

function entry(path: string, ...files: readonly string[]): SkillEntry {
  const resources = files.map((file) => ({ uri: `skill://${path}/${file}`, digest: digestOf('a'), size: 1 }));
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { uri: `skill://${path}/SKILL.md`, frontmatter: { name, description: 'd' }, resources };
}

function failuresOf(...entries: readonly SkillEntry[]): readonly (readonly [string | undefined, string])[] {
  const key = (files: unknown): string => JSON.stringify(files);
  const check = createNestingCheck(key);
  const files = new Map(entries.map(({ uri, resources }) => [uri, key(resources)]));
  for (const item of entries) check.add(item);
  const failures = createFailureList();
  check.finish(files.keys(), (uri) => files.get(uri), failures);
  return failures.list.map(({ uri, message }) => [uri, message]);
}

const outer = entry('outer', 'SKILL.md', 'inner/SKILL.md', 'inner/a.md');
const inner = entry('outer/inner', 'SKILL.md', 'a.md');

describe('createNestingCheck()', () => {
  test('accepts a nested skill whose files are in the outer entry, in either order', () => {
    expect(failuresOf(outer, inner)).toEqual([]);
    expect(failuresOf(inner, outer)).toEqual([]);
    expect(failuresOf(outer)).toEqual([]);
    expect(failuresOf(inner)).toEqual([]);
  });

  test('reports files that only one of the entries has', () => {
    expect(failuresOf(outer, entry('outer/inner', 'SKILL.md'))).toEqual([
      [inner.uri, 'the outer entry has other files: "skill://outer/SKILL.md"'],
    ]);
  });

  test('reports an outer entry that omits a nested skill, at any depth', () => {
    const plain = entry('outer', 'SKILL.md');
    expect(failuresOf(plain, entry('outer/x/y/deep', 'SKILL.md'))).toEqual([
      ['skill://outer/x/y/deep/SKILL.md', 'the outer entry does not list its files: "skill://outer/SKILL.md"'],
    ]);
  });

  test('ignores dynamic skills', () => {
    expect(failuresOf({ ...entry('outer', 'SKILL.md'), resources: 'dynamic' }, inner)).toEqual([]);
    expect(failuresOf(entry('outer', 'SKILL.md'), { ...inner, resources: 'dynamic' })).toEqual([]);
  });

  test('does not read a name with a common prefix as a parent folder', () => {
    expect(failuresOf(entry('out', 'SKILL.md'), inner)).toEqual([]);
  });
});
