import { lstat, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { validate } from 'skills-ref';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { findingRules } from '../skill/finding-rules.ts';
import { type UnusualSkill, type UnusualTree, writeUnusualTree } from './unusual-tree.ts';

let scratch: string;
let tree: UnusualTree;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'skillwire-odd-'));
  tree = await writeUnusualTree(join(scratch, 'tree'));
});

afterAll(() => rm(scratch, { recursive: true, force: true }));

/** All files and links in a folder, as paths with "/" in composed form. It follows linked folders. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  async function visit(path: string, above: readonly string[]): Promise<void> {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      const child = join(path, entry.name);
      const target = await stat(child).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ELOOP') return undefined;
        throw error;
      });
      if (target?.isDirectory() === true && !above.includes(String(target.ino)))
        await visit(child, [...above, String(target.ino)]);
      else found.push(relative(folder, child).split(sep).join('/').normalize('NFC'));
    }
  }
  await visit(folder, [String((await stat(folder)).ino)]);
  return found;
}

function named(folder: string): UnusualSkill {
  const skill = tree.skills.find((candidate) => candidate.folder === folder);
  if (skill === undefined) throw new Error(`there is no odd skill "${folder}"`);
  return skill;
}

describe('writeUnusualTree()', () => {
  test('writes each file that it names and no others', async () => {
    for (const skill of tree.skills) {
      if (skill.files === undefined) continue;
      const actual = (await filesIn(join(tree.root, skill.folder))).map((path) =>
        path.replace(/^skill\.md$/, 'SKILL.md'),
      );
      const expected = [...skill.files, ...(skill.notPublished ?? [])].map((path) => path.normalize('NFC'));
      expect(actual.sort(), skill.folder).toEqual(expected.sort());
      expect(skill.files, skill.folder).toContain('SKILL.md');
    }
  });

  test('names a URI with files, or a reason why there is none', () => {
    for (const skill of tree.skills) {
      expect(skill.files === undefined, skill.folder).toBe(skill.uri === undefined);
      if (skill.uri === undefined)
        expect(
          skill.rules.some((rule) => findingRules[rule].level !== 'warning'),
          skill.folder,
        ).toBe(true);
    }
    const uris = tree.skills.flatMap(({ uri }) => uri ?? []);
    expect(new Set(uris).size).toBe(uris.length);
    expect(new Set(tree.skills.map(({ folder }) => folder)).size).toBe(tree.skills.length);
  });

  test('publishes nothing hidden, installed or left over by an editor', () => {
    const published = tree.skills.flatMap(({ files }) => files ?? []);
    expect(published.filter((path) => /(?:^|\/)(?:\.|node_modules\/)|[~#]$/.test(path))).toEqual([]);
  });

  test('ends each URI with the name in the frontmatter', async () => {
    for (const { folder, uri } of tree.skills) {
      if (uri === undefined) continue;
      const file = folder === 'lower-case-file' ? 'skill.md' : 'SKILL.md';
      const name = /^name: (.+?)\r?$/m.exec(await readFile(join(tree.root, folder, file), 'utf8'))?.[1];
      expect(uri.split('/').slice(-2), folder).toEqual([name, 'SKILL.md']);
    }
  });

  test('percent-encodes the folders in front of a skill', () => {
    expect(named('team notes/spaced-prefix').uri).toBe('skill://team%20notes/spaced-prefix/SKILL.md');
    expect(named('one/two/three/deep-prefix').uri).toBe('skill://one/two/three/deep-prefix/SKILL.md');
  });

  test('writes unusual bytes as bytes', async () => {
    const bytes = (path: string) => readFile(join(tree.root, path));
    expect((await bytes('byte-order-mark/SKILL.md')).subarray(0, 6).toString('latin1')).toBe('\xEF\xBB\xBF---');
    expect((await bytes('windows-line-ends/SKILL.md')).toString()).not.toMatch(/[^\r]\n/);
    expect((await bytes('blanks-after-fence/SKILL.md')).toString()).toMatch(/\n--- {3}\n/);
    for (const path of ['latin-1/SKILL.md', 'latin-1-reference/references/latin-1.md']) {
      const content = await bytes(path);
      expect(() => new TextDecoder('utf-8', { fatal: true }).decode(content), path).toThrow(TypeError);
    }
    expect((await bytes('long-body/SKILL.md')).toString().split('\n').length).toBeGreaterThan(limits.skill.bodyLines);
    expect((await filesIn(join(tree.root, 'too-many-files'))).length).toBe(600);
  });

  test.skipIf(process.platform === 'win32')('writes scripts, pipes and links as such', async () => {
    const found = (path: string) => lstat(join(tree.root, path));
    expect((await found('executable-script/scripts/check.sh')).mode & 0o111).toBe(0o111);
    expect((await found('named-pipe/assets/queue')).isFIFO()).toBe(true);
    expect((await found('linked-file/references/style.md')).isSymbolicLink()).toBe(true);
    expect((await found('pinned-checks')).isSymbolicLink()).toBe(true);
    expect((await found('empty-folder/assets')).isDirectory()).toBe(true);
    await expect(stat(join(tree.root, 'broken-link/references/gone.md'))).rejects.toThrow('ENOENT');
    await expect(stat(join(tree.root, 'links-in-a-circle/references/ping.md'))).rejects.toThrow('ELOOP');
  });

  test.runIf(process.platform === 'linux')('omits no case on Linux', () => {
    expect(tree.skipped).toEqual([]);
  });

  test('refuses a folder that is not empty', async () => {
    await writeFile(join(scratch, 'something.txt'), '');
    await expect(writeUnusualTree(scratch)).rejects.toMatchObject({ code: 'USAGE' });
  });
});

const validForSkillsRef: readonly string[] = [
  '123',
  'allowed-tools-list',
  'blanks-after-fence',
  'broken-link',
  'cafe\u0301/decomposed-prefix',
  'colliding-case',
  'colliding-unicode',
  'decomposed-file-name',
  'editor-backups',
  'empty-file',
  'empty-folder',
  'executable-script',
  'hidden-files',
  'ignored-drafts',
  'installed-dependencies',
  'latin-1',
  'latin-1-reference',
  'link-out-of-root',
  'link-to-above',
  'linked-file',
  'linked-hidden-file',
  'linked-references',
  'links-in-a-circle',
  'long-body',
  'lower-case-file',
  'many-file-types',
  'metadata-list',
  'metadata-map',
  'metadata-text',
  'multi-line-list',
  'multi-line-quotes',
  'named-pipe',
  'non-ascii-file-names',
  'one/two/three/deep-prefix',
  'pinned-checks',
  'private-keys',
  'skill-in-skill',
  'skill-in-skill/inner-check',
  'spaced-file-name',
  'team notes/spaced-prefix',
  'too-many-files',
  'twice/canonical',
  'version-as-number',
  'windows-line-ends',
  'windows-names',
  'yaml-anchors',
  'навык',
];

describe('the validator skills-ref', () => {
  test('accepts exactly these unusual skills', async () => {
    const written = new Set(tree.skills.map(({ folder }) => folder));
    const valid: string[] = [];
    for (const folder of written) if ((await validate(join(tree.root, folder))).length === 0) valid.push(folder);
    expect(valid.sort()).toEqual(validForSkillsRef.filter((folder) => written.has(folder)));
  });

  test('accepts skills that are not served only if the corpus gives a reason', () => {
    const unserved = tree.skills.filter(({ folder, uri }) => uri === undefined && validForSkillsRef.includes(folder));
    const stated = tree.skills.filter(({ acceptedBySkillsRef }) => acceptedBySkillsRef !== undefined);
    expect(unserved).toEqual(stated);
    expect(stated.map(({ folder }) => folder).sort()).toEqual(['123', 'latin-1', 'too-many-files', 'навык']);
  });

  test('refuses these skills, which are served with a warning', () => {
    const refused = tree.skills.filter(({ folder, uri }) => uri !== undefined && !validForSkillsRef.includes(folder));
    expect(refused.map(({ folder, rules }) => [folder, ...rules])).toEqual([
      ['compatibility-list', 'frontmatter-not-listed'],
      ['unknown-keys', 'frontmatter-unknown-key'],
      ['byte-order-mark', 'skill-md-bom'],
      ['renamed/table-check-v2', 'name-differs-from-folder'],
    ]);
  });
});
