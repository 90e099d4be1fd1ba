import { expect, test } from 'vitest';
import { executableMetaKey, type SkillEntry } from './entry.ts';
import { movedEntry } from './nested-skills.ts';

const file = (uri: string) => ({ uri, digest: `sha256:${'0'.repeat(64)}`, size: 1 });
const entry: SkillEntry = {
  uri: 'skill://a/b/SKILL.md',
  frontmatter: { name: 'b', description: 'x' },
  resources: [file('skill://a/b/SKILL.md'), file('skill://a/b/c d.md'), file('skill://a/bc/e.md')],
};

test('every file below the skill gets its new URI, and others stay', () => {
  const moved = movedEntry(entry, 'a/b', 'x y/b');
  expect(moved).toEqual({
    uri: 'skill://x%20y/b/SKILL.md',
    frontmatter: entry.frontmatter,
    resources: [file('skill://x%20y/b/SKILL.md'), file('skill://x%20y/b/c d.md'), file('skill://a/bc/e.md')],
  });
  expect(Object.keys(moved)).not.toContain('_meta');
  expect(movedEntry({ ...entry, resources: 'dynamic' }, 'a/b', 'b').resources).toBe('dynamic');
});

test.each([
  [{ other: 1 }, { other: 1 }],
  [{ [executableMetaKey]: 'x' }, { [executableMetaKey]: 'x' }],
  [
    { other: 1, [executableMetaKey]: ['skill://a/b/c d.md', 'skill://z'] },
    { other: 1, [executableMetaKey]: ['skill://b/c d.md', 'skill://z'] },
  ],
])('other _meta fields move with the entry: %j', (_meta, expected) => {
  expect(movedEntry({ ...entry, _meta }, 'a/b', 'b')._meta).toEqual(expected);
});
