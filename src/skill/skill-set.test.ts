import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SkillEntry, SkillResource } from './entry.ts';
import { type SkillSet, sameSet, setDifference, setDigest, setOf } from './skill-set.ts';

const digest = (letter: string): string => `sha256:${letter.repeat(64)}`;
const file = (name: string, letter: string): SkillResource => ({
  uri: `skill://a/${name}`,
  digest: digest(letter),
  size: 1,
});

function entryOf(...resources: readonly SkillResource[]): SkillEntry {
  return { uri: 'skill://a/SKILL.md', frontmatter: { name: 'a', description: 'b' }, resources };
}

const set = (...files: readonly SkillResource[]): SkillSet => setOf(entryOf(...files)) ?? [];

test('setOf() returns URIs and digests sorted by URI, whatever the order of the entry', () => {
  const expected = [
    { uri: 'skill://a/SKILL.md', digest: digest('1') },
    { uri: 'skill://a/b.md', digest: digest('2') },
  ];
  expect(set(file('SKILL.md', '1'), file('b.md', '2'))).toEqual(expected);
  expect(set(file('b.md', '2'), file('SKILL.md', '1'))).toEqual(expected);
});

test('setOf() returns nothing for a dynamic skill', () => {
  expect(setOf({ ...entryOf(), resources: 'dynamic' })).toBeUndefined();
});

test('setDigest() hashes one line per file', async () => {
  const lines = `${digest('1')} skill://a/SKILL.md\n${digest('2')} skill://a/b.md\n`;
  expect(await setDigest(set(file('b.md', '2'), file('SKILL.md', '1')))).toBe(
    `sha256:${createHash('sha256').update(lines).digest('hex')}`,
  );
});

test('setDigest() differs for all sets that sameSet() distinguishes', async () => {
  const files = fc.uniqueArray(fc.tuple(fc.constantFrom('SKILL.md', 'b', 'c', 'd'), fc.constantFrom('1', '2')), {
    selector: ([name]) => name,
  });
  await fc.assert(
    fc.asyncProperty(files, files, async (one, two) => {
      const [a, b] = [set(...one.map(([n, l]) => file(n, l))), set(...two.map(([n, l]) => file(n, l)))];
      expect((await setDigest(a)) === (await setDigest(b))).toBe(sameSet(a, b));
      const { added, removed, changed } = setDifference(a, b);
      expect(added.length + removed.length + changed.length === 0).toBe(sameSet(a, b));
    }),
  );
});

test('sameSet() distinguishes another digest, another file and a missing file', () => {
  const one = set(file('SKILL.md', '1'), file('b', '2'));
  expect(sameSet(one, set(file('b', '2'), file('SKILL.md', '1')))).toBe(true);
  expect(sameSet(one, set(file('SKILL.md', '1'), file('b', '3')))).toBe(false);
  expect(sameSet(one, set(file('SKILL.md', '1'), file('c', '2')))).toBe(false);
  expect(sameSet(one, set(file('SKILL.md', '1')))).toBe(false);
  expect(sameSet(set(file('SKILL.md', '1')), one)).toBe(false);
});

test('setDifference() lists added, removed and changed files', () => {
  const before = set(file('SKILL.md', '1'), file('gone', '2'), file('kept', '3'));
  const after = set(file('SKILL.md', '4'), file('kept', '3'), file('new', '5'));
  expect(setDifference(before, after)).toEqual({
    added: ['skill://a/new'],
    removed: ['skill://a/gone'],
    changed: ['skill://a/SKILL.md'],
  });
});
