import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { rawTar, tarEnd, tarGz } from '../../../test/archives/raw-tar.ts';
import { skill, type Tree, temporary } from '../../../test/skill-folders.ts';
import type { ArchiveFile, ArchiveFormat } from '../../archive/archive-file.ts';
import { packArchive } from '../../archive/pack.ts';
import type { Finding } from '../../skill/finding.ts';
import { testSkillSource } from '../../testing/test-skill-source.ts';
import { writeUnusualTree } from '../../testing/unusual-tree.ts';
import { directorySource } from '../directory/directory-source.ts';
import type { SkillSource, SourceSkill } from '../skill-source.ts';
import { type ArchiveSourceOptions, archiveSource } from './archive-source.ts';

const examples = join(import.meta.dirname, '../../../examples/skills');

async function filesBelow(folder: string): Promise<readonly ArchiveFile[]> {
  const files: ArchiveFile[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const executable = ((await stat(path)).mode & 0o111) !== 0;
    files.push({ path: path.slice(folder.length + 1).replaceAll('\\', '/'), bytes: await readFile(path), executable });
  }
  return files;
}

function filesOf(tree: Tree, above = ''): readonly ArchiveFile[] {
  return Object.entries(tree).flatMap(([name, content]) =>
    typeof content === 'string' || content instanceof Uint8Array
      ? [{ path: above + name, bytes: Buffer.from(content), executable: name.endsWith('.sh') }]
      : filesOf(content, `${above}${name}/`),
  );
}

interface Listing {
  readonly skills: readonly SourceSkill[];
  readonly findings: readonly Finding[];
}

async function listed(source: SkillSource): Promise<Listing> {
  const skills: SourceSkill[] = [];
  const findings: Finding[] = [];
  for await (const page of source.list({})) {
    skills.push(...page.skills);
    findings.push(...page.findings);
  }
  return { skills: skills.sort((a, b) => (a.entry.uri < b.entry.uri ? -1 : 1)), findings };
}

async function read(tree: Tree, options: ArchiveSourceOptions = {}): Promise<Listing> {
  return listed(archiveSource({ bytes: packArchive(filesOf(tree), 'zip'), name: 'given.zip' }, options));
}

const uris = ({ skills }: Listing): string[] => skills.map(({ entry }) => entry.uri);

for (const format of ['tar.gz', 'zip'] as const) {
  describe(`archiveSource() of a ${format} passes the tests of the port`, () => {
    testSkillSource({
      test,
      create: async () => {
        const folder = await temporary();
        const path = join(folder, `skills.${format}`);
        await writeFile(path, packArchive(await filesBelow(examples), format));
        return { source: archiveSource(path) };
      },
    });
  });
}

describe('archiveSource()', () => {
  test.each(['tar.gz', 'zip'] as const)(
    'returns exactly the same as a folder with the same files (%s)',
    async (format) => {
      const folder = directorySource(examples, { watch: false, cache: false });
      onTestFinished(() => folder.close?.());
      const archive = archiveSource({ bytes: packArchive(await filesBelow(examples), format), name: examples });
      const [ours, theirs] = [await listed(archive), await listed(folder)];
      // Packed files have no time.
      expect(ours.skills).toEqual(theirs.skills.map((skill) => ({ ...skill, updatedMs: undefined })));
      expect(sorted(ours.findings)).toEqual(sorted(theirs.findings));
      expect(ours.skills.length).toBeGreaterThan(2);
    },
  );

  test('judges unusual skills like a folder', async () => {
    const root = await temporary();
    await writeUnusualTree(root);
    const folder = directorySource(root, { watch: false, cache: false });
    onTestFinished(() => folder.close?.());
    const theirs = await listed(folder);
    const verifiable = theirs.skills.filter(({ entry }) => entry.resources !== 'dynamic');
    let compared = 0;
    for (const { entry } of verifiable) {
      const path = entry.uri.slice('skill://'.length, -'/SKILL.md'.length);
      const files = await filesBelow(join(root, path)).catch(() => []);
      const bytes = packed(files);
      if (bytes === undefined) continue;
      const ours = await listed(archiveSource({ bytes, name: 'one.zip' }));
      const [found] = ours.skills;
      // The URI of a nested or renamed skill depends on its folder; its content does not.
      expect(found?.entry.frontmatter).toEqual(entry.frontmatter);
      compared++;
    }
    expect(compared).toBeGreaterThan(5);
  });

  test('publishes a skill at the root under its name, whatever the name of the archive', async () => {
    const found = await read({ 'SKILL.md': skill('pdf'), scripts: { 'run.sh': '#!/bin/sh\n' } });
    expect(uris(found)).toEqual(['skill://pdf/SKILL.md']);
    expect(found.findings).toEqual([]);
    expect(found.skills[0]?.entry._meta).toEqual({ 'dev.skillwire/executable': ['skill://pdf/scripts/run.sh'] });
    expect(found.skills[0]?.aliases).toBeUndefined();
  });

  test('publishes a tree of skills if there is none at the root', async () => {
    const tree = { pdf: { 'SKILL.md': skill('pdf') }, team: { git: { 'SKILL.md': skill('git') } }, 'README.md': 'x' };
    expect(uris(await read(tree))).toEqual(['skill://pdf/SKILL.md', 'skill://team/git/SKILL.md']);
    expect(uris(await read(tree, { label: 'docs' }))).toEqual([
      'skill://docs/pdf/SKILL.md',
      'skill://docs/team/git/SKILL.md',
    ]);
  });

  test('publishes nested skills as own entries, unless disabled', async () => {
    const tree = { 'SKILL.md': skill('outer'), inner: { 'SKILL.md': skill('inner') } };
    expect(uris(await read(tree))).toEqual(['skill://outer/SKILL.md', 'skill://outer/inner/SKILL.md']);
    expect(uris(await read(tree, { nested: false }))).toEqual(['skill://outer/SKILL.md']);
  });

  test('never publishes files that a folder would not: hidden files, keys, files in .skillignore', async () => {
    const { skills, findings } = await read({
      'SKILL.md': skill('pdf'),
      '.env': 'x',
      '.skillignore': 'drafts/\n',
      id_rsa: 'x',
      'key.txt': '-----BEGIN PRIVATE KEY-----\n',
      drafts: { 'x.md': 'x' },
      'kept.md': 'x',
    });
    expect(skills[0]?.entry.resources).toEqual([
      expect.objectContaining({ uri: 'skill://pdf/SKILL.md' }),
      expect.objectContaining({ uri: 'skill://pdf/kept.md' }),
    ]);
    expect(findings.map(({ rule }) => rule)).toEqual(['file-secret', 'file-secret', 'file-hidden']);
    expect(findings[0]?.file).toBe(join('given.zip', 'id_rsa'));
  });

  test('reports hidden folders with skills that are not read', async () => {
    const one = { 'SKILL.md': skill('a') };
    const tree = {
      '.claude': { skills: { a: one } },
      '.other': { deep: { a: one } },
      skills: { '.curated': { a: one } },
    };
    const { skills, findings } = await read(tree);
    expect(skills.map(({ entry }) => entry.uri)).toEqual(['skill://skills/.curated/a/SKILL.md']);
    expect(findings.map(({ rule, file }) => [rule, file])).toEqual([
      ['agent-folder-left-out', join('given.zip', '.claude', 'skills')],
      ['hidden-folder-left-out', join('given.zip', '.other')],
    ]);
    // A user cannot name a folder inside an archive.
    for (const { remedy } of findings) expect(remedy).not.toContain('name the folder');
    const wanted = await read(tree, { agentFolders: true });
    expect(wanted.findings.map(({ rule }) => rule)).toEqual(['name-not-unique', 'hidden-folder-left-out']);
  });

  test('serves good skills beside bad ones', async () => {
    const found = await read({ good: { 'SKILL.md': skill('good') }, bad: { 'SKILL.md': 'no frontmatter' } });
    expect(uris(found)).toEqual(['skill://good/SKILL.md']);
    expect(found.findings.map(({ rule }) => rule)).toEqual(['frontmatter-missing']);
  });

  test('reports an archive without skills', async () => {
    expect((await read({ 'README.md': 'x' })).findings.map(({ rule }) => rule)).toEqual(['root-empty']);
  });

  test('refuses the whole archive if one entry is hostile', async () => {
    const bytes = tarGz({ name: 'SKILL.md', data: skill('pdf') }, { name: '../x' });
    await expect(listed(archiveSource({ bytes, name: 'x.tgz' }))).rejects.toMatchObject({
      code: 'ARCHIVE_PATH_ESCAPE',
    });
  });

  test('refuses an archive whose format contradicts its name; .skill implies none', async () => {
    const zip = packArchive(filesOf({ 'SKILL.md': skill('pdf') }), 'zip');
    const tar = packArchive(filesOf({ 'SKILL.md': skill('pdf') }), 'tar.gz');
    await expect(listed(archiveSource({ bytes: zip, name: 'x.tar.gz' }))).rejects.toMatchObject({
      code: 'ARCHIVE_FORMAT',
    });
    await expect(listed(archiveSource({ bytes: tar, name: 'x.zip' }))).rejects.toMatchObject({
      code: 'ARCHIVE_FORMAT',
    });
    for (const bytes of [zip, tar])
      expect((await listed(archiveSource({ bytes, name: 'x.skill' }))).skills).toHaveLength(1);
  });

  test('distinguishes a missing file, a folder and an unusable file', async () => {
    const folder = await temporary({ 'text.zip': 'text', 'folder.zip': {} });
    const code = (name: string): Promise<unknown> =>
      listed(archiveSource(join(folder, name))).catch((error: unknown) => (error as { code: string }).code);
    expect(await code('none.zip')).toBe('ORIGIN_NOT_FOUND');
    expect(await code('folder.zip')).toBe('ORIGIN_UNREADABLE');
    expect(await code('text.zip')).toBe('ARCHIVE_FORMAT');
    await mkdir(join(folder, 'big'));
    await writeFile(join(folder, 'big/x.zip'), Buffer.alloc(33 * 1024 * 1024));
    expect(await code('big/x.zip')).toBe('ARCHIVE_TOO_LARGE');
  });
});

describe('archiveSource() of a file that changes', () => {
  const archiveOf = (tree: Tree, format: ArchiveFormat = 'tar.gz'): Uint8Array => packArchive(filesOf(tree), format);

  async function replaced(path: string, bytes: Uint8Array): Promise<void> {
    await writeFile(`${path}.next`, bytes);
    await rename(`${path}.next`, path);
  }

  test('serves the new file on the next call', async () => {
    const path = join(await temporary(), 'x.tgz');
    await writeFile(path, archiveOf({ 'SKILL.md': skill('pdf'), 'a.md': 'one' }));
    const source = archiveSource(path);
    expect(uris(await listed(source))).toEqual(['skill://pdf/SKILL.md']);
    const before = await source.open('skill://pdf/a.md', {});
    await replaced(path, archiveOf({ 'SKILL.md': skill('pdf'), 'a.md': 'two' }));
    const after = await source.open('skill://pdf/a.md', {});
    expect(Buffer.from(after?.bytes ?? []).toString()).toBe('two');
    expect(await source.isCurrent?.('skill://pdf/a.md', before?.digest ?? '')).toBe(false);
    expect(await source.isCurrent?.('skill://pdf/a.md', after?.digest ?? '')).toBe(true);
  });

  test('serves the last good file, with a finding, until the new one is complete', async () => {
    const path = join(await temporary(), 'x.tgz');
    await writeFile(path, archiveOf({ 'SKILL.md': skill('pdf') }));
    const source = archiveSource(path);
    await listed(source);
    const next = archiveOf({ 'SKILL.md': skill('git') });
    await writeFile(path, next.subarray(0, 50));
    const meanwhile = await listed(source);
    expect(uris(meanwhile)).toEqual(['skill://pdf/SKILL.md']);
    expect(meanwhile.findings).toMatchObject([{ rule: 'archive-unusable', level: 'problem', file: path }]);
    await rm(path);
    expect((await listed(source)).findings[0]?.message).toContain('there is no such file');
    await writeFile(path, next);
    const after = await listed(source);
    expect(uris(after)).toEqual(['skill://git/SKILL.md']);
    expect(after.findings).toEqual([]);
  });

  test('does not unpack an unchanged file again', async () => {
    const path = join(await temporary(), 'x.tgz');
    await writeFile(path, archiveOf({ 'SKILL.md': skill('pdf') }));
    const source = archiveSource(path);
    const [first] = (await listed(source)).skills;
    expect(await source.get('skill://pdf/SKILL.md', {})).toBe(first);
    await utimes(path, 1, 1);
    expect(await source.get('skill://pdf/SKILL.md', {})).not.toBe(first);
  });

  test('close() closes it', async () => {
    const source = archiveSource({ bytes: tarGz(rawTar({ name: 'SKILL.md', data: skill('pdf') }), tarEnd), name: 'x' });
    await listed(source);
    await source.close?.();
    await expect(source.get('skill://pdf/SKILL.md', {})).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

function sorted(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ rule, file, line, message }) => `${rule} ${file}:${line} ${message}`).sort();
}

/** Undefined if a name of an unusual tree cannot be packed. */
function packed(files: readonly ArchiveFile[]): Uint8Array | undefined {
  try {
    return packArchive(files, 'zip');
  } catch {
    return undefined;
  }
}
