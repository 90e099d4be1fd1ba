import { describe, expect, test } from 'vitest';
import { f1, f2, gitWorkflowEntry } from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { limits } from '../../limits.ts';
import { decodeSkillIndex, skillIndexSchema } from './decode-index.ts';

const { digest } = f1;
const packedDigest = `sha256:${'a'.repeat(64)}`;
const skillMd = { name: 'git-workflow', type: 'skill-md', description: 'd', url: gitWorkflowEntry.uri, digest };
const archive = {
  name: 'git-workflow',
  type: 'archive',
  description: 'd',
  url: 'skill://git-workflow.tar.gz',
  digest: packedDigest,
};
const formB = { frontmatter: gitWorkflowEntry.frontmatter, url: gitWorkflowEntry.uri, digest };

const read = (...skills: readonly unknown[]) => decodeSkillIndex({ $schema: skillIndexSchema, skills });
const ids = (remarks: readonly { readonly requirement: string }[]): string[] => remarks.map((one) => one.requirement);
const faults = (...skills: readonly unknown[]): string[] =>
  read(...skills).refused.flatMap((one) => one.faults.map(({ message }) => message));

describe('decodeSkillIndex() with form A', () => {
  verifies(['index:a-fields', 'index:a-digest'], 'reads skill-md entries of all its drafts', () => {
    expect(read(skillMd)).toMatchObject({ forms: ['A'], remarks: [], refused: [] });
    expect(read(skillMd).skills).toEqual([
      {
        uri: gitWorkflowEntry.uri,
        skillPath: 'git-workflow',
        name: 'git-workflow',
        description: 'd',
        files: 'unknown',
        retrievals: [{ kind: 'read', uri: gitWorkflowEntry.uri, digest }],
        verified: 'skill-md-only',
      },
    ]);
    const { digest: _digest, type: _type, ...early } = skillMd;
    const old = read(early);
    expect(old.skills[0]).toMatchObject({ verified: 'none', name: 'git-workflow', retrievals: [{ kind: 'read' }] });
    expect(ids(old.remarks)).toEqual(['index:a-digest']);
    const upper = read({ ...skillMd, digest: `sha256:${digest.slice(7).toUpperCase()}` });
    expect(upper.skills[0]?.retrievals[0]).toMatchObject({ digest });
    expect(ids(upper.remarks)).toEqual(['index:a-digest']);
  });

  verifies(['index:a-archive'], 'reads an archive as the skill at its URL without suffix', () => {
    const { skills } = read({ ...archive, name: 'refunds', url: 'skill://acme/billing/refunds.zip' });
    expect(skills[0]).toMatchObject({
      uri: 'skill://acme/billing/refunds/SKILL.md',
      skillPath: 'acme/billing/refunds',
      retrievals: [{ kind: 'archive', format: 'zip', uri: 'skill://acme/billing/refunds.zip', digest: packedDigest }],
      verified: 'full',
    });
    const bare = read({ ...archive, url: 'skill://packed/17', digest: undefined });
    expect(bare.skills[0]).toMatchObject({ skillPath: 'git-workflow', uri: gitWorkflowEntry.uri, verified: 'none' });
    expect(bare.skills[0]?.retrievals).toEqual([{ kind: 'archive', uri: 'skill://packed/17' }]);
    expect(read({ ...archive, url: 'skill://.zip' }).skills[0]?.uri).toBe(gitWorkflowEntry.uri);
  });

  verifies(['index:a-template', 'C-3'], 'reads a template as a template, and shows the part before SKILL.md', () => {
    const reading = read({ type: 'mcp-resource-template', description: 'd', url: 'skill://docs/{product}/SKILL.md' });
    expect(reading.skills).toEqual([]);
    expect(reading.templates).toMatchObject([{ displayName: '{product}', description: 'd', goal: 'skill-md' }]);
    const early = read({ description: 'd', urlTemplate: 'skill://acme/{domain}/{workflow}/SKILL.md' });
    expect(early.templates[0]?.template.variables).toEqual(['domain', 'workflow']);
  });

  verifies(['index:unknown-type'], 'skips an unknown type and keeps the rest', () => {
    const reading = read({ name: 'x', type: 'wasm', description: 'd', url: 'skill://x' }, skillMd);
    expect(reading).toMatchObject({ skipped: ['wasm'], refused: [] });
    expect(reading.skills).toHaveLength(1);
  });

  verifies(['index:both-entries'], 'joins a skill-md and an archive entry into one skill with two retrievals', () => {
    for (const entries of [
      [skillMd, archive],
      [archive, skillMd],
      [{ ...archive, url: 'skill://packed/git-workflow.tar.gz' }, skillMd],
    ]) {
      const { skills, refused } = read(...entries);
      expect(refused).toEqual([]);
      expect(skills).toHaveLength(1);
      expect(skills[0]).toMatchObject({ uri: gitWorkflowEntry.uri, skillPath: 'git-workflow', verified: 'full' });
      expect(skills[0]?.retrievals.map(({ kind }) => kind)).toEqual(['read', 'archive']);
    }
  });

  verifies(['index:both-entries'], 'keeps skills with the same name apart, and attaches an archive to neither', () => {
    const other = { ...skillMd, url: 'skill://acme/git-workflow/SKILL.md' };
    const { skills } = read(skillMd, other, { ...archive, url: 'skill://packed/git-workflow.zip' });
    expect(skills.map(({ skillPath }) => skillPath)).toEqual([
      'git-workflow',
      'acme/git-workflow',
      'packed/git-workflow',
    ]);
  });

  verifies(['index:both-entries'], 'attaches no two archives of different locations to a skill', () => {
    const packed = ['skill://p/git-workflow.zip', 'skill://q/git-workflow.zip'].map((url) => ({ ...archive, url }));
    expect(read(skillMd, ...packed).skills.map(({ retrievals }) => retrievals.length)).toEqual([1, 1, 1]);
  });

  verifies(['index:both-entries'], 'distinguishes schemes, and takes the digest from the entry that has one', () => {
    const foreign = { ...skillMd, url: 'github://git-workflow/SKILL.md' };
    expect(read(skillMd, foreign).skills.map(({ uri }) => uri)).toEqual([skillMd.url, foreign.url]);
    const { digest: _digest, ...bare } = skillMd;
    for (const entries of [
      [bare, skillMd],
      [skillMd, bare],
    ])
      expect(read(...entries).skills).toMatchObject([{ verified: 'skill-md-only', retrievals: [{ digest }] }]);
  });

  verifies(['index:both-entries'], 'refuses a second entry that promises different bytes for the same URI', () => {
    const reading = read(skillMd, { ...skillMd, digest: f2.digest });
    expect(reading.skills[0]?.retrievals).toEqual([{ kind: 'read', uri: gitWorkflowEntry.uri, digest }]);
    expect(reading.refused[0]?.faults[0]?.message).toContain('promise different bytes');
    expect(read(skillMd, skillMd)).toMatchObject({ refused: [], skills: [{ name: 'git-workflow' }] });
  });

  verifies(
    ['survey:path-is-locator', 'C-18'],
    'keeps a name that is not the last segment of the path, and reports it',
    () => {
      const reading = read({ ...skillMd, name: 'refund-handling', url: 'skill://acme/billing/refunds/SKILL.md' });
      expect(reading.skills[0]).toMatchObject({ name: 'refund-handling', skillPath: 'acme/billing/refunds' });
      expect(ids(reading.remarks)).toEqual(['survey:path-is-locator']);
    },
  );

  test('adds the scheme that a URL lacks', () => {
    expect(read({ ...skillMd, url: 'git-workflow/SKILL.md' }).skills[0]?.uri).toBe(gitWorkflowEntry.uri);
  });
});

describe('decodeSkillIndex() with form B', () => {
  verifies(['index:b-frontmatter', 'index:b-forms'], 'reads a url, archives, or both', () => {
    const archives = [{ url: 'skill://git-workflow.tar.gz', mimeType: 'application/gzip', digest: packedDigest }];
    const both = read({ ...formB, archives });
    expect(both).toMatchObject({ forms: ['B'], remarks: [], refused: [] });
    expect(both.skills[0]).toMatchObject({
      frontmatter: gitWorkflowEntry.frontmatter,
      verified: 'full',
      files: 'unknown',
    });
    expect(read(formB).skills[0]).toMatchObject({ verified: 'skill-md-only' });
    const packed = read({ frontmatter: { name: 'pdf', description: 'd', metadata: { version: '2.1.0' } }, archives });
    expect(packed.skills[0]).toMatchObject({
      uri: 'skill://pdf/SKILL.md',
      skillPath: 'pdf',
      frontmatter: { metadata: { version: '2.1.0' } },
      retrievals: [{ kind: 'archive', uri: 'skill://git-workflow.tar.gz' }],
      verified: 'full',
    });
  });

  verifies(['index:b-archives', 'C-19'], 'reads mimeType and mediaType, and drops a bad archive', () => {
    const { skills, remarks } = read({
      ...formB,
      archives: [
        { url: 'skill://a', mediaType: 'application/zip', digest: packedDigest },
        { url: 'skill://b', mimeType: 'application/x-7z', digest: packedDigest },
        { url: 'skill://c.zip', digest: 'sha256:x' },
        { mimeType: 'application/zip' },
        7,
      ],
    });
    expect(skills[0]?.retrievals.slice(1)).toEqual([
      { kind: 'archive', uri: 'skill://a', format: 'zip', digest: packedDigest },
    ]);
    expect(ids(remarks)).toEqual(Array(4).fill('index:b-archives'));
  });

  verifies(
    ['index:b-digest'],
    'keeps an entry without a digest as unverified, and drops a retrieval with an invalid digest',
    () => {
      const bare = read({ frontmatter: formB.frontmatter, url: formB.url });
      expect(bare.skills[0]).toMatchObject({ verified: 'none' });
      expect(ids(bare.remarks)).toEqual(['index:b-digest']);
      const archives = [{ url: 'skill://x.zip', mimeType: 'application/zip', digest: packedDigest }];
      const half = read({ ...formB, digest: 'md5:0', archives });
      expect(half.skills[0]?.retrievals).toMatchObject([{ kind: 'archive' }]);
      expect(faults({ ...formB, digest: 'md5:0' })).toEqual([expect.stringContaining('"md5:0" is not')]);
    },
  );

  test.each<[what: string, entry: unknown, message: string]>([
    ['no way to its bytes', { frontmatter: { name: 'a', description: 'b' } }, 'neither a url nor an archive'],
    [
      'a name that is not its folder',
      { frontmatter: { name: 'b', description: 'd' }, url: 'skill://a/SKILL.md', digest },
      '"a", but',
    ],
    ['no description', { frontmatter: { name: 'a' }, url: 'skill://a/SKILL.md', digest }, 'description is not text'],
    ['a URL of another kind', { ...formB, url: 7 }, 'uri is not text'],
    [
      'a bad name and archives only',
      { frontmatter: { name: 'A', description: 'd' }, archives: [{ url: 'skill://x.zip' }] },
      'upper-case',
    ],
  ])('refuses an entry with %s and keeps the others', (_what, entry, message) => {
    const reading = read(entry, formB);
    expect(reading.skills).toHaveLength(1);
    expect(reading.refused.flatMap((one) => one.faults.map((fault) => fault.message)).join()).toContain(message);
  });
});

describe('decodeSkillIndex() with form C', () => {
  const formC = {
    uri: gitWorkflowEntry.uri,
    frontmatter: gitWorkflowEntry.frontmatter,
    resources: [
      { uri: gitWorkflowEntry.uri, digest },
      { uri: 'skill://git-workflow/references/GUIDE.md', digest: f2.digest },
    ],
  };

  verifies(['index:c-manifest', 'C-19'], 'reads a manifest without sizes as files with digests', () => {
    const reading = read(formC);
    expect(reading).toMatchObject({ forms: ['C'], remarks: [] });
    expect(reading.skills[0]).toMatchObject({
      files: [
        { path: 'SKILL.md', uri: gitWorkflowEntry.uri, digest },
        { path: 'references/GUIDE.md', digest: f2.digest },
      ],
      retrievals: [{ kind: 'read', uri: gitWorkflowEntry.uri, digest }],
      verified: 'full',
    });
  });

  verifies(['index:c-manifest'], 'reads an entry without resources as dynamic', () => {
    const { resources: _resources, ...bare } = formC;
    expect(read(bare).skills[0]).toMatchObject({ files: 'dynamic', verified: 'none' });
    expect(read({ ...bare, resources: 'dynamic' }).skills[0]).toMatchObject({ files: 'dynamic' });
    expect(read({ frontmatter: bare.frontmatter, url: bare.uri, resources: formC.resources }).skills[0]?.uri).toBe(
      bare.uri,
    );
  });

  verifies(['C-1'], 'refuses an entry whose forms promise different bytes', () => {
    expect(faults({ ...formC, url: formC.uri, digest: f2.digest })).toEqual([
      'digest is not that of the SKILL.md in resources',
    ]);
    expect(faults({ ...formC, digest: 'none' })).toHaveLength(1);
    expect(faults({ ...formC, resources: [{ uri: formC.uri, digest: 'x' }] })).toHaveLength(1);
  });
});

describe('decodeSkillIndex()', () => {
  verifies(['index:form'], 'recognizes the form of each entry and never fails for one of them', () => {
    const b = { frontmatter: { name: 'b', description: 'd' }, url: 'skill://b/SKILL.md', digest };
    const c = { uri: 'skill://c/SKILL.md', frontmatter: { name: 'c', description: 'd' }, resources: 'dynamic' };
    const reading = read(null, skillMd, {}, b, { name: 'x' }, c, [], { frontmatter: {} }, 'text');
    expect(reading.skills.map(({ name }) => name)).toEqual(['git-workflow', 'b', 'c']);
    expect(reading.forms).toEqual(['A', 'B', 'C']);
    expect(reading.refused).toHaveLength(6);
  });

  verifies(['index:any-schema'], 'reads a document with any schema or none', () => {
    const schema = 'https://static.modelcontextprotocol.io/schemas/2026-06-08/skill-index.schema.json';
    const reading = decodeSkillIndex({ $schema: schema, skills: [formB] });
    expect(reading.skills).toHaveLength(1);
    expect(ids(reading.remarks)).toEqual(['index:any-schema']);
    expect(decodeSkillIndex({ skills: [formB] }).remarks).toEqual([]);
    expect(ids(decodeSkillIndex({ $schema: 7, skills: [] }).remarks)).toEqual(['index:any-schema']);
  });

  test.each<[what: string, entry: unknown, message: string]>([
    ['a URL that is not a SKILL.md', { ...skillMd, url: 'skill://git-workflow' }, 'does not end with'],
    ['no URL', { ...skillMd, url: undefined }, 'uri is not text'],
    ['a name elsewhere and no description', { ...skillMd, name: 'other', description: '' }, 'description is blank'],
    ['a bad name', { ...skillMd, name: 'Git' }, 'upper-case'],
    ['a digest that is none', { ...skillMd, digest: 5 }, 'digest is not'],
    ['a file of the reader', { ...skillMd, url: 'file:///git-workflow/SKILL.md' }, 'cannot be the URI of a skill file'],
    ['a bad name of an archive', { ...archive, name: 'Git' }, 'upper-case'],
    ['no description of an archive', { ...archive, description: ' ' }, 'description is not text'],
    ['an archive outside any path', { ...archive, url: 'skill://a/../b.zip' }, 'cannot be the URI of an archive'],
    ['a template without URL', { type: 'mcp-resource-template', description: 'd' }, 'is not text'],
    ['a template that cannot be read', { type: 'mcp-resource-template', url: 'skill://{a' }, 'unclosed brace'],
    [
      'a template of something else',
      { type: 'mcp-resource-template', url: 'repo://{a}' },
      'not a template of skill URIs',
    ],
  ])('refuses an entry with %s', (_what, entry, message) => {
    const reading = read(entry, skillMd);
    expect(reading.skills).toHaveLength(1);
    expect(reading.refused[0]?.faults[0]?.message).toContain(message);
  });

  test.each<unknown>([null, [], 'x', {}, { skills: {} }])('refuses a document without skills: %j', (document) => {
    expect(() => decodeSkillIndex(document)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
  });

  test('reports a limited number of faults per entry', () => {
    const resources = Array.from({ length: 50 }, (_, at) => ({ uri: `skill://c/${at}`, digest: 'x' }));
    const refused = read({ uri: 'skill://c/SKILL.md', frontmatter: { name: 'c', description: 'd' }, resources })
      .refused[0];
    expect(refused?.faults.length).toBeLessThanOrEqual(limits.origin.faults);
    expect(refused).toMatchObject({ uri: 'skill://c/SKILL.md', name: 'c' });
  });
});
