import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCatalog } from '../../catalog/create-catalog.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { FindingRule } from '../../skill/finding.ts';
import { testSkillSource } from '../../testing/test-skill-source.ts';
import type { DirectoryReport } from './directory-report.ts';
import { directorySource } from './directory-source.ts';

type Tree = { readonly [name: string]: string | Uint8Array | Tree };

const skill = (name: string, body = 'Body.\n'): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n---\n\n${body}`;

async function write(folder: string, tree: Tree): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(tree)) {
    if (typeof content === 'string' || content instanceof Uint8Array) await writeFile(join(folder, name), content);
    else await write(join(folder, name), content);
  }
}

async function temporary(tree: Tree = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skillwire-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await write(folder, tree);
  return folder;
}

async function report(...roots: Parameters<typeof directorySource>[0][]): Promise<DirectoryReport> {
  const source = directorySource(roots.flat(), { watch: false });
  onTestFinished(() => source.close?.());
  return source.report();
}

const uris = ({ skills }: DirectoryReport): string[] => skills.map(({ skill: { entry } }) => entry.uri).sort();
const rules = ({ findings }: DirectoryReport): FindingRule[] => findings.map(({ rule }) => rule).sort();
const files = ({ skills }: DirectoryReport, uri: string): string[] | undefined =>
  skills.find(({ skill: { entry } }) => entry.uri === uri)?.files.map(({ path }) => path);

describe('directorySource() keeps the promises of a source', () => {
  testSkillSource({
    test,
    create: async () => {
      const root = await temporary({
        'git-workflow': {
          'SKILL.md': skill('git-workflow'),
          references: { 'größe.md': 'x' },
          'raw.bin': new Uint8Array([0, 255]),
        },
        outer: { 'SKILL.md': skill('outer'), inner: { 'SKILL.md': skill('inner') } },
      });
      return { source: directorySource(root, { watch: false }) };
    },
  });
});

describe('what is published', () => {
  test('a folder with a SKILL.md, under its path, with nested skills in both entries', async () => {
    const found = await report(
      await temporary({
        acme: { billing: { refunds: { 'SKILL.md': skill('refunds'), templates: { 'a b.md': 'x' } } } },
        outer: { 'SKILL.md': skill('outer'), inner: { 'SKILL.md': skill('inner'), 'x.md': 'x' } },
        'README.md': 'not a skill',
      }),
    );
    expect(uris(found)).toEqual([
      'skill://acme/billing/refunds/SKILL.md',
      'skill://outer/SKILL.md',
      'skill://outer/inner/SKILL.md',
    ]);
    expect(files(found, 'skill://outer/SKILL.md')).toEqual(['SKILL.md', 'inner/SKILL.md', 'inner/x.md']);
    expect(files(found, 'skill://outer/inner/SKILL.md')).toEqual(['SKILL.md', 'x.md']);
    expect(found.findings).toEqual([]);
  });

  test('nested skills can be left out; their files stay', async () => {
    const root = await temporary({ outer: { 'SKILL.md': skill('outer'), inner: { 'SKILL.md': skill('inner') } } });
    const found = await report([{ path: root, nested: false }]);
    expect(uris(found)).toEqual(['skill://outer/SKILL.md']);
    expect(files(found, 'skill://outer/SKILL.md')).toEqual(['SKILL.md', 'inner/SKILL.md']);
  });

  test('a root that is itself a skill is served under its name', async () => {
    const root = await temporary({ 'SKILL.md': skill('alone'), 'x.md': 'x' });
    expect(uris(await report(root))).toEqual(['skill://alone/SKILL.md']);
    expect(uris(await report([{ path: root, label: 'team' }]))).toEqual(['skill://team/alone/SKILL.md']);
  });

  test('hidden files, dependencies, leftovers and private keys are withheld, and keys are told', async () => {
    const found = await report(
      await temporary({
        a: {
          'SKILL.md': skill('a'),
          '.env': 'SECRET=1',
          '.git': { HEAD: 'ref' },
          'SKILL.md~': 'x',
          'x.md.bak': 'x',
          node_modules: { p: { 'index.js': 'x' } },
          id_ed25519: 'x',
          'chain.pem': `-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n-----BEGIN ${'PRIVATE'} KEY-----\nnot a key\n`,
          'tls.pem': `-----BEGIN ${'PRIVATE'} KEY-----\nnot a key\n`,
          'how-to.md': `A key begins with -----BEGIN ${'PRIVATE'} KEY-----\n`,
        },
      }),
    );
    expect(files(found, 'skill://a/SKILL.md')).toEqual(['SKILL.md', 'how-to.md']);
    expect(rules(found)).toEqual(['file-secret', 'file-secret', 'file-secret']);
    expect(found.skills[0]?.withheld.map(({ path }) => path).sort()).toEqual([
      '.env',
      '.git',
      'SKILL.md~',
      'chain.pem',
      'id_ed25519',
      'node_modules',
      'tls.pem',
      'x.md.bak',
    ]);
  });

  test('.skillignore excludes, at every level, and a deeper one wins', async () => {
    const found = await report(
      await temporary({
        '.skillignore': '*.draft.md\nold/\n',
        a: { 'SKILL.md': skill('a'), 'x.draft.md': 'x', 'y.md': 'y', old: { 'z.md': 'z' } },
        b: {
          'SKILL.md': skill('b'),
          '.skillignore': '!keep.draft.md\nprivate/*\n',
          'keep.draft.md': 'k',
          private: { p: 'p' },
        },
        old: { c: { 'SKILL.md': skill('c') } },
      }),
    );
    expect(uris(found)).toEqual(['skill://a/SKILL.md', 'skill://b/SKILL.md']);
    expect(files(found, 'skill://a/SKILL.md')).toEqual(['SKILL.md', 'y.md']);
    expect(files(found, 'skill://b/SKILL.md')).toEqual(['SKILL.md', 'keep.draft.md']);
  });

  test('a .skillignore whose patterns could take for ever is told and excludes nothing', async () => {
    const found = await report(
      await temporary({ '.skillignore': `${'**/a/'.repeat(8)}**/b\n`, a: { 'SKILL.md': skill('a') } }),
    );
    expect(found.findings).toMatchObject([{ rule: 'ignore-file', message: expect.stringContaining('line 1') }]);
    expect(uris(found)).toEqual(['skill://a/SKILL.md']);
  });

  test('a nested skill may not take the path of a folder beside it, whose files the outer skill has', async () => {
    const root = await temporary({
      outer: { 'SKILL.md': skill('outer'), x: { 'SKILL.md': skill('z') }, y: { 'SKILL.md': skill('x') } },
    });
    const found = await report(root);
    expect(uris(found)).toEqual(['skill://outer/SKILL.md', 'skill://outer/z/SKILL.md']);
    expect(rules(found)).toEqual(['name-differs-from-folder', 'skill-uri-taken']);
  });

  test('a .skillignore that cannot be used is told and excludes nothing', async () => {
    const found = await report(
      await temporary({ a: { 'SKILL.md': skill('a'), '.skillignore': new Uint8Array([0xff, 0xfe]) } }),
    );
    expect(rules(found)).toEqual(['ignore-file']);
    expect(uris(found)).toEqual(['skill://a/SKILL.md']);
  });

  test.skipIf(process.platform === 'win32')('executable files are told in _meta', async () => {
    const root = await temporary({ a: { 'SKILL.md': skill('a'), 'run.sh': '#!/bin/sh\n' } });
    await chmod(join(root, 'a/run.sh'), 0o755);
    const [found] = (await report(root)).skills;
    expect(found?.skill.entry._meta).toEqual({ 'dev.skillwire/executable': ['skill://a/run.sh'] });
  });

  test('a folder that is called otherwise is served under the name of its skill, with the folder as alias', async () => {
    const root = await temporary({ team: { 'PDF Tools': { 'SKILL.md': skill('pdf-tools'), 'x.md': 'x' } } });
    const found = await report(root);
    expect(uris(found)).toEqual(['skill://team/pdf-tools/SKILL.md']);
    expect(rules(found)).toEqual(['name-differs-from-folder']);
    await using catalog = createCatalog(directorySource(root, { watch: false }));
    const aliased = await catalog.read('skill://team/PDF%20Tools/x.md', {});
    expect(aliased.file.uri).toBe('skill://team/pdf-tools/x.md');
    expect(await catalog.find('skill://team/PDF%20Tools/SKILL.md', {})).toBeUndefined();
  });

  test('of two skills with one URI the folder that is called so is served, and the other is a problem that names both', async () => {
    const root = await temporary({
      aaa: { 'SKILL.md': skill('zzz', 'wrong') },
      zzz: { 'SKILL.md': skill('zzz', 'right') },
    });
    const found = await report(root);
    expect(found.skills.map(({ folder }) => folder)).toEqual([join(root, 'zzz')]);
    expect(found.findings).toMatchObject([{ rule: 'skill-uri-taken', file: join(root, 'aaa', 'SKILL.md'), line: 2 }]);
    expect(found.findings[0]?.message).toContain(join(root, 'zzz'));
  });

  test('several roots: labels keep them apart, equal URIs are a problem, one folder reached twice is one skill', async () => {
    const one = await temporary({ a: { 'SKILL.md': skill('a', 'one') } });
    const two = await temporary({ a: { 'SKILL.md': skill('a', 'two') } });
    expect(uris(await report([one, { path: two, label: 'two' }]))).toEqual([
      'skill://a/SKILL.md',
      'skill://two/a/SKILL.md',
    ]);
    expect(rules(await report([one, two]))).toEqual(['skill-uri-taken']);
    const twice = await report([one, { path: one, label: 'again' }]);
    expect(uris(twice)).toEqual(['skill://a/SKILL.md']);
    expect(rules(twice)).toEqual(['skill-linked-twice']);
  });

  test('skill.md is served as SKILL.md; beside a SKILL.md it is a collision', async () => {
    const lower = await report(await temporary({ a: { 'skill.md': skill('a') } }));
    expect(files(lower, 'skill://a/SKILL.md')).toEqual(['SKILL.md']);
    expect(rules(lower)).toEqual(['skill-md-spelling']);
  });

  test('one bad skill does not hide the good ones', async () => {
    const found = await report(
      await temporary({ bad: { 'SKILL.md': '# no frontmatter' }, good: { 'SKILL.md': skill('good') } }),
    );
    expect(uris(found)).toEqual(['skill://good/SKILL.md']);
    expect(found.findings).toMatchObject([{ level: 'problem', rule: 'frontmatter-missing' }]);
  });

  test('limits: 512 files are served, 513 are not; 16 MiB are served, one byte more is not', async () => {
    const many = (count: number): Tree =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}.txt`, '']));
    const text = skill('a');
    const fits = new Uint8Array(16_777_216 - text.length);
    expect(uris(await report(await temporary({ a: { 'SKILL.md': text, ...many(511) } })))).toHaveLength(1);
    expect(rules(await report(await temporary({ a: { 'SKILL.md': text, ...many(512) } })))).toEqual([
      'skill-too-many-files',
    ]);
    const full = await report(await temporary({ a: { 'SKILL.md': text, 'big.bin': fits } }));
    expect(uris(full)).toHaveLength(1);
    expect(rules(full)).toEqual(['file-too-large-for-stdio']);
    const over = await report(await temporary({ a: { 'SKILL.md': text, 'big.bin': fits, x: 'x' } }));
    expect(rules(over)).toContain('skill-too-large');
    expect(uris(over)).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')(
    'a SKILL.md that is no file is told, even where nothing else is a skill',
    async () => {
      const root = await temporary({ folder: { 'SKILL.md': { x: 'x' } }, pipe: {} });
      execFileSync('mkfifo', [join(root, 'pipe/SKILL.md')]);
      const found = await report(root);
      expect(rules(found)).toEqual(['file-not-regular', 'file-not-regular', 'root-empty']);
    },
  );

  test('a nested skill in a folder of another name is listed inside the outer one as its manifest says', async () => {
    const root = await temporary({
      outer: { 'SKILL.md': skill('outer'), Bad: { 'SKILL.md': skill('inner'), 'z.txt': 'z' } },
    });
    await using catalog = createCatalog(directorySource(root, { watch: false }));
    const snapshot = await catalog.snapshot();
    const children = (uri: string): string[] | undefined => snapshot.directory(uri)?.map((child) => child.uri);
    expect(children('skill://outer/Bad')).toEqual(['skill://outer/Bad/SKILL.md', 'skill://outer/Bad/z.txt']);
    expect(children('skill://outer/inner')).toEqual(['skill://outer/inner/SKILL.md', 'skill://outer/inner/z.txt']);
    expect(snapshot.file('skill://outer/Bad/z.txt')?.skill.path).toBe('outer');
    expect(snapshot.file('skill://outer/inner/z.txt')?.skill.path).toBe('outer/inner');
  });

  test('a folder whose skills are only in a hidden folder is told which', async () => {
    const root = await temporary({ '.claude': { skills: { a: { 'SKILL.md': skill('a') } } } });
    const found = await report(root);
    expect(found.findings).toMatchObject([
      { rule: 'root-empty', remedy: expect.stringContaining(join('.claude', 'skills')) },
    ]);
    expect(uris(await report(join(root, '.claude/skills')))).toEqual(['skill://a/SKILL.md']);
  });

  test('a folder without any skill is told, and differs from one whose skills are all invalid', async () => {
    expect(rules(await report(await temporary({ docs: { 'a.md': 'x' } })))).toEqual(['root-empty']);
    expect(rules(await report(await temporary({ a: { 'SKILL.md': '' } })))).toEqual(['frontmatter-missing']);
  });

  test.each([
    ['a missing folder', 'nothing-here', 'ORIGIN_NOT_FOUND'],
    ['a file', 'file.txt', 'ORIGIN_NOT_A_FOLDER'],
    ['something below a file', 'file.txt/x', 'ORIGIN_NOT_A_FOLDER'],
  ])('%s is an error', async (_, name, code) => {
    const root = await temporary({ 'file.txt': 'x' });
    await expect(report(join(root, name))).rejects.toMatchObject({ code });
  });
});

describe.skipIf(process.platform === 'win32')('links', () => {
  test('inside the root are followed; to hidden things, out of it, broken and looping ones are not', async () => {
    const outside = await temporary({ 'secret.md': 'x' });
    const root = await temporary({
      shared: { 'guide.md': 'guide', refs: { 'r.md': 'r' } },
      '.env': 'SECRET=1',
      a: { 'SKILL.md': skill('a') },
    });
    const link = (target: string, name: string): Promise<void> => symlink(target, join(root, 'a', name));
    await link('../shared/guide.md', 'guide.md');
    await link('../shared/refs', 'refs');
    await link('../.env', 'settings.txt');
    await link(join(outside, 'secret.md'), 'leak.md');
    await link(outside, 'leaks');
    await link('nowhere', 'broken.md');
    await link('self', 'self');
    await link('..', 'up');
    const found = await report(root);
    expect(files(found, 'skill://a/SKILL.md')).toEqual(['SKILL.md', 'guide.md', 'refs/r.md']);
    expect(rules(found)).toEqual(['link-broken', 'link-leaves-root', 'link-leaves-root', 'link-loop', 'link-loop']);
  });

  test('a skill folder may be a link into another root or into .agents/skills, other folders not', async () => {
    const other = await temporary({ b: { 'SKILL.md': skill('b') } });
    const home = await temporary({
      '.agents': { skills: { c: { 'SKILL.md': skill('c'), 'x.md': 'x' }, plain: { 'x.md': 'x' } } },
      elsewhere: { d: { 'SKILL.md': skill('d') } },
    });
    const root = await temporary({ a: { 'SKILL.md': skill('a') } });
    await symlink(join(other, 'b'), join(root, 'b'));
    await symlink(join(home, '.agents/skills/c'), join(root, 'c'));
    await symlink(join(home, '.agents/skills/plain'), join(root, 'plain'));
    await symlink(join(home, 'elsewhere/d'), join(root, 'd'));
    const alone = await report(root);
    expect(uris(alone)).toEqual(['skill://a/SKILL.md', 'skill://c/SKILL.md']);
    expect(rules(alone)).toEqual(['link-leaves-root', 'link-leaves-root', 'link-leaves-root']);
    const both = await report([root, { path: other, label: 'other' }]);
    expect(uris(both)).toEqual(['skill://a/SKILL.md', 'skill://b/SKILL.md', 'skill://c/SKILL.md']);
    expect(rules(both)).toContain('skill-linked-twice');
  });

  test('folders that link to each other are a loop, noticed at once', async () => {
    const root = await temporary({ a: { 'SKILL.md': skill('a') }, b: { 'SKILL.md': skill('b') } });
    await symlink('../b', join(root, 'a/b'));
    await symlink('../a', join(root, 'b/a'));
    const found = await report(root);
    expect(rules(found).filter((rule) => rule === 'link-loop')).toHaveLength(2);
    expect(files(found, 'skill://a/SKILL.md')).toEqual(['SKILL.md', 'b/SKILL.md']);
  });

  test('a link to a skill that cannot be looked at is a finding, not the end of everything', async () => {
    const home = await temporary({ '.agents': { skills: { x: {} } } });
    await symlink('SKILL.md', join(home, '.agents/skills/x/SKILL.md'));
    const root = await temporary({ a: { 'SKILL.md': skill('a') } });
    await symlink(join(home, '.agents/skills/x'), join(root, 'x'));
    const found = await report(root);
    expect(uris(found)).toEqual(['skill://a/SKILL.md']);
    expect(rules(found)).toEqual(['link-leaves-root']);
  });

  test('a link to what .skillignore excludes is excluded too', async () => {
    const root = await temporary({
      '.skillignore': 'private/\n',
      private: { 'p.md': 'p' },
      a: { 'SKILL.md': skill('a') },
    });
    await symlink('../private', join(root, 'a/notes'));
    expect(files(await report(root), 'skill://a/SKILL.md')).toEqual(['SKILL.md']);
  });

  test('folders full of links to each other are followed only so far', async () => {
    const root = await temporary(
      Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`s${n}`, { 'SKILL.md': skill(`s${n}`) }])),
    );
    for (let n = 0; n < 12; n++)
      for (let m = 0; m < 12; m++) if (n !== m) await symlink(`../s${m}`, join(root, `s${n}/to-${m}`));
    const found = await report(root);
    expect(found.findings.filter(({ rule }) => rule === 'scan-limit')).toHaveLength(1);
  });

  test('a root may be a link', async () => {
    const real = await temporary({ a: { 'SKILL.md': skill('a') } });
    const place = await temporary();
    await symlink(real, join(place, 'skills'));
    expect(uris(await report(join(place, 'skills')))).toEqual(['skill://a/SKILL.md']);
  });
});

describe('watching', () => {
  async function watched(
    tree: Tree,
    options: Parameters<typeof directorySource>[1] = {},
  ): Promise<{
    root: string;
    catalog: ReturnType<typeof createCatalog>;
    until: (reached: (snapshot: Snapshot) => boolean) => Promise<Snapshot>;
  }> {
    return watchedRoot(await temporary(tree), options);
  }

  async function watchedRoot(
    root: string,
    options: Parameters<typeof directorySource>[1] = {},
  ): Promise<{
    root: string;
    catalog: ReturnType<typeof createCatalog>;
    until: (reached: (snapshot: Snapshot) => boolean) => Promise<Snapshot>;
  }> {
    const catalog = createCatalog(directorySource(root, options));
    onTestFinished(() => catalog.close());
    await catalog.snapshot();
    const until = async (reached: (snapshot: Snapshot) => boolean): Promise<Snapshot> => {
      const now = await catalog.snapshot();
      if (reached(now)) return now;
      return new Promise((resolve) => {
        const stop = catalog.subscribe(({ snapshot }) => {
          if (!reached(snapshot)) return;
          stop();
          resolve(snapshot);
        });
      });
    };
    return { root, catalog, until };
  }

  const paths = (snapshot: Snapshot): string[] => snapshot.listed.map(({ path }) => path);

  test('an edit, an added, a renamed and a removed skill each appear, and untouched skills are the same records', async () => {
    const { root, until, catalog } = await watched({
      a: { 'SKILL.md': skill('a') },
      b: { 'SKILL.md': skill('b'), 'x.md': '1' },
    });
    const first = await catalog.snapshot();
    await writeFile(join(root, 'b/x.md'), '22');
    const edited = await until((snapshot) => snapshot.file('skill://b/x.md')?.resource?.size === 2);
    expect(edited.skill('skill://a/SKILL.md')).toBe(first.skill('skill://a/SKILL.md'));
    expect(edited.generation).toBe(first.generation + 1);

    await write(join(root, 'new/deep/c'), { 'SKILL.md': skill('c'), assets: { 'x.txt': 'x' } });
    await until((snapshot) => paths(snapshot).includes('new/deep/c'));
    await rename(join(root, 'new/deep'), join(root, 'new/other'));
    expect(paths(await until((snapshot) => paths(snapshot).includes('new/other/c')))).toEqual([
      'a',
      'b',
      'new/other/c',
    ]);
    await writeFile(join(root, 'new/other/c/assets/x.txt'), 'changed');
    await until((snapshot) => snapshot.file('skill://new/other/c/assets/x.txt')?.resource?.size === 7);
    await rm(join(root, 'a'), { recursive: true });
    expect(paths(await until((snapshot) => !paths(snapshot).includes('a')))).toEqual(['b', 'new/other/c']);
  });

  test('a nested file changes the outer entry too', async () => {
    const { root, until } = await watched({
      outer: { 'SKILL.md': skill('outer'), inner: { 'SKILL.md': skill('inner') } },
    });
    await writeFile(join(root, 'outer/inner/SKILL.md'), skill('inner', 'another body'));
    const snapshot = await until(
      (now) => now.file('skill://outer/inner/SKILL.md')?.resource?.size !== skill('inner').length,
    );
    const inOuter = snapshot.skill('skill://outer/SKILL.md')?.files.get('inner/SKILL.md')?.resource;
    expect(inOuter).toEqual(snapshot.skill('skill://outer/inner/SKILL.md')?.files.get('SKILL.md')?.resource);
  });

  test('a file that is written in pieces is never published half', async () => {
    const before = skill('a', 'old\n');
    const after = skill('a', `${'new line\n'.repeat(200)}end\n`);
    const { root, catalog, until } = await watched({ a: { 'SKILL.md': before } });
    const sizes = new Set<number | undefined>();
    catalog.subscribe(({ snapshot }) => sizes.add(snapshot.file('skill://a/SKILL.md')?.resource?.size));
    const path = join(root, 'a/SKILL.md');
    await writeFile(path, '');
    for (let done = 0; done < after.length; done += 400) {
      await new Promise((resolve) => setTimeout(resolve, 40));
      await writeFile(path, after.slice(done, done + 400), { flag: 'a' });
    }
    await until((snapshot) => snapshot.file('skill://a/SKILL.md')?.resource?.size === after.length);
    expect([...sizes]).toEqual([after.length]);
  });

  test.each(['SKILL.md', 'x.md'])(
    'a %s that is emptied and written after a pause is never published empty',
    async (name) => {
      const after = skill('a', 'a longer text than before\n');
      const { root, catalog, until } = await watched({ a: { 'SKILL.md': skill('a'), 'x.md': 'x' } });
      const sizes = new Set<number | undefined>();
      catalog.subscribe(({ snapshot }) => sizes.add(snapshot.file(`skill://a/${name}`)?.resource?.size));
      await writeFile(join(root, 'a', name), '');
      await new Promise((resolve) => setTimeout(resolve, 400));
      await writeFile(join(root, 'a', name), after);
      await until((snapshot) => snapshot.file(`skill://a/${name}`)?.resource?.size === after.length);
      expect([...sizes]).toEqual([after.length]);
    },
  );

  test('a folder that was removed and made again is watched again', async () => {
    const { root, until } = await watched({ a: { 'SKILL.md': skill('a'), refs: { 'x.md': '1' } } });
    await rm(join(root, 'a'), { recursive: true });
    await write(join(root, 'a'), { 'SKILL.md': skill('a'), refs: { 'x.md': '22' } });
    await until((snapshot) => snapshot.file('skill://a/refs/x.md')?.resource?.size === 2);
    await writeFile(join(root, 'a/refs/x.md'), '333');
    await until((snapshot) => snapshot.file('skill://a/refs/x.md')?.resource?.size === 3);
  });

  test('a folder that is replaced by another one of its name is read and watched anew, at every depth', async () => {
    const { root, until } = await watched({ team: { a: { 'SKILL.md': skill('a'), refs: { 'x.md': '1' } } } });
    const other = await temporary({ team: { a: { 'SKILL.md': skill('a', 'other\n'), refs: { 'x.md': '22' } } } });
    await rename(join(root, 'team'), join(other, 'old'));
    await rename(join(other, 'team'), join(root, 'team'));
    await until((snapshot) => snapshot.file('skill://team/a/refs/x.md')?.resource?.size === 2);
    await writeFile(join(root, 'team/a/refs/x.md'), '333');
    await until((snapshot) => snapshot.file('skill://team/a/refs/x.md')?.resource?.size === 3);
  });

  test.each(['the root', 'the folder above the root'])('%s may be replaced by another one', async (what) => {
    const place = await temporary({
      now: { skills: { a: { 'SKILL.md': skill('a'), 'x.md': '1' } } },
      next: { skills: { a: { 'SKILL.md': skill('a'), 'x.md': '22' } } },
    });
    const { until } = await watchedRoot(join(place, 'now/skills'));
    const [from, to] = what === 'the root' ? ['next/skills', 'now/skills'] : ['next', 'now'];
    await rename(join(place, to), join(place, 'old'));
    await rename(join(place, from), join(place, to));
    await until((snapshot) => snapshot.file('skill://a/x.md')?.resource?.size === 2);
    await writeFile(join(place, 'now/skills/a/x.md'), '333');
    await until((snapshot) => snapshot.file('skill://a/x.md')?.resource?.size === 3);
  });

  test.skipIf(process.platform === 'win32')('a root that is a link may be pointed at another release', async () => {
    const place = await temporary({
      one: { a: { 'SKILL.md': skill('a'), 'x.md': '1' } },
      two: { a: { 'SKILL.md': skill('a'), 'x.md': '22' } },
    });
    await symlink('one', join(place, 'current'));
    const { until } = await watchedRoot(join(place, 'current'));
    await symlink('two', join(place, 'next'));
    await rename(join(place, 'next'), join(place, 'current'));
    await rm(join(place, 'one'), { recursive: true });
    await until((snapshot) => snapshot.file('skill://a/x.md')?.resource?.size === 2);
    await writeFile(join(place, 'two/a/x.md'), '333');
    await until((snapshot) => snapshot.file('skill://a/x.md')?.resource?.size === 3);
  });

  test.skipIf(process.platform === 'win32')('a link that leads somewhere again is followed again', async () => {
    const home = await temporary({ '.agents': { skills: { c: { 'SKILL.md': skill('c') } } } });
    const { root, until } = await watched({ a: { 'SKILL.md': skill('a') } });
    await symlink(join(home, '.agents/skills/c'), join(root, 'c'));
    await until((snapshot) => paths(snapshot).includes('c'));
    await rm(join(home, '.agents/skills/c'), { recursive: true });
    await until((snapshot) => snapshot.findings.some(({ rule }) => rule === 'link-broken'));
    await write(join(home, '.agents/skills/c'), { 'SKILL.md': skill('c') });
    await until((snapshot) => paths(snapshot).includes('c'));
  });

  test('a .skillignore that changes counts for everything below it', async () => {
    const { root, until } = await watched({ a: { 'SKILL.md': skill('a'), refs: { deep: { 'x.md': '1' } } } });
    await writeFile(join(root, '.skillignore'), 'deep/\n');
    await until((snapshot) => snapshot.file('skill://a/refs/deep/x.md') === undefined);
    await rm(join(root, '.skillignore'));
    await until((snapshot) => snapshot.file('skill://a/refs/deep/x.md') !== undefined);
  });

  test('a read during edits gives bytes that the entry of that moment names, and never an error', async () => {
    const { root, catalog } = await watched({ a: { 'SKILL.md': skill('a'), 'x.md': '0' } });
    let done = false;
    const editing = (async () => {
      for (let n = 1; n <= 40; n++) {
        await writeFile(join(root, 'a/x.md'), `${n}`.repeat(n));
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      done = true;
    })();
    let reads = 0;
    while (!done) {
      const { bytes, file } = await catalog.read('skill://a/x.md', {});
      expect(bytes.length).toBe(file.resource?.size);
      reads++;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await editing;
    expect(reads).toBeGreaterThan(0);
    expect((await catalog.read('skill://a/x.md', {})).bytes.length).toBe(80);
  });

  test('changes that come while a scan runs are not lost', async () => {
    const names = Array.from({ length: 150 }, (_, n) => `s${n}`);
    const { root, until } = await watched(
      Object.fromEntries(names.map((name) => [name, { 'SKILL.md': skill(name), 'x.md': '' }])),
    );
    for (let size = 1; size <= 3; size++)
      for (const name of names) {
        await writeFile(join(root, name, 'x.md'), 'x'.repeat(size));
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    await until((snapshot) => names.every((name) => snapshot.file(`skill://${name}/x.md`)?.resource?.size === 3));
  });

  test('a file that is saved by renaming, again and again, never goes missing', async () => {
    const { root, catalog } = await watched({ a: { 'SKILL.md': skill('a'), 'x.md': '0' } });
    let missing = 0;
    catalog.subscribe(({ snapshot }) => {
      if (snapshot.file('skill://a/x.md') === undefined) missing++;
    });
    for (let n = 1; n <= 400; n++) {
      await writeFile(join(root, 'a/.x.md.tmp'), `${n}`);
      await rename(join(root, 'a/.x.md.tmp'), join(root, 'a/x.md'));
    }
    expect(new TextDecoder().decode((await catalog.read('skill://a/x.md', {})).bytes)).toBe('400');
    expect(missing).toBe(0);
  });

  test('an edit of the same size right after a read is noticed by the next read', async () => {
    const { root, catalog } = await watched({ a: { 'SKILL.md': skill('a'), 'x.md': 'aaaa' } }, { watch: false });
    await writeFile(join(root, 'a/x.md'), 'bbbb');
    expect(new TextDecoder().decode((await catalog.read('skill://a/x.md', {})).bytes)).toBe('bbbb');
    await writeFile(join(root, 'a/x.md'), 'cccc');
    expect(new TextDecoder().decode((await catalog.read('skill://a/x.md', {})).bytes)).toBe('cccc');
    const entry = (await catalog.find('skill://a/SKILL.md', {}))?.entry;
    expect(entry?.resources).toContainEqual((await catalog.read('skill://a/x.md', {})).file.resource);
  });

  test('a root that disappears takes its skills along, is told, and is served again when it comes back', async () => {
    const { root, until } = await watched({ a: { 'SKILL.md': skill('a') } });
    await rename(root, `${root}-away`);
    const gone = await until((snapshot) => snapshot.listed.length === 0);
    expect(gone.findings).toMatchObject([{ rule: 'root-unavailable', file: root }]);
    await rename(`${root}-away`, root);
    const back = await until((snapshot) => snapshot.listed.length === 1);
    expect(back.findings).toEqual([]);
    await writeFile(join(root, 'a/SKILL.md'), skill('a', 'after the return'));
    await until(
      (snapshot) => snapshot.file('skill://a/SKILL.md')?.resource?.size === skill('a', 'after the return').length,
    );
  });

  test('where watching is not possible it polls and says so', async () => {
    const { root, until } = await watched(
      { a: { 'SKILL.md': skill('a') }, b: { 'SKILL.md': skill('b') } },
      { maxWatchers: 1 },
    );
    const polled = await until((snapshot) => snapshot.findings.some(({ rule }) => rule === 'watch-limit'));
    expect(paths(polled)).toEqual(['a', 'b']);
    await write(join(root, 'c'), { 'SKILL.md': skill('c') });
    await until((snapshot) => paths(snapshot).includes('c'));
  });

  test.skipIf(process.platform === 'win32')('what lies behind a link is watched too', async () => {
    const home = await temporary({ '.agents': { skills: { c: { 'SKILL.md': skill('c'), 'x.md': '1' } } } });
    const { root, until } = await watched({ shared: { 'g.md': '1' }, a: { 'SKILL.md': skill('a') } });
    await symlink('../shared/g.md', join(root, 'a/g.md'));
    await symlink(join(home, '.agents/skills/c'), join(root, 'c'));
    await until((snapshot) => paths(snapshot).includes('c') && snapshot.file('skill://a/g.md') !== undefined);
    await writeFile(join(root, 'shared/g.md'), '22');
    await until((snapshot) => snapshot.file('skill://a/g.md')?.resource?.size === 2);
    await writeFile(join(home, '.agents/skills/c/x.md'), '333');
    await until((snapshot) => snapshot.file('skill://c/x.md')?.resource?.size === 3);
  });
});
