import { describe, expect, test } from 'vitest';
import { dynamicEntry, f1, f2, gitWorkflowEntry, refundsEntry } from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { limits } from '../../limits.ts';
import { dialectSkillOf, withoutLost } from '../dialect-skill.ts';
import { scanSkillFiles } from '../resource-list/scan-skills.ts';
import { decodeManifest, encodeManifest, fastmcpLosses, withManifest } from './manifest.ts';

const { uri } = gitWorkflowEntry;
const main = { path: 'SKILL.md', size: f1.size, hash: f1.digest };

describe('encodeManifest()', () => {
  verifies(['fastmcp:manifest', 'C-19'], 'lists every file with path, size and hash', () => {
    expect(encodeManifest(gitWorkflowEntry)).toEqual({
      skill: 'git-workflow',
      files: [main, { path: 'references/GUIDE.md', size: f2.size, hash: f2.digest }],
    });
    expect(encodeManifest(refundsEntry)).toMatchObject({
      skill: 'acme/billing/refunds',
      files: [{ path: 'SKILL.md' }, { path: 'templates/a b.md' }],
    });
  });

  test('refuses a dynamic skill', () => {
    expect(() => encodeManifest(dynamicEntry)).toThrow(expect.objectContaining({ code: 'INVALID_SKILL' }));
  });
});

describe('decodeManifest()', () => {
  verifies(['fastmcp:manifest', 'C-19'], 'returns the files of the entry', () => {
    for (const entry of [gitWorkflowEntry, refundsEntry]) {
      const reading = decodeManifest(JSON.parse(JSON.stringify(encodeManifest(entry))), entry.uri);
      expect(reading).toMatchObject({ refused: [], remarks: [], verified: 'full' });
      expect(reading.files).toEqual(dialectSkillOf(entry).files);
    }
  });

  verifies(['fastmcp:manifest-rows'], 'refuses only bad rows, and then covers fewer files', () => {
    const reading = decodeManifest(
      {
        skill: 7,
        files: [
          main,
          { path: '../x', size: 1, hash: f1.digest },
          { path: '/etc/passwd', size: 1, hash: f1.digest },
          { path: 'a\\b', size: 1, hash: f1.digest },
          { path: 'skill.md', size: 1, hash: f1.digest },
          { path: 'SKILL.md', size: 1, hash: f1.digest },
          { path: 'SKILL.md/x', size: 1, hash: f1.digest },
          { path: 'a', size: -1, hash: f1.digest },
          { path: 'b', size: 1, hash: 'md5:1' },
          { path: 'c', size: 1, hash: f1.digest, uri: 'file:///c' },
          { path: 7 },
          null,
          { path: 'ok.md', size: 2, hash: f2.digest.toUpperCase().replace('SHA', 'sha') },
        ],
      },
      uri,
    );
    expect(reading.files.map(({ path }) => path)).toEqual(['SKILL.md', 'ok.md']);
    expect(reading.refused).toHaveLength(11);
    expect(reading).toMatchObject({ verified: 'skill-md-only' });
    expect(reading).not.toHaveProperty('skill');
  });

  test('reads the manifest of the early GitHub server, which has no hashes', () => {
    const files = [{ path: 'SKILL.md', uri: 'repo://o/r/contents/x/SKILL.md', size: 3 }];
    expect(decodeManifest({ skill: 'x', files }, 'skill://github/x/SKILL.md')).toMatchObject({
      files: [{ path: 'SKILL.md', uri: 'repo://o/r/contents/x/SKILL.md', size: 3 }],
      verified: 'none',
    });
  });

  test('reports a manifest without SKILL.md, which verifies nothing', () => {
    const reading = decodeManifest({ files: [{ path: 'a.md', size: 1, hash: f1.digest }] }, uri);
    expect(reading.verified).toBe('none');
    expect(reading.remarks.map(({ requirement }) => requirement)).toEqual(['fastmcp:manifest-rows']);
  });

  test.each<[what: string, document: unknown]>([
    ['no object', []],
    ['no files', { skill: 'x' }],
    ['too many files', { files: Array(limits.skill.files + 1).fill(main) }],
  ])('refuses a document with %s', (_what, document) => {
    expect(() => decodeManifest(document, uri)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
  });
});

describe('withManifest()', () => {
  test('restores a skill except for the losses of the dialect', () => {
    for (const entry of [gitWorkflowEntry, refundsEntry]) {
      const { description } = entry.frontmatter;
      const [skill] = scanSkillFiles([{ uri: entry.uri, name: 'SKILL.md', description }]).skills;
      if (skill === undefined) throw new Error('no skill was found');
      expect(withManifest(skill, decodeManifest(encodeManifest(entry), entry.uri))).toEqual(
        withoutLost(dialectSkillOf(entry), fastmcpLosses),
      );
    }
  });
});
