import { describe, expect, test } from 'vitest';
import { executableMetaKey, type SkillEntry } from '../skill/entry.ts';
import { addresses, movedEntry } from './skill-address.ts';

const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
const served: SkillEntry = {
  uri: 'skill://docs/a/SKILL.md',
  frontmatter: { name: 'a', description: 'A.' },
  resources: [
    { uri: 'skill://docs/a/SKILL.md', digest: digest('1'), size: 1 },
    { uri: 'skill://docs/a/run.sh', digest: digest('2'), size: 2 },
    { uri: 'skill://shared/b.md', digest: digest('3'), size: 3 },
  ],
  _meta: { [executableMetaKey]: ['skill://docs/a/run.sh'], other: 1 },
};
const original: SkillEntry = {
  ...served,
  uri: 'skill://a/SKILL.md',
  resources: [
    { uri: 'skill://a/SKILL.md', digest: digest('1'), size: 1 },
    { uri: 'skill://a/run.sh', digest: digest('2'), size: 2 },
    { uri: 'skill://shared/b.md', digest: digest('3'), size: 3 },
  ],
  _meta: { [executableMetaKey]: ['skill://a/run.sh'], other: 1 },
};

describe('movedEntry()', () => {
  test('gives the skill, the files in its folder and its executable files the new URI', () => {
    expect(movedEntry(served, original.uri)).toEqual(original);
    expect(movedEntry(served, served.uri)).toBe(served);
  });

  test('keeps a dynamic skill dynamic, and adds no metadata', () => {
    const { _meta: _, ...plain } = served;
    const moved = movedEntry({ ...plain, resources: 'dynamic' }, original.uri);
    expect(moved).toEqual({ ...plain, uri: original.uri, resources: 'dynamic' });
  });
});

describe('addresses()', () => {
  const skill = { entry: served };
  const names = { labelOf: () => 'docs', uriOf: () => original.uri };

  test('names a skill by its origin, and by its URI at the origin', () => {
    expect(addresses(names)(skill)).toEqual({ label: 'docs', entry: original });
    expect(addresses({ labelOf: () => 'docs' })(skill).entry).toBe(served);
  });

  test('uses the entry of the origin if its bytes are the same, and requests it once', () => {
    const live = { ...original, frontmatter: { name: 'a', description: 'To the letter.' } };
    const requests: string[][] = [];
    const addressOf = addresses(names, (...address) => {
      requests.push(address);
      return live;
    });
    expect(addressOf(skill).entry).toBe(live);
    expect(addressOf(skill)).toBe(addressOf(skill));
    expect(requests).toEqual([['docs', original.uri]]);
  });

  test('does not use an entry of the origin with other bytes', () => {
    const other = { ...original, resources: [{ uri: original.uri, digest: digest('9'), size: 1 }] };
    expect(addresses(names, () => other)(skill).entry).toEqual(original);
    expect(addresses(names, () => ({ ...original, resources: 'dynamic' as const }))(skill).entry).toEqual(original);
  });
});
