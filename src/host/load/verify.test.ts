import { describe, expect, test } from 'vitest';
import { bytesOf, skillMd } from '../../../test/scripted-origin.ts';
import { limits } from '../../limits.ts';
import { deepFreeze } from '../../skill/deep-freeze.ts';
import { sha256Digest } from '../../skill/digest.ts';
import type { SkillEntry } from '../../skill/entry.ts';
import { memoryStore } from '../../store/memory-store.ts';
import { type ApprovedEntry, createApprovals } from '../approve/approvals.ts';
import { captureEntry } from './capture.ts';
import {
  checkBytes,
  checkPartially,
  isRuledOut,
  unverifiedFileOf,
  unverifiedSkillOf,
  verifyFile,
  verifySkill,
} from './verify.ts';

const uri = 'skill://a/SKILL.md';

async function approve(text: string | Uint8Array, frontmatter?: SkillEntry['frontmatter'], dynamic = false) {
  const bytes = typeof text === 'string' ? bytesOf(text) : text;
  const resource = { uri, digest: await sha256Digest(bytes), size: bytes.length };
  const entry: SkillEntry = {
    uri,
    frontmatter: frontmatter ?? { name: 'a', description: 'About a.' },
    resources: dynamic ? 'dynamic' : [resource],
  };
  const captured = await captureEntry({ label: 'docs', local: false }, uri, { entry });
  const { state } = memoryStore();
  const approvals = createApprovals({ state, audit: async () => undefined, warn: () => undefined });
  const approved: ApprovedEntry = approvals.derive(
    captured,
    'policy',
    'test',
    { execution: true, allowedTools: false },
    false,
  );
  return { approved, resource, bytes };
}

describe('verifySkill()', () => {
  test('returns a verified skill if the bytes match the entry', async () => {
    const { approved, resource, bytes } = await approve(`\ufeff${skillMd('a')}`);
    const skill = verifySkill(approved, verifyFile(approved, await checkBytes(resource, bytes), 'SKILL.md'));
    expect(skill).toMatchObject({
      label: 'docs',
      verified: true,
      setDigest: approved.captured.setDigest,
      text: skillMd('a'),
    });
    expect(skill.grants).toEqual({ execution: true, allowedTools: false });
    expect(skill.bytes).toBe(bytes);
  });

  test('checks size, then digest, then frontmatter', async () => {
    const lying = { name: 'a', description: 'Harmless.' };
    const { approved, resource, bytes } = await approve(skillMd('a'), lying);
    await expect(checkBytes(resource, bytes.subarray(1))).rejects.toMatchObject({ reason: 'size' });
    await expect(
      checkBytes(
        resource,
        bytes.map((byte) => byte ^ 1),
      ),
    ).rejects.toMatchObject({ reason: 'digest' });
    const file = verifyFile(approved, await checkBytes(resource, bytes), 'SKILL.md');
    expect(() => verifySkill(approved, file)).toThrow(
      expect.objectContaining({
        reason: 'frontmatter',
        data: expect.objectContaining({ differences: [expect.objectContaining({ field: 'description' })] }),
      }),
    );
  });

  test('reports how ambiguous YAML values were read', async () => {
    const frontmatter = { name: 'a', description: 'About a.', version: '1.0' };
    const { approved, resource, bytes } = await approve(skillMd('a', 'version: 1.0\n'), frontmatter);
    const skill = verifySkill(approved, verifyFile(approved, await checkBytes(resource, bytes), 'SKILL.md'));
    expect(skill.remarks.join()).toMatch(/version/);
  });

  test.each([
    ['what is not UTF-8', new Uint8Array([0x2d, 0x2d, 0x2d, 0x0a, 0xff]), 'frontmatter'],
    ['what has no frontmatter', bytesOf('# Title\n'), 'frontmatter'],
    ['what is too large for a context', new Uint8Array(limits.host.skillMdBytes + 1), 'limit'],
  ])('refuses %s', async (_, content, reason) => {
    const { approved, resource, bytes } = await approve(content);
    const file = verifyFile(approved, await checkBytes(resource, bytes), 'SKILL.md');
    expect(() => verifySkill(approved, file)).toThrow(expect.objectContaining({ reason }));
  });
});

describe('verifyFile()', () => {
  test('accepts only files that the approved entry lists, with their digest', async () => {
    const { approved } = await approve(skillMd('a'));
    const other = await approve(skillMd('a', '', 'other'));
    const checked = await checkBytes(other.resource, other.bytes);
    expect(() => verifyFile(approved, checked, 'SKILL.md')).toThrow(expect.objectContaining({ reason: 'unlisted' }));
    const elsewhere = await checkBytes({ ...other.resource, uri: 'skill://a/b.md' }, other.bytes);
    expect(() => verifyFile(other.approved, elsewhere, 'b.md')).toThrow(
      expect.objectContaining({ reason: 'unlisted' }),
    );
  });
});

describe('an unverifiable skill', () => {
  test('is never marked as verified, but its frontmatter is compared', async () => {
    const { approved, bytes } = await approve(skillMd('a'), undefined, true);
    const skill = unverifiedSkillOf(approved, unverifiedFileOf(approved, uri, 'SKILL.md', bytes));
    expect(skill).toMatchObject({ verified: false });
    const lying = await approve(skillMd('a'), { name: 'a', description: 'x' }, true);
    const file = unverifiedFileOf(lying.approved, uri, 'SKILL.md', bytes);
    expect(() => unverifiedSkillOf(lying.approved, file)).toThrow(expect.objectContaining({ reason: 'frontmatter' }));
  });

  test('is an error for an entry that could be verified', async () => {
    const { approved, bytes } = await approve(skillMd('a'));
    expect(() => unverifiedFileOf(approved, uri, 'SKILL.md', bytes)).toThrow(
      expect.objectContaining({ reason: 'unlisted' }),
    );
  });

  test('is checked against the known digests', async () => {
    const bytes = bytesOf('x');
    const partial = { reason: 'no-size' as const, files: [{ uri, digest: await sha256Digest(bytes) }] };
    expect(isRuledOut(uri, partial)).toBe(false);
    expect(isRuledOut('skill://a/unknown.md', partial)).toBe(true);
    expect(isRuledOut('skill://a/unknown.md', { ...partial, more: true })).toBe(false);
    expect(isRuledOut('skill://a/unknown.md', undefined)).toBe(false);
    await checkPartially(uri, bytes, partial);
    await checkPartially('skill://a/unknown.md', bytes, partial);
    await checkPartially(uri, bytesOf('y'), undefined);
    await expect(checkPartially(uri, bytesOf('y'), partial)).rejects.toMatchObject({ reason: 'digest', data: { uri } });
  });
});

describe('verifySkill() of an entry that was verified before', () => {
  const read = async ({ approved, resource, bytes }: Awaited<ReturnType<typeof approve>>) =>
    verifySkill(approved, verifyFile(approved, await checkBytes(resource, bytes), 'SKILL.md'));

  test('returns the same remarks for the same bytes', async () => {
    const given = await approve(skillMd('a', 'version: 012\n'), { name: 'a', description: 'About a.', version: 10 });
    deepFreeze(given.approved.captured.entry);
    const first = await read(given);
    expect(first.remarks).toEqual([expect.stringContaining('YAML 1.1')]);
    expect((await read(given)).remarks).toBe(first.remarks);
  });

  test('compares other bytes of the same entry again', async () => {
    const good = bytesOf(skillMd('a'));
    const bad = bytesOf(skillMd('a').replace('About a.', 'Other.'));
    const { approved } = await approve(good);
    const entry = deepFreeze(approved.captured.entry);
    const approvedFor = async (bytes: Uint8Array) => {
      const digest = await sha256Digest(bytes);
      const set = [{ uri, digest }];
      const captured = { ...approved.captured, entry, set };
      return read({ approved: { ...approved, captured }, resource: { uri, digest, size: bytes.length }, bytes });
    };
    await approvedFor(good);
    await expect(approvedFor(bad)).rejects.toMatchObject({ reason: 'frontmatter' });
    await expect(approvedFor(bad)).rejects.toMatchObject({ reason: 'frontmatter' });
    expect((await approvedFor(good)).verified).toBe(true);
  });

  test('compares each time if the entry is mutable', async () => {
    const given = await approve(skillMd('a'));
    await read(given);
    (given.approved.captured.entry.frontmatter as { description: string }).description = 'Other.';
    await expect(read(given)).rejects.toMatchObject({ reason: 'frontmatter' });
  });
});
