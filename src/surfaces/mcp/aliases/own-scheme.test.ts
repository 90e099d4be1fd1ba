import { describe, expect, test } from 'vitest';
import type { SkillEntry } from '../../../skill/entry.ts';
import { ownScheme } from './own-scheme.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const entry: SkillEntry = {
  uri: 'skill://a/SKILL.md',
  frontmatter: { name: 'a', description: 'A.' },
  resources: [
    { uri: 'skill://a/SKILL.md', digest, size: 1 },
    { uri: 'skill://a/b/skill.md', digest, size: 2 },
  ],
};

describe('ownScheme()', () => {
  test('renames the entry and all its files, and nothing else', () => {
    expect(ownScheme('github').entry(entry)).toEqual({
      uri: 'github://a/SKILL.md',
      frontmatter: entry.frontmatter,
      resources: [
        { uri: 'github://a/SKILL.md', digest, size: 1 },
        { uri: 'github://a/b/skill.md', digest, size: 2 },
      ],
    });
    expect(entry.uri).toBe('skill://a/SKILL.md');
  });

  test('renames a dynamic entry, which has no files', () => {
    const renamed = ownScheme('github').entry({ ...entry, resources: 'dynamic' });
    expect(renamed).toMatchObject({ uri: 'github://a/SKILL.md', resources: 'dynamic' });
  });

  test('makes one entry once per scheme', () => {
    const github = ownScheme('github');
    const first = github.entry(entry);
    expect(github.entry(entry)).toBe(first);
    expect(ownScheme('gitlab').entry(entry)).toMatchObject({ resources: [{ uri: 'gitlab://a/SKILL.md' }, {}] });
    expect(github.entry(entry)).toEqual(first);
  });

  test('maps URIs in both directions, and ignores other schemes', () => {
    const { outward, inward } = ownScheme('github');
    expect(outward('skill://a/SKILL.md')).toBe('github://a/SKILL.md');
    expect(outward('file:///skill://a')).toBe('file:///skill://a');
    expect(inward('github://a/SKILL.md')).toBe('skill://a/SKILL.md');
    expect(inward('GitHub://A/SKILL.md')).toBe('skill://A/SKILL.md');
    expect(inward('skill://a/SKILL.md')).toBeUndefined();
  });
});
