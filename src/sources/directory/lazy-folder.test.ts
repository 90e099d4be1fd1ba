import { chmod, mkdtemp, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { skill, type Tree, write } from '../../../test/skill-folders.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import type { SourceSkill } from '../skill-source.ts';
import { cachedFileName } from './cached-tree-format.ts';
import { readCachedTree } from './cached-tree-reader.ts';
import { type DirectorySource, directorySource } from './directory-source.ts';

const tree: Tree = {
  resting: {
    'SKILL.md': skill('resting'),
    references: { 'x.md': 'one', deep: { 'y.md': 'two' } },
    scripts: { 'run.sh': 'echo' },
  },
  typed: { 'SKILL.md': skill('typed'), 'no-type': 'text' },
  spelled: {
    'SKILL.md': skill('spelled'),
    'e\u0301te\u0301.md': 'decomposed',
    'two words (1).md': 'encoded',
    ß: { 'x.md': 'in' },
  },
  team: { renamed: { 'SKILL.md': skill('other-name'), 'a.md': 'a' } },
  outer: { 'SKILL.md': skill('outer'), inner: { 'SKILL.md': skill('inner') } },
  told: { 'SKILL.md': `${skill('told')}\u200b\n` },
  hiding: { 'SKILL.md': skill('hiding'), '.env': 'SECRET=1' },
};

const changes: readonly (readonly [string, (root: string) => Promise<void>])[] = [
  ['a file was edited and its time put back', (root) => editQuietly(join(root, 'resting/references/deep/y.md'))],
  ['a file came', (root) => writeFile(join(root, 'resting/references/deep/new.md'), 'new')],
  ['a file went', (root) => rm(join(root, 'resting/references/x.md'))],
  [
    'a file was renamed',
    (root) => rename(join(root, 'resting/references/x.md'), join(root, 'resting/references/z.md')),
  ],
  ['a folder went', (root) => rm(join(root, 'resting/references/deep'), { recursive: true })],
  ['a skill came inside', (root) => write(join(root, 'resting/references/sub'), { 'SKILL.md': skill('sub') })],
  ['the name of the skill changed', (root) => writeFile(join(root, 'resting/SKILL.md'), skill('changed'))],
  ['the SKILL.md went', (root) => rm(join(root, 'resting/SKILL.md'))],
  ['the folder went', (root) => rm(join(root, 'resting'), { recursive: true })],
  ['a .skillignore came above', (root) => writeFile(join(root, '.skillignore'), 'references\n')],
  ...(process.platform === 'win32'
    ? []
    : ([
        ['a file became executable', (root) => chmod(join(root, 'resting/references/x.md'), 0o755)],
        ['a file became a link', (root) => becomeLink(join(root, 'resting/references/x.md'), '../SKILL.md')],
        ['a folder became a link', (root) => becomeLink(join(root, 'resting/references/deep'), '../scripts')],
      ] as const satisfies readonly (readonly [string, (root: string) => Promise<void>])[])),
];

async function editQuietly(file: string): Promise<void> {
  const { atime, mtime } = await stat(file);
  await writeFile(file, 'TWO');
  await utimes(file, atime, mtime);
}

async function becomeLink(path: string, target: string): Promise<void> {
  await rm(path, { recursive: true });
  await symlink(target, path);
}

let scratch: string;

/** Stamps are trusted by another run only if they are older than the coarsest clock, so all trees are written first. */
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'skillwire-resting-'));
  for (const name of ['same', 'opened', 'watched', 'reread', ...changes.keys()]) {
    const root = join(scratch, String(name));
    await write(root, tree);
    if (process.platform !== 'win32') await chmod(join(root, 'resting/scripts/run.sh'), 0o755);
  }
  await new Promise((resolve) => setTimeout(resolve, 2_200));
});

afterAll(() => rm(scratch, { recursive: true, force: true }));

const cacheOf = (root: string): string => `${root}-cache`;

/** The listing of a source of the folder. */
async function list(source: DirectorySource): Promise<SourceSkill[]> {
  const skills: SourceSkill[] = [];
  for await (const page of source.list({})) skills.push(...page.skills);
  return skills;
}

async function listed(root: string, cache: string | false): Promise<unknown> {
  const source = directorySource(root, { watch: false, cache });
  try {
    const skills = await list(source);
    return {
      skills: JSON.stringify(skills),
      copies: skills.map(({ entry }) => ({ ...entry })),
      report: await source.report(),
    };
  } finally {
    await source.close?.();
  }
}

/** The skills that are lazy at the next start. */
function lazyIn(root: string): string[] {
  const cachedTree = readCachedTree(join(cacheOf(root), cachedFileName(root)), root);
  return (cachedTree?.entries() ?? []).filter(({ folder }) => folder?.skill !== undefined).map(({ name }) => name);
}

describe('a lazy folder', () => {
  test('is reported exactly like a read one; only a skill without findings stays lazy', async () => {
    const root = join(scratch, 'same');
    const cold = await listed(root, false);
    expect(await listed(root, cacheOf(root))).toEqual(cold);
    expect(lazyIn(root)).toEqual(['resting', 'spelled', 'typed']);
    expect(await listed(root, cacheOf(root))).toEqual(cold);
  });

  test('stays lazy also if its files were read again before the cache was written', async () => {
    const root = join(scratch, 'opened');
    const source = directorySource(root, { watch: false, cache: cacheOf(root) });
    for (const { entry } of await list(source))
      for (const { uri } of entry.resources === 'dynamic' ? [] : entry.resources) await source.open(uri, {});
    await source.close?.();
    expect(lazyIn(root)).toEqual(['resting', 'spelled', 'typed']);
  });

  test('uses names of files unchanged only if they need no encoding', async () => {
    const root = join(scratch, 'same');
    await listed(root, cacheOf(root));
    const entries = readCachedTree(join(cacheOf(root), cachedFileName(root)), root)?.entries() ?? [];
    const files = (name: string) => entries.find((entry) => entry.name === name)?.folder?.skillFiles();
    expect(files('spelled')).toBeUndefined();
    expect(files('resting')?.map(({ path, executable }) => [path, executable])).toEqual([
      ['SKILL.md', false],
      ['references/deep/y.md', false],
      ['references/x.md', false],
      ['scripts/run.sh', process.platform !== 'win32'],
    ]);
  });

  test.each(changes)('is read if %s', async (_, change) => {
    const root = join(scratch, String(changes.findIndex(([, one]) => one === change)));
    const before = await listed(root, cacheOf(root));
    expect(lazyIn(root)).toContain('resting');
    await change(root);
    const now = await listed(root, false);
    expect(now).not.toEqual(before);
    expect(await listed(root, cacheOf(root))).toEqual(now);
  });

  test('is watched, and an edit in it is announced', async () => {
    const root = join(scratch, 'watched');
    await listed(root, cacheOf(root));
    const catalog = createCatalog(directorySource(root, { cache: cacheOf(root) }));
    onTestFinished(() => catalog.close());
    const seen: string[] = [];
    catalog.subscribe(({ snapshot }) => {
      seen.push(JSON.stringify(snapshot.skill('skill://resting/SKILL.md')?.entry.resources));
    });
    const before = JSON.stringify((await catalog.snapshot()).skill('skill://resting/SKILL.md')?.entry.resources);
    await writeFile(join(root, 'resting/references/deep/y.md'), 'edited while watched');
    await expect.poll(() => seen.at(-1) ?? before, { timeout: 20_000 }).not.toBe(before);
    expect((await catalog.read('skill://resting/references/deep/y.md', {})).bytes.toString()).toBe(
      'edited while watched',
    );
  });

  test('is read again on a request for its entry, and changes are cached for the next start', async () => {
    const root = join(scratch, 'reread');
    await listed(root, cacheOf(root));
    const source = directorySource(root, { watch: false, cache: cacheOf(root) });
    await list(source);
    await writeFile(join(root, 'resting/references/x.md'), 'edited between');
    const entry = (await source.get('skill://resting/SKILL.md', {}))?.entry;
    expect(JSON.stringify(entry?.resources)).toContain('"size":14');
    expect(Buffer.from((await source.open('skill://resting/references/x.md', {}))?.bytes ?? []).toString()).toBe(
      'edited between',
    );
    await source.close?.();
    expect(lazyIn(root)).toEqual(['spelled', 'typed']);
    expect(await listed(root, cacheOf(root))).toEqual(await listed(root, false));
  });
});
