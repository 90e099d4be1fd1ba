import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { files, report, rules, skill, type Tree, temporary, uris } from '../../../test/skill-folders.ts';
import {
  ignoringTree,
  linkForm,
  servedUris,
  unusableForms,
  writeIgnoringTree,
} from '../../../test/unusable-ignores.ts';
import type { ArchiveFile } from '../../archive/archive-file.ts';
import { packArchive } from '../../archive/pack.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import type { Finding } from '../../skill/finding.ts';
import { archiveSource } from '../archive/archive-source.ts';
import { gitSource } from '../git/git-source.ts';
import { directorySource } from './directory-source.ts';

/** The relevant part of a listing, by the name of the folder that has the file. */
const summaries = (findings: readonly Finding[]): readonly (readonly [string, string, number | undefined])[] =>
  findings
    .map(({ level, rule, file = '', line }) => [file.split('/').at(-2) ?? '', `${level} ${rule}`, line] as const)
    .sort();

const expected = (forms: readonly { readonly name: string; readonly line?: number }[]): ReturnType<typeof summaries> =>
  forms.map(({ name, line }) => [name, 'problem ignore-file', line] as const).sort();

async function everyFile(catalog: Catalog): Promise<string[]> {
  return (await catalog.snapshot()).skills.flatMap((one) => [...one.files.values()].map(({ uri }) => uri)).sort();
}

describe('a .skillignore that cannot be used', () => {
  test('prevents publishing its skill, with file, line and reason', async () => {
    const root = await temporary();
    const forms = await writeIgnoringTree(root);
    const found = await report(root);
    expect(uris(found)).toEqual(servedUris);
    expect(summaries(found.findings)).toEqual(expected(forms));
    for (const { name, says } of forms) {
      const file = join(root, name, '.skillignore');
      const { message } = found.findings.find((one) => one.file === file) ?? {};
      expect(message).toContain(says);
      expect(message).toMatch(/^\.skillignore .*, so nothing in its folder is published$/);
    }
    expect(found.skills.flatMap((one) => one.files.map(({ path }) => path))).toEqual(servedUris.map(() => 'SKILL.md'));
  });

  test('does so in an archive, too', async () => {
    const filesOf = (tree: Tree, above = ''): ArchiveFile[] =>
      Object.entries(tree).flatMap(([name, content]) =>
        typeof content === 'string' || content instanceof Uint8Array
          ? [{ path: above + name, bytes: Buffer.from(content), executable: false }]
          : filesOf(content, `${above}${name}/`),
      );
    const source = archiveSource({ bytes: packArchive(filesOf(ignoringTree), 'zip'), name: 'given.zip' });
    const catalog = createCatalog(source);
    onTestFinished(() => catalog.close());
    expect(await everyFile(catalog)).toEqual(servedUris);
    expect(summaries((await catalog.snapshot()).findings)).toEqual(expected(unusableForms));
  });

  test('does so in a commit, too', async () => {
    const repository = await temporary();
    await writeIgnoringTree(repository);
    await rm(join(repository, 'locked'), { recursive: true, force: true });
    const git = (...args: string[]): void => {
      const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'core.autocrlf=false'];
      execFileSync('git', ['-C', repository, ...who, ...args], { stdio: 'ignore' });
    };
    git('init', '--quiet');
    git('add', '--all', '--force');
    git('commit', '--quiet', '--message', 'x');
    const source = gitSource({
      repository,
      cacheFolder: await temporary(),
      env: process.env,
      exclusive: async (_, work) => work(),
    });
    const catalog = createCatalog(source);
    onTestFinished(() => catalog.close());
    expect(await everyFile(catalog)).toEqual(servedUris);
    expect(summaries((await catalog.snapshot()).findings)).toEqual(expected([...unusableForms, linkForm]));
  });

  test('prevents publishing everything below its folder or root', async () => {
    const ignores = 'private\n[x\n';
    const found = await report(
      await temporary({
        team: { '.skillignore': ignores, a: { 'SKILL.md': skill('a') }, deep: { b: { 'SKILL.md': skill('b') } } },
        c: { 'SKILL.md': skill('c') },
      }),
    );
    expect(uris(found)).toEqual(['skill://c/SKILL.md']);
    const all = await report(await temporary({ '.skillignore': ignores, a: { 'SKILL.md': skill('a') } }));
    expect([uris(all), rules(all)]).toEqual([[], ['ignore-file']]);
  });

  test('inside a skill prevents publishing its folder, and the report says so', async () => {
    const found = await report(
      await temporary({ a: { 'SKILL.md': skill('a'), refs: { '.skillignore': '[x\n', 'x.md': 'x' }, 'y.md': 'y' } }),
    );
    expect(found.skills.map((one) => one.files.map(({ path }) => path))).toEqual([['SKILL.md', 'y.md']]);
    expect(found.skills[0]?.notPublished).toEqual([{ path: 'refs', reason: 'its .skillignore cannot be used' }]);
    expect(rules(found)).toEqual(['ignore-file']);
  });
});

describe('a link', () => {
  const linked = (ignores: string): Promise<string> =>
    temporary({
      a: { 'SKILL.md': skill('a') },
      b: { '.skillignore': ignores, sub: { 'private.txt': 'x', 'open.txt': 'x' } },
    }).then(async (root) => {
      await symlink(join('..', 'b/sub'), join(root, 'a/link'));
      await symlink(join('..', 'b/sub/private.txt'), join(root, 'a/direct.txt'));
      return root;
    });

  test('does not publish files that a .skillignore on the way to its target hides', async () => {
    expect(files(await report(await linked('private.txt\n')), 'skill://a/SKILL.md')).toEqual([
      'SKILL.md',
      'link/open.txt',
    ]);
    expect(files(await report(await linked('sub/\n')), 'skill://a/SKILL.md')).toEqual(['SKILL.md']);
  });

  test('into a folder with an unusable .skillignore publishes nothing of it', async () => {
    const found = await report(await linked('private.txt\n[x\n'));
    expect(files(found, 'skill://a/SKILL.md')).toEqual(['SKILL.md']);
    expect(rules(found)).toEqual(['ignore-file']);
    expect(found.skills[0]?.notPublished.map(({ path }) => path)).toEqual(['direct.txt', 'link']);
  });

  test('into another served folder respects its .skillignore', async () => {
    const other = await temporary({
      '.skillignore': 'private.txt\n',
      team: { b: { 'SKILL.md': skill('b'), 'private.txt': 'x' } },
    });
    const root = await temporary();
    await symlink(join(other, 'team/b'), join(root, 'b'));
    const found = await report([root, { path: other, label: 'other' }]);
    expect(files(found, 'skill://b/SKILL.md')).toEqual(['SKILL.md']);
  });

  test('follows changes of that .skillignore', async () => {
    const root = await linked('private.txt\n');
    const catalog = createCatalog(directorySource(root, { watch: false, cache: false }));
    onTestFinished(() => catalog.close());
    const inLink = async (): Promise<string[]> =>
      (await everyFile(catalog))
        .filter((uri) => uri.includes('/link/'))
        .map((uri) => uri.slice('skill://a/link/'.length));
    expect(await inLink()).toEqual(['open.txt']);
    for (const [ignores, expected] of [
      ['open.txt\n', ['private.txt']],
      ['[x\n', []],
      ['*.txt\n', []],
      ['none.txt\n', ['open.txt', 'private.txt']],
      ['private.txt\n', ['open.txt']],
    ] as const) {
      await writeFile(join(root, 'b/.skillignore'), ignores);
      await catalog.refresh();
      expect([ignores, await inLink()]).toEqual([ignores, expected]);
    }
  });
});

test.each([
  '# a comment with \\x and [ in it',
  '',
  '   ',
  '*.log',
  '!keep.md',
  '/drafts/',
  '**/drafts/**',
  '[a-c]?.md',
  '[]x].md',
  '\\#x',
  '\\!x',
  'trailing\\ ',
  'spaces at the end   ',
  '.hidden/x',
  'a.b..c',
  'back\\\\slash',
])('the line %j is accepted', async (line) => {
  expect(rules(await report(await temporary({ a: { 'SKILL.md': skill('a'), '.skillignore': `${line}\n` } })))).toEqual(
    [],
  );
});

describe('while it is served', () => {
  /** A skill with a hidden file, and every file that was ever published. */
  async function serving(): Promise<{
    readonly ignores: string;
    readonly until: (reached: (snapshot: Snapshot) => boolean) => Promise<Snapshot>;
    readonly ever: ReadonlySet<string>;
  }> {
    const root = await temporary({
      a: { 'SKILL.md': skill('a'), '.skillignore': 'private.txt\n', 'private.txt': 'x', refs: { 'private.txt': 'x' } },
    });
    const catalog = createCatalog(directorySource(root));
    onTestFinished(() => catalog.close());
    const ever = new Set<string>();
    const note = ({ skills }: Snapshot): void => {
      for (const one of skills) for (const path of one.files.keys()) ever.add(path);
    };
    note(await catalog.snapshot());
    catalog.subscribe(({ snapshot }) => note(snapshot));
    const until = async (reached: (snapshot: Snapshot) => boolean): Promise<Snapshot> => {
      await expect.poll(async () => reached(await catalog.snapshot()), { timeout: 30_000 }).toBe(true);
      return catalog.snapshot();
    };
    return { ignores: join(root, 'a/.skillignore'), until, ever };
  }

  const isServed = ({ skills }: Snapshot): boolean => skills.length === 1;
  const isHidden = (ever: ReadonlySet<string>): boolean => ![...ever].some((path) => path.includes('private'));

  test.each([
    ['a line that cannot be used', (path: string) => writeFile(path, 'private.txt\n./x\n')],
    ['bytes that are no text', (path: string) => writeFile(path, Buffer.from([0xff, 0xfe, 0x00]))],
    ['a link', (path: string) => symlink('SKILL.md', `${path}~`).then(() => rename(`${path}~`, path))],
    ['a folder', (path: string) => rm(path).then(() => mkdir(path))],
  ])('it becomes %s: the skill disappears, and returns with it; nothing hidden is ever published', async (_, spoil) => {
    const { ignores, until, ever } = await serving();
    await spoil(ignores);
    const { findings } = await until((snapshot) => !isServed(snapshot));
    expect(findings).toMatchObject([{ level: 'problem', rule: 'ignore-file', file: ignores }]);
    await rm(ignores, { recursive: true });
    await writeFile(ignores, 'private.txt\n');
    await until(isServed);
    expect(isHidden(ever)).toBe(true);
  });

  test.each([
    ['emptied and written after a pause', (path: string) => writeFile(path, '')],
    ['removed and written after a pause', (path: string) => rm(path)],
  ])('it is %s: nothing hidden is published meanwhile', async (_, begin) => {
    const { ignores, until, ever } = await serving();
    const began = performance.now();
    await begin(ignores);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await writeFile(ignores, 'private.txt\nother.md\n');
    // A busy machine may pause longer, and then the change counts as intended.
    const isShort = performance.now() - began < limits.watch.longestWaitMs;
    await writeFile(join(ignores, '../new.md'), 'x');
    await until((snapshot) => snapshot.file('skill://a/new.md') !== undefined);
    expect(isHidden(ever) || !isShort).toBe(true);
  });

  test('it is removed for good: its hidden files are then published', async () => {
    const { ignores, until } = await serving();
    await rm(ignores);
    await until((snapshot) => snapshot.file('skill://a/private.txt') !== undefined);
  });
});
