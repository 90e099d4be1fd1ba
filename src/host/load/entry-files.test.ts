import { expect, test } from 'vitest';
import type { SkillEntry } from '../../skill/entry.ts';
import { entryFiles, resolvableEntry } from './entry-files.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const entry: SkillEntry = {
  uri: 'skill://x/a/SKILL.md',
  frontmatter: { name: 'a', description: 'A.' },
  resources: ['SKILL.md', 'docs/one.md', 'docs/more/two%20words.md'].map((path, size) => ({
    uri: `skill://x/a/${path}`,
    digest,
    size,
  })),
};

test('heldFiles() answers for files and folders from the entry alone', () => {
  const files = entryFiles({ entry });
  expect(files.list.map(({ path }) => path)).toEqual(['SKILL.md', 'docs/one.md', 'docs/more/two words.md']);
  expect(files.directory('')).toEqual([
    { name: 'SKILL.md', path: 'SKILL.md', directory: false, size: 0 },
    { name: 'docs', path: 'docs', directory: true },
  ]);
  for (const path of ['docs', 'docs/', './docs'])
    expect(files.directory(path)).toEqual([
      { name: 'one.md', path: 'docs/one.md', directory: false, size: 1 },
      { name: 'more', path: 'docs/more', directory: true },
    ]);
  expect(files.directory('.')).toHaveLength(2);
  for (const path of ['doc', 'docs/one.md', '..', '../x', '/']) expect(files.directory(path)).toBeUndefined();
});

test('heldFiles() returns the known files of an unverifiable skill', () => {
  const dynamic: SkillEntry = { ...entry, resources: 'dynamic' };
  expect(entryFiles({ entry: dynamic }).list).toEqual([{ path: 'SKILL.md', uri: entry.uri }]);
  const partial = { reason: 'no-size' as const, files: [{ uri: 'skill://x/a/b.md', digest }] };
  expect(entryFiles({ entry: dynamic, partial }).list).toEqual([{ path: 'b.md', uri: 'skill://x/a/b.md' }]);
});

test('resolvableEntry() allows unlisted files if the entry does not list all', () => {
  const dynamic: SkillEntry = { ...entry, resources: 'dynamic' };
  const known = { reason: 'no-digest' as const, files: [{ uri: entry.uri, digest }] };
  expect(resolvableEntry({ entry: dynamic, partial: known }).resources).toHaveLength(1);
  expect(resolvableEntry({ entry: dynamic, partial: { ...known, more: true } })).toBe(dynamic);
});
