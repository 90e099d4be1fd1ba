import { describe, expect, test } from 'vitest';
import { dynamicEntry, f1, f2, gitWorkflowEntry, outerEntry, refundsEntry } from '../../test/dialect-fixtures.ts';
import { verifies } from '../../test/requirements/verifies.ts';
import { dialectSkillOf, pathBelow, skillPathOf, verifiedBy, weakest } from './dialect-skill.ts';
import { encodeManifest } from './fastmcp/manifest.ts';
import { indexEntryOf } from './skill-index/build-index.ts';

describe('dialectSkillOf()', () => {
  verifies(['C-18', 'C-19'], 'keeps the locator beside the name, and files as path, digest and size', () => {
    expect(dialectSkillOf(refundsEntry)).toMatchObject({ skillPath: 'acme/billing/refunds', name: 'refunds' });
    expect(dialectSkillOf(gitWorkflowEntry)).toEqual({
      uri: gitWorkflowEntry.uri,
      skillPath: 'git-workflow',
      name: 'git-workflow',
      description: gitWorkflowEntry.frontmatter.description,
      frontmatter: gitWorkflowEntry.frontmatter,
      files: [
        { path: 'SKILL.md', uri: gitWorkflowEntry.uri, digest: f1.digest, size: f1.size },
        {
          path: 'references/GUIDE.md',
          uri: 'skill://git-workflow/references/GUIDE.md',
          digest: f2.digest,
          size: f2.size,
        },
      ],
      retrievals: [{ kind: 'read', uri: gitWorkflowEntry.uri, digest: f1.digest }],
      verified: 'full',
    });
    expect(dialectSkillOf(outerEntry).files).toMatchObject([{ path: 'SKILL.md' }, { path: 'inner/SKILL.md' }]);
    expect(dialectSkillOf(dynamicEntry)).toMatchObject({
      files: 'dynamic',
      verified: 'none',
      retrievals: [{ kind: 'read', uri: dynamicEntry.uri }],
    });
  });
});

test('weakest() returns the weakest level', () => {
  const of = (...verified: readonly ('full' | 'skill-md-only' | 'none')[]) =>
    weakest(verified.map((one) => ({ verified: one })));
  expect([of(), of('full'), of('full', 'skill-md-only'), of('skill-md-only', 'none', 'full')]).toEqual([
    'none',
    'full',
    'skill-md-only',
    'none',
  ]);
});

test('verifiedBy() requires a digest of every file, of an archive, or of SKILL.md', () => {
  const uri = gitWorkflowEntry.uri;
  const { digest } = f1;
  expect(verifiedBy([{ path: 'SKILL.md', uri, digest }], [])).toBe('full');
  expect(
    verifiedBy(
      [
        { path: 'SKILL.md', uri, digest },
        { path: 'a', uri },
      ],
      [{ kind: 'read', uri, digest }],
    ),
  ).toBe('skill-md-only');
  expect(verifiedBy([], [{ kind: 'read', uri }])).toBe('none');
  expect(
    verifiedBy('unknown', [
      { kind: 'read', uri },
      { kind: 'archive', uri, digest },
    ]),
  ).toBe('full');
  expect(verifiedBy('unknown', [{ kind: 'archive', uri }])).toBe('none');
  expect(verifiedBy('unknown', [{ kind: 'get-by-name', name: 'x' }])).toBe('none');
});

test('skillPathOf() and pathBelow() decode', () => {
  expect(skillPathOf('skill://a/b%20c/SKILL.md')).toBe('a/b c');
  expect(skillPathOf('skill://a/README.md')).toBeUndefined();
  expect(skillPathOf('no uri')).toBeUndefined();
  expect(pathBelow('a/b c', 'skill://a/b%20c/d%20e')).toBe('d e');
  expect(pathBelow('a', 'skill://b/c')).toBe('b/c');
});

test('one skill has the same digest of SKILL.md in every dialect', () => {
  const [entry, index, manifest] = [
    gitWorkflowEntry.resources[0],
    indexEntryOf({ entry: gitWorkflowEntry }),
    encodeManifest(gitWorkflowEntry).files[0],
  ];
  expect(entry).toMatchObject({ digest: f1.digest });
  expect(index.digest).toBe(f1.digest);
  expect(manifest?.hash).toBe(f1.digest);
});
