import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { setDigest, setOf } from '../../src/skill/skill-set.ts';
import { digestOf, setDigestOf } from './verify.ts';

describe('digestOf()', () => {
  test.each([0, 1, 55, 56, 63, 64, 65, 1_000_000])(
    'agrees with other implementations about %i bytes, in both ways',
    async (length) => {
      const bytes = new Uint8Array(length).map((_, index) => index % 251);
      const expected = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      expect(await digestOf(bytes)).toBe(expected);
      expect(await digestOf(bytes, null)).toBe(expected);
    },
  );
});

test('setDigestOf() returns the digest that approvals are bound to', async () => {
  const files = ['b', 'SKILL.md', 'a b'].map((name, index) => ({
    path: name,
    uri: `skill://x/${encodeURIComponent(name)}`,
    mediaType: 'text/plain',
    digest: `sha256:${String(index).repeat(64)}`,
    size: 1,
    executable: false,
    script: false,
  }));
  const resources = files.map(({ uri, digest, size }) => ({ uri, digest, size }));
  const set = setOf({ uri: 'skill://x/SKILL.md', frontmatter: { name: 'x', description: 'x' }, resources });
  expect(await setDigestOf(files)).toBe(await setDigest(set ?? []));
});
