import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import type { DialectSkill } from '../dialect-skill.ts';
import { mergeSkills } from './merge-skills.ts';

const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
const uri = 'skill://a/SKILL.md';
const bare: DialectSkill = {
  uri,
  skillPath: 'a',
  name: 'a',
  description: 'bare',
  files: 'unknown',
  retrievals: [{ kind: 'read', uri }],
  verified: 'none',
};
const full: DialectSkill = {
  ...bare,
  description: 'full',
  frontmatter: { name: 'a', description: 'full' },
  files: [{ path: 'SKILL.md', uri, digest: digest('1') }],
  retrievals: [{ kind: 'read', uri, digest: digest('1') }],
  verified: 'full',
};
const packed: DialectSkill = {
  ...bare,
  uri: 'skill://a/packed.md',
  description: 'packed',
  retrievals: [{ kind: 'archive', uri: 'skill://a.zip', format: 'zip', digest: digest('2') }],
  verified: 'full',
};

/** The one skill that they are. */
function merged(...listed: readonly DialectSkill[]): DialectSkill | undefined {
  const { skills, refused } = mergeSkills(listed);
  expect(refused).toEqual([]);
  expect(skills).toHaveLength(1);
  return skills[0];
}

describe('mergeSkills() of two entries that are one skill', () => {
  verifies(['index:both-entries'], 'uses the texts of the entry with frontmatter, else of the first', () => {
    expect(merged(bare, full)).toEqual(full);
    expect(merged(full, bare)).toEqual(full);
    expect(merged(bare, { ...bare, description: 'second' })?.description).toBe('bare');
    const other: DialectSkill = { ...full, description: 'other', frontmatter: { name: 'a', description: 'other' } };
    expect(merged(full, other)).toEqual(full);
    expect(merged(other, full)?.frontmatter).toEqual(other.frontmatter);
  });

  verifies(['index:both-entries'], 'uses the files of the entry that lists them, else of the first', () => {
    const { frontmatter: _, ...listing } = full;
    expect(merged(bare, listing)?.files).toEqual(full.files);
    expect(merged(listing, bare)?.files).toEqual(full.files);
    expect(merged({ ...bare, files: 'dynamic' }, bare)?.files).toBe('dynamic');
    const longer = [...(full.files as []), { path: 'b.md', uri: 'skill://a/b.md', digest: digest('3') }];
    expect(merged(full, { ...full, files: longer })?.files).toEqual(full.files);
    expect(merged({ ...full, files: longer }, full)?.files).toEqual(longer);
  });

  verifies(['index:both-entries'], 'has the URI of the readable entry, and prefers reading to unpacking', () => {
    const ways = [{ kind: 'read', uri }, ...packed.retrievals];
    for (const both of [merged(packed, bare), merged(bare, packed)])
      expect(both).toMatchObject({ uri, retrievals: ways, verified: 'full' });
    expect(merged(packed, bare)?.description).toBe('packed');
    const named: DialectSkill = { ...packed, retrievals: [{ kind: 'get-by-name', name: 'a' }] };
    const unread = [merged(packed, named), merged(named, packed)].map((one) => one?.retrievals.map(({ kind }) => kind));
    expect(unread).toEqual([
      ['archive', 'get-by-name'],
      ['get-by-name', 'archive'],
    ]);
  });

  verifies(['index:both-entries'], 'promises only what the remaining retrievals can prove', () => {
    const second: DialectSkill = {
      ...bare,
      retrievals: [{ kind: 'read', uri, digest: digest('1') }],
      verified: 'full',
    };
    expect(merged(bare, second)).toMatchObject({ verified: 'skill-md-only' });
    expect(merged({ ...bare, verified: 'full' }, bare)).toMatchObject({ verified: 'none' });
  });

  verifies(['index:both-entries'], 'keeps the first promise, and refuses a second one with different bytes', () => {
    const other: DialectSkill = { ...full, retrievals: [{ kind: 'read', uri, digest: digest('9') }] };
    for (const [first, second] of [
      [full, other],
      [other, full],
    ] as const) {
      const { skills, refused } = mergeSkills([first, second]);
      expect(skills).toEqual([first]);
      expect(refused).toMatchObject([{ uri, name: 'a', faults: [{ requirement: 'index:both-entries' }] }]);
    }
  });
});

describe('mergeSkills() of an archive at another location', () => {
  const away: DialectSkill = { ...packed, uri: 'skill://packed/a/SKILL.md', skillPath: 'packed/a' };

  verifies(['index:both-entries'], 'attaches it to the only skill of its name, which keeps its location', () => {
    for (const listed of [
      [bare, away],
      [away, bare],
    ])
      expect(merged(...listed)).toMatchObject({ uri, skillPath: 'a', description: 'bare', verified: 'full' });
    const fuller: DialectSkill = { ...away, frontmatter: { name: 'a', description: 'packed' } };
    expect(merged(bare, fuller)).toMatchObject({ uri, skillPath: 'a', frontmatter: { description: 'packed' } });
    const named: DialectSkill = { ...bare, retrievals: [{ kind: 'get-by-name', name: 'a' }] };
    expect(merged(named, away)).toMatchObject({ uri, skillPath: 'a' });
    const other: DialectSkill = { ...bare, name: 'b', skillPath: 'b', uri: 'skill://b/SKILL.md' };
    expect(mergeSkills([away, other, bare]).skills.map(({ skillPath }) => skillPath)).toEqual(['b', 'a']);
  });

  test('keeps an entry that promises different bytes for the same archive as a separate skill', () => {
    const both: DialectSkill = { ...bare, retrievals: [...bare.retrievals, ...packed.retrievals] };
    const lie: DialectSkill = {
      ...away,
      retrievals: [{ kind: 'archive', uri: 'skill://a.zip', format: 'zip', digest: digest('9') }],
    };
    expect(mergeSkills([both, lie]).skills).toEqual([both, lie]);
  });
});
