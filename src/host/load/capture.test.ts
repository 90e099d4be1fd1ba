import { describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { deepFreeze } from '../../skill/deep-freeze.ts';
import type { SkillEntry } from '../../skill/entry.ts';
import { captureEntry } from './capture.ts';

const origin = { label: 'docs', local: false };
const uri = 'skill://a/SKILL.md';
const digest = `sha256:${'0'.repeat(64)}`;
const file = (name: string, size = 1) => ({ uri: `skill://a/${name}`, digest, size });
const entry = (resources: unknown = [file('SKILL.md')]): SkillEntry =>
  ({ uri, frontmatter: { name: 'a', description: 'A.' }, resources }) as SkillEntry;

describe('captureEntry()', () => {
  test('returns a verifiable entry with its set, deep-frozen', async () => {
    const captured = await captureEntry(origin, uri, { entry: entry([file('b.md'), file('SKILL.md')]) });
    expect(captured).toMatchObject({
      label: 'docs',
      local: false,
      status: 'verifiable',
      fingerprint: captured.setDigest,
    });
    expect(captured.set?.map((known) => known.uri)).toEqual(['skill://a/SKILL.md', 'skill://a/b.md']);
    expect(Object.isFrozen(captured)).toBe(true);
  });

  test('distinguishes dynamic entries and entries without sizes, with the known part of their content', async () => {
    const dynamic = await captureEntry(origin, uri, { entry: entry('dynamic') });
    expect(dynamic).toMatchObject({ status: 'dynamic' });
    expect(dynamic).not.toHaveProperty('set');
    const partial = (value: string) => ({ reason: 'no-size' as const, files: [{ uri, digest: value }] });
    const one = await captureEntry(origin, uri, { entry: entry('dynamic'), partial: partial(digest) });
    const two = await captureEntry(origin, uri, {
      entry: entry('dynamic'),
      partial: partial(digest.replace('0', '1')),
    });
    expect(one.status).toBe('no-size');
    expect(new Set([dynamic.fingerprint, one.fingerprint, two.fingerprint]).size).toBe(3);
    const renamed = { ...entry('dynamic'), frontmatter: { name: 'a', description: 'Other.' } };
    expect((await captureEntry(origin, uri, { entry: renamed })).fingerprint).not.toBe(dynamic.fingerprint);
  });

  test.each([
    ['the entry of another skill', { ...entry(), uri: 'skill://b/SKILL.md' }, /answered with the entry of/],
    ['no resources', entry(null), /neither a list nor "dynamic"/],
    ['resources of another spelling', entry('Dynamic'), /neither a list nor "dynamic"/],
    ['a file outside', entry([file('SKILL.md'), { ...file('x'), uri: 'skill://b/x' }]), /outside the skill/],
    ['a file twice', entry([file('SKILL.md'), file('SKILL.md')]), /twice/],
    ['no SKILL.md', entry([file('x')]), /does not list its own SKILL.md/],
    ['a digest in capitals', entry([{ ...file('SKILL.md'), digest: digest.toUpperCase() }]), /digest of/],
    ['a size that is text', entry([{ ...file('SKILL.md'), size: '1' }]), /size of/],
    ['a negative size', entry([file('SKILL.md', -1)]), /size of/],
    ['no name', { ...entry(), frontmatter: { description: 'A.' } }, /no name/],
  ])('refuses %s', async (_, given, message) => {
    const holding = captureEntry(origin, uri, { entry: given as SkillEntry });
    await expect(holding).rejects.toMatchObject({ code: 'BAD_ANSWER' });
    await expect(holding).rejects.toThrow(message);
  });

  test('accepts a skill of exactly the limits, refuses a larger one, and names the limit', async () => {
    const many = (count: number) => [
      file('SKILL.md'),
      ...Array.from({ length: count - 1 }, (_, n) => file(`f${n}`, 0)),
    ];
    await captureEntry(origin, uri, { entry: entry(many(limits.skill.files)) });
    await captureEntry(origin, uri, { entry: entry([file('SKILL.md', limits.skill.bytes)]) });
    const tooMany = captureEntry(origin, uri, { entry: entry(many(limits.skill.files + 1)) });
    await expect(tooMany).rejects.toMatchObject({ reason: 'limit', message: expect.stringContaining('513 files') });
    const tooLarge = captureEntry(origin, uri, { entry: entry([file('SKILL.md', limits.skill.bytes + 1)]) });
    await expect(tooLarge).rejects.toMatchObject({
      reason: 'limit',
      message: expect.stringContaining('16777217 bytes'),
    });
  });
});

describe('captureEntry() of an entry that it captured before', () => {
  test('returns the same capture if the entry is immutable', async () => {
    const given = deepFreeze(entry());
    const captured = await captureEntry(origin, uri, { entry: given });
    expect(await captureEntry(origin, uri, { entry: given })).toBe(captured);
    expect(Object.isFrozen(captured.set?.[0])).toBe(true);
  });

  test('captures again if the entry is mutable, also inside a frozen one', async () => {
    const inside = { ...file('SKILL.md') };
    const given = Object.freeze(entry([inside]));
    const captured = await captureEntry(origin, uri, { entry: given });
    inside.digest = digest.replace('0', '1');
    expect((await captureEntry(origin, uri, { entry: given })).setDigest).not.toBe(captured.setDigest);
  });

  test('captures again for another origin, skill or manifest', async () => {
    const given = deepFreeze(entry());
    await captureEntry(origin, uri, { entry: given });
    expect(await captureEntry({ label: 'other', local: false }, uri, { entry: given })).toMatchObject({
      label: 'other',
    });
    expect(await captureEntry({ label: 'other', local: true }, uri, { entry: given })).toMatchObject({ local: true });
    await expect(captureEntry(origin, 'skill://b/SKILL.md', { entry: given })).rejects.toThrow(
      /answered with the entry/,
    );
    const dynamic = deepFreeze(entry('dynamic'));
    expect((await captureEntry(origin, uri, { entry: dynamic })).status).toBe('dynamic');
    const partial = { reason: 'no-size' as const, files: [{ uri, digest }] };
    expect((await captureEntry(origin, uri, { entry: dynamic, partial })).status).toBe('no-size');
    expect((await captureEntry(origin, uri, { entry: dynamic })).status).toBe('dynamic');
  });
});
