import { execFileSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { files, report, rules, skill, type Tree, temporary, uris, write } from '../../../test/skill-folders.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { testSkillSource } from '../../testing/test-skill-source.ts';
import { directorySource } from './directory-source.ts';

describe('directorySource() passes the tests of the port', () => {
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

describe('published files', () => {
  test('a folder with a SKILL.md is published under its path, with nested skills in both entries', async () => {
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

  test('hidden files, dependencies, temporary files and private keys are not published, and keys are reported', async () => {
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
    expect(rules(found)).toEqual(['file-hidden', 'file-secret', 'file-secret', 'file-secret']);
    expect(found.skills[0]?.notPublished.map(({ path }) => path).sort()).toEqual([
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

  test('nested skills in folders with other names are served beside the outer skill, whatever other folders are named', async () => {
    const root = await temporary({
      outer: { 'SKILL.md': skill('outer'), x: { 'SKILL.md': skill('z') }, y: { 'SKILL.md': skill('x') } },
    });
    const found = await report(root);
    expect(uris(found)).toEqual(['skill://outer/SKILL.md', 'skill://outer~x/z/SKILL.md', 'skill://outer~y/x/SKILL.md']);
    expect(rules(found)).toEqual(['name-differs-from-folder', 'name-differs-from-folder']);
  });

  test.skipIf(process.platform === 'win32')('executable files are reported in _meta', async () => {
    const root = await temporary({ a: { 'SKILL.md': skill('a'), 'run.sh': '#!/bin/sh\n' } });
    await chmod(join(root, 'a/run.sh'), 0o755);
    const [found] = (await report(root)).skills;
    expect(found?.skill.entry._meta).toEqual({ 'dev.skillwire/executable': ['skill://a/run.sh'] });
  });

  test("a skill is published below its folder's parent under its own name; both other paths are aliases", async () => {
    const root = await temporary({ team: { 'PDF Tools': { 'SKILL.md': skill('pdf-tools'), 'x.md': 'x' } } });
    const found = await report(root);
    expect(uris(found)).toEqual(['skill://team/PDF%20Tools/pdf-tools/SKILL.md']);
    expect(rules(found)).toEqual(['name-differs-from-folder']);
    expect(found.skills[0]?.skill.aliases).toEqual(['team/PDF Tools', 'team/pdf-tools']);
    await using catalog = createCatalog(directorySource(root, { watch: false }));
    for (const alias of ['PDF%20Tools', 'pdf-tools'])
      expect((await catalog.read(`skill://team/${alias}/x.md`, {})).file.uri).toBe(
        'skill://team/PDF%20Tools/pdf-tools/x.md',
      );
    expect(await catalog.find('skill://team/PDF%20Tools/SKILL.md', {})).toBeUndefined();
  });

  test('skills of one name in different folders are all served, and a new one moves none of them', async () => {
    const root = await temporary({ bbb: { 'SKILL.md': skill('zzz', 'first') } });
    expect(uris(await report(root))).toEqual(['skill://bbb/zzz/SKILL.md']);
    await write(root, { aaa: { 'SKILL.md': skill('zzz', 'second') }, zzz: { 'SKILL.md': skill('zzz', 'third') } });
    const found = await report(root);
    expect(uris(found)).toEqual(['skill://aaa/zzz/SKILL.md', 'skill://bbb/zzz/SKILL.md', 'skill://zzz/SKILL.md']);
    expect(found.skills.map(({ skill: { aliases } }) => aliases)).toEqual([['aaa'], ['bbb'], undefined]);
    expect(found.findings.filter(({ level }) => level === 'problem')).toEqual([]);
  });

  test('the name of a root is not part of a URI', async () => {
    const root = await temporary({
      'SKILL.md': skill('pdf'),
      in: { 'SKILL.md': skill('in') },
      b: { 'SKILL.md': skill('x') },
    });
    expect(uris(await report(root))).toEqual([
      'skill://pdf/SKILL.md',
      'skill://pdf/in/SKILL.md',
      'skill://pdf~b/x/SKILL.md',
    ]);
    expect(uris(await report([{ path: root, label: 'team' }]))).toEqual([
      'skill://team/pdf/SKILL.md',
      'skill://team/pdf/in/SKILL.md',
      'skill://team/pdf~b/x/SKILL.md',
    ]);
  });

  test('several roots: labels separate them, equal URIs are a problem, a folder reached twice is one skill', async () => {
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
    'a SKILL.md that is not a file is reported, even if there is no other skill',
    async () => {
      const root = await temporary({ folder: { 'SKILL.md': { x: 'x' } }, pipe: {} });
      execFileSync('mkfifo', [join(root, 'pipe/SKILL.md')]);
      const found = await report(root);
      expect(rules(found)).toEqual(['file-not-regular', 'file-not-regular', 'root-empty']);
    },
  );

  test('a nested skill in a folder with another name is listed in the outer one by its manifest', async () => {
    const root = await temporary({
      outer: { 'SKILL.md': skill('outer'), Bad: { 'SKILL.md': skill('inner'), 'z.txt': 'z' } },
    });
    await using catalog = createCatalog(directorySource(root, { watch: false }));
    const snapshot = await catalog.snapshot();
    const children = (uri: string): string[] | undefined => snapshot.directory(uri)?.map((child) => child.uri);
    expect(children('skill://outer/Bad')).toEqual(['skill://outer/Bad/SKILL.md', 'skill://outer/Bad/z.txt']);
    expect(children('skill://outer/inner')).toEqual(['skill://outer/inner/SKILL.md', 'skill://outer/inner/z.txt']);
    expect(snapshot.file('skill://outer/Bad/z.txt')?.skill.path).toBe('outer');
    expect(snapshot.file('skill://outer/inner/z.txt')?.skill.path).toBe('outer~Bad/inner');
  });

  test.skipIf(process.platform !== 'linux')('a file name that is not UTF-8 is left out and reported', async () => {
    const root = await temporary({ a: { 'SKILL.md': skill('a'), 'caf\uFFFD.md': 'a real replacement character' } });
    await writeFile(Buffer.concat([Buffer.from(join(root, 'a/')), Buffer.from([0x63, 0xff, 0xfe])]), 'x');
    const found = await report(root);
    expect(files(found, 'skill://a/SKILL.md')).toEqual(['SKILL.md', 'caf\uFFFD.md']);
    expect(rules(found)).toEqual(['file-name-not-utf8']);
  });

  test('a file deeper than clients allow is left out and reported', async () => {
    let deep: Tree = { 'x.md': 'x' };
    for (let level = 0; level < 32; level++) deep = { d: deep };
    const found = await report(await temporary({ a: { 'SKILL.md': skill('a'), ...deep } }));
    expect(files(found, 'skill://a/SKILL.md')).toEqual(['SKILL.md']);
    expect(rules(found)).toEqual(['file-path-too-long']);
  });

  test('a folder without skills is reported, and differs from one with only invalid skills', async () => {
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
