import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { legacyRules, RpcError, type Wire } from '../sources/mcp-server/wire.ts';
import { compareListing } from './compare-era.ts';
import { createFailureList } from './failures.ts';
import { fingerprint } from './served-digests.ts';

const digest = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

function entryOf(name: string, description = 'About it.') {
  const uri = `skill://${name}/SKILL.md`;
  const resources = [{ uri, digest: digest(new TextEncoder().encode(name)), size: name.length }];
  return { uri, frontmatter: { name, description }, resources };
}

const fingerprints = new Map(
  [entryOf('a'), entryOf('b')].map((entry) => [entry.uri, fingerprint({ entry }, digest)] as const),
);

async function compare(answer: () => unknown, incomplete: readonly string[] = []) {
  const wire: Wire = {
    era: 'legacy',
    protocolVersion: '2025-11-25',
    capabilities: {},
    rules: legacyRules,
    stateless: false,
    request: async () => answer(),
    onClose() {},
    close: async () => {},
  };
  const failures = createFailureList();
  const options = { wire, deadlineMs: 1_000, signal: new AbortController().signal, digest };
  const found = await compareListing({ fingerprints, incomplete }, options, failures);
  return { ...found, failed: failures.list.map(({ requirement, uri }) => [requirement, uri]) };
}

describe('compareListing()', () => {
  test('accepts the same entries in any order, with keys in any order', async () => {
    const { uri, frontmatter, resources } = entryOf('a');
    const turned = { resources, frontmatter: { description: frontmatter.description, name: 'a' }, uri };
    expect(await compare(() => ({ skills: [entryOf('b'), turned] }))).toEqual({ skills: 2, failed: [] });
  });

  test('reports different, missing and new entries', async () => {
    const skills = [entryOf('a', 'About something else.'), entryOf('c')];
    expect((await compare(() => ({ skills }))).failed).toEqual([
      ['S-45', 'skill://a/SKILL.md'],
      ['S-36', 'skill://c/SKILL.md'],
      ['S-36', 'skill://b/SKILL.md'],
    ]);
  });

  test('does not report as new what the first listing did not reach', async () => {
    const skills = [entryOf('a'), entryOf('b'), entryOf('c')];
    expect((await compare(() => ({ skills }), ['there is more'])).failed).toEqual([]);
  });

  test('does not report as missing what this listing did not reach, and gives the reason', async () => {
    const late = await compare(() => {
      throw new SkillwireError('TIMED_OUT', 'no answer');
    });
    expect(late).toEqual({
      skills: 0,
      cut: 'skills/list could not be read to its end: no answer',
      failed: [],
    });
    const unknown = await compare(() => {
      throw new RpcError(-32601, 'unknown');
    });
    expect(unknown.failed).toEqual([['S-1', undefined]]);
  });
});
