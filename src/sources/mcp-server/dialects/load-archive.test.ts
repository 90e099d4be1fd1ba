/** Skills that come as archives: verified, unpacked, and refused if something fails verification. */
import { describe, expect, test } from 'vitest';
import { f1, f2 } from '../../../../test/dialect-fixtures.ts';
import { bothEntries, formB } from '../../../../test/peers/servers/index-drafts.ts';
import { listed, reads } from '../../../../test/peers/servers/reading-source.ts';
import { type Content, reading, type StandIn, skillMd } from '../../../../test/peers/servers/stand-in.ts';
import { verifies } from '../../../../test/requirements/verifies.ts';
import type { ArchiveFormat } from '../../../archive/archive-file.ts';
import { packArchive } from '../../../archive/pack.ts';
import { sha256Digest } from '../../../skill/digest.ts';

const uri = 'skill://git-workflow/SKILL.md';
const guide = 'skill://git-workflow/references/GUIDE.md';
const description = 'Follow team Git conventions for branching and commits.';
const frontmatter = { name: 'git-workflow', description };

function packed(texts: Readonly<Record<string, string>>, format: ArchiveFormat = 'tar.gz'): Uint8Array {
  const files = Object.entries(texts).map(([path, text]) => ({
    path,
    bytes: new TextEncoder().encode(text),
    executable: path.startsWith('scripts/'),
  }));
  return packArchive(files, format);
}

const whole = { 'SKILL.md': f1.text, 'references/GUIDE.md': f2.text };
const tar = packed(whole);
const zip = packed(whole, 'zip');

function serving(skills: readonly object[], contents: Readonly<Record<string, Content>>): StandIn {
  return {
    name: 'archives',
    from: 'this test',
    capabilities: { resources: {} },
    methods: { 'resources/read': reading({ 'skill://index.json': { skills }, ...contents }) },
  };
}

const entryB = async (archive: Uint8Array, more: object = {}): Promise<object> => ({
  frontmatter,
  archives: [{ url: 'skill://git-workflow.tar.gz', mimeType: 'application/gzip', digest: await sha256Digest(archive) }],
  ...more,
});

describe('an archive', () => {
  verifies(['index:b-archives', 'C-5'], 'has all its files verified, and is fetched once', async () => {
    const { source, server } = await reads(formB());
    const { skills } = await listed(source);
    const pdf = skills.find(({ entry }) => entry.frontmatter.name === 'pdf-processing')?.entry;
    const script = 'skill://pdf-processing/scripts/fill.py';
    expect(pdf).toMatchObject({
      uri: 'skill://pdf-processing/SKILL.md',
      frontmatter: { license: 'MIT' },
      resources: [{ uri: 'skill://pdf-processing/SKILL.md' }, { uri: script, size: 9 }],
      _meta: { 'dev.skillwire/executable': [script] },
    });
    for (const file of pdf?.resources === 'dynamic' ? [] : (pdf?.resources ?? []))
      expect((await source.open(file.uri, {}))?.digest).toBe(file.digest);
    await source.get('skill://pdf-processing/SKILL.md', { fresh: true });
    expect(server.requests.filter((one) => one.endsWith('.tar.gz'))).toHaveLength(1);
    expect(await source.open('skill://pdf-processing/nope', {})).toBeUndefined();
  });

  verifies(['index:both-entries'], 'and files of one skill are one skill, read from the archive', async () => {
    const { source, server } = await reads(bothEntries());
    const { skills } = await listed(source);
    expect(skills).toHaveLength(1);
    expect(skills[0]?.entry.resources).toHaveLength(3);
    expect((await source.open(guide, {}))?.digest).toBe(f2.digest);
    expect(server.requests.filter((one) => one.endsWith('.md'))).toEqual([]);
  });

  verifies(
    ['index:a-digest', 'index:b-archives'],
    'with another digest refuses the skill, whatever other forms exist',
    async () => {
      const skill = await entryB(zip, { url: uri, digest: f1.digest });
      const { source } = await reads(serving([skill], { 'skill://git-workflow.tar.gz': tar, [uri]: f1.text }));
      expect(await listed(source)).toMatchObject({
        skills: [],
        refused: [{ uri, code: 'VERIFICATION_FAILED', faults: [expect.stringContaining('promises the digest')] }],
      });
      await expect(source.get(uri, {})).rejects.toMatchObject({ reason: 'digest' });
    },
  );

  test('with a SKILL.md other than in the index is refused', async () => {
    const skill = await entryB(tar, { url: uri, digest: f2.digest });
    const { source } = await reads(serving([skill], { 'skill://git-workflow.tar.gz': tar }));
    expect((await listed(source)).refused).toMatchObject([{ code: 'VERIFICATION_FAILED' }]);
  });

  verifies(['index:b-frontmatter'], 'with frontmatter other than in the index is refused', async () => {
    const skill = await entryB(tar, { frontmatter: { ...frontmatter, license: 'MIT' } });
    const { source } = await reads(serving([skill], { 'skill://git-workflow.tar.gz': tar }));
    expect((await listed(source)).refused).toMatchObject([{ faults: [expect.stringContaining('"license"')] }]);
  });

  test('that is missing or unusable falls back to the next one, or the files', async () => {
    const archives = [
      { url: 'skill://git-workflow.tar.gz', mimeType: 'application/gzip', digest: await sha256Digest(zip) },
      { url: 'skill://git-workflow.zip', mimeType: 'application/zip', digest: await sha256Digest(zip) },
    ];
    const contents = { 'skill://git-workflow.tar.gz': zip, 'skill://git-workflow.zip': zip, [uri]: f1.text };
    const { source } = await reads(serving([{ frontmatter, archives }], contents));
    const second = await listed(source);
    expect(second.skills[0]?.entry.resources).toHaveLength(2);
    expect(second.findings.map(({ message }) => message).join()).toContain('should be tar.gz but is zip');
    const gone = { frontmatter, url: uri, digest: f1.digest, archives: archives.slice(0, 1) };
    const { source: files } = await reads(serving([gone], { [uri]: f1.text }));
    expect((await listed(files)).skills[0]?.partial).toMatchObject({ more: true });
    const { source: nothing } = await reads(serving([{ frontmatter, archives }], {}));
    expect((await listed(nothing)).refused).toMatchObject([{ code: 'ORIGIN_FAILED' }]);
  });

  verifies(['index:a-archive'], 'without a digest gives a skill without promises', async () => {
    const skill = { name: 'git-workflow', description, type: 'archive', url: 'skill://git-workflow.tar.gz' };
    const { source } = await reads(serving([skill], { 'skill://git-workflow.tar.gz': tar }));
    const { skills } = await listed(source);
    expect(skills[0]).toMatchObject({
      entry: { uri, resources: 'dynamic' },
      partial: { reason: 'no-digest', files: [{ uri }, { uri: guide }] },
    });
    expect((await source.open(guide, {}))?.digest).toBe(f2.digest);
  });

  test('without SKILL.md, or with paths that lead out, is not a skill', async () => {
    const other = packed({ 'README.md': skillMd('x') });
    const { source } = await reads(serving([await entryB(other)], { 'skill://git-workflow.tar.gz': other }));
    expect((await listed(source)).refused).toMatchObject([{ code: 'ARCHIVE_LAYOUT' }]);
    const hostile = Uint8Array.from(Buffer.from('not an archive'));
    const { source: none } = await reads(serving([await entryB(hostile)], { 'skill://git-workflow.tar.gz': hostile }));
    expect((await listed(none)).refused).toMatchObject([{ code: 'ARCHIVE_FORMAT' }]);
  });
});
