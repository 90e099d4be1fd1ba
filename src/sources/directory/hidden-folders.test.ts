import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { files, report, rules, skill, temporary, uris, write } from '../../../test/skill-folders.ts';
import { packArchive } from '../../archive/pack.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { archiveSource } from '../archive/archive-source.ts';
import { directorySource } from './directory-source.ts';

const one = (name: string) => ({ [name]: { 'SKILL.md': skill(name) } });

const project = {
  skills: { '.curated': one('a'), '.experimental': one('b'), '.system': one('c'), '.other': one('d'), ...one('e') },
  '.claude': { 'settings.json': '{}', skills: { ...one('f'), ...one('g') }, plugins: one('h') },
  '.agents': { skills: one('g') },
  '.tabnine': { agent: { skills: one('i') } },
  '.curated': one('k'),
  '.git': { hooks: one('l') },
  'skills-lock.json': '{"version":1,"skills":{"g":{}}}',
};

const catalogs = [
  'skill://skills/.curated/a/SKILL.md',
  'skill://skills/.experimental/b/SKILL.md',
  'skill://skills/.system/c/SKILL.md',
  'skill://skills/e/SKILL.md',
];

describe('hidden folders', () => {
  test('of catalogs are always read; every other one with skills is one finding', async () => {
    const root = await temporary(project);
    const found = await report(root);
    expect(uris(found)).toEqual(catalogs);
    expect(found.findings.map(({ rule, file = '', message }) => [rule, file.slice(root.length + 1), message])).toEqual([
      ['agent-folder-left-out', join('.agents', 'skills'), '1 skill in this folder of an agent is not read'],
      ['hidden-folder-left-out', '.claude', '1 skill in this hidden folder is not read'],
      ['agent-folder-left-out', join('.claude', 'skills'), '2 skills in this folder of an agent are not read'],
      ['hidden-folder-left-out', '.curated', '1 skill in this hidden folder is not read'],
      ['agent-folder-left-out', join('.tabnine', 'agent', 'skills'), '1 skill in this folder of an agent is not read'],
      ['hidden-folder-left-out', join('skills', '.other'), '1 skill in this hidden folder is not read'],
    ]);
    expect(found.findings[0]?.remedy).toContain('--agent-folders');
  });

  test('of agents are read if asked for, except for copies in a lock file', async () => {
    const root = await temporary(project);
    const found = await report([{ path: root, agentFolders: true }]);
    expect(uris(found)).toEqual([
      'skill://.claude/skills/f/SKILL.md',
      'skill://.tabnine/agent/skills/i/SKILL.md',
      ...catalogs,
    ]);
    expect(found.findings.map(({ rule, file = '' }) => [rule, file.slice(root.length + 1)])).toEqual([
      ['hidden-folder-left-out', '.curated'],
      ['hidden-folder-left-out', join('.claude', 'plugins')],
      ['hidden-folder-left-out', join('skills', '.other')],
      ['installed-copies', join('.agents', 'skills')],
      ['installed-copies', join('.claude', 'skills')],
    ]);
  });

  test('that are named are read', async () => {
    const root = await temporary(project);
    expect(uris(await report(join(root, '.claude/skills')))).toEqual(['skill://f/SKILL.md', 'skill://g/SKILL.md']);
    expect(uris(await report(join(root, 'skills')))).toHaveLength(4);
  });

  test('are never read inside a skill', async () => {
    const root = await temporary({
      a: { 'SKILL.md': skill('a'), '.claude': { skills: one('x') }, skills: { '.curated': one('y') } },
      skills: { 'SKILL.md': skill('skills'), '.curated': one('z') },
    });
    expect(uris(await report([{ path: root, agentFolders: true }]))).toEqual([
      'skill://a/SKILL.md',
      'skill://skills/SKILL.md',
    ]);
  });

  test('follow a changing lock file', async () => {
    const root = await temporary(project);
    const catalog = createCatalog(
      directorySource([{ path: root, agentFolders: true }], { watch: false, cache: false }),
    );
    onTestFinished(() => catalog.close());
    const paths = async (): Promise<readonly string[]> =>
      (await catalog.refresh()).skills.map(({ path }) => path).filter((path) => path.startsWith('.'));
    expect(await paths()).toEqual(['.claude/skills/f', '.tabnine/agent/skills/i']);
    await write(root, { 'skills-lock.json': '{"skills":{"f":{}}}', 'skillwire.lock': '{"skills":{"i":{}}}' });
    expect(await paths()).toEqual(['.agents/skills/g', '.claude/skills/g']);
    await rm(join(root, 'skills-lock.json'));
    await write(root, { 'skillwire.lock': 'broken' });
    expect(await paths()).toEqual([
      '.agents/skills/g',
      '.claude/skills/f',
      '.claude/skills/g',
      '.tabnine/agent/skills/i',
    ]);
  });

  test('of an archive are treated the same', async () => {
    const file = (path: string, text: string) => ({ path, bytes: new TextEncoder().encode(text), executable: false });
    const bytes = packArchive(
      [
        file('skills/.curated/a/SKILL.md', skill('a')),
        file('.claude/skills/f/SKILL.md', skill('f')),
        file('.claude/skills/g/SKILL.md', skill('g')),
        file('skills-lock.json', '{"skills":{"g":{}}}'),
      ],
      'tar.gz',
    );
    const listed = async (agentFolders: boolean): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const { skills } of archiveSource({ name: 'x.tar.gz', bytes: await bytes }, { agentFolders }).list({}))
        found.push(...skills.map(({ entry }) => entry.uri));
      return found;
    };
    expect(await listed(false)).toEqual(['skill://skills/.curated/a/SKILL.md']);
    expect(await listed(true)).toEqual(['skill://skills/.curated/a/SKILL.md', 'skill://.claude/skills/f/SKILL.md']);
  });

  test('of a root without other skills cause both findings', async () => {
    expect(rules(await report(await temporary({ '.claude': { skills: one('a') } })))).toEqual([
      'agent-folder-left-out',
      'root-empty',
    ]);
  });
});

describe('hidden files of a skill', () => {
  const learned = {
    a: {
      'SKILL.md': skill('a'),
      '.gitignore': 'x',
      '.learnings': { 'one.md': '1', '.secret': 's' },
      sub: { '.notes.md': 'n' },
    },
  };

  test('are left out, and a finding about the skill names them', async () => {
    const found = await report(await temporary(learned));
    expect(files(found, 'skill://a/SKILL.md')).toEqual(['SKILL.md']);
    expect(found.findings).toMatchObject([
      {
        level: 'note',
        rule: 'file-hidden',
        skill: 'skill://a/SKILL.md',
        message: 'hidden files and folders are not published: ".learnings", "sub/.notes.md"',
      },
    ]);
  });

  test.each([
    ['.env', false],
    ['.env.production', false],
    ['.netrc', false],
    ['.ssh', false],
    ['.env.example', true],
    ['.notes', true],
  ])('the remedy about %s advises to publish it: %s', async (name, advised) => {
    const [found] = (await report(await temporary({ a: { 'SKILL.md': skill('a'), [name]: 'x' } }))).findings;
    expect(found).toMatchObject({ rule: 'file-hidden', message: expect.stringContaining(name) });
    expect(found?.remedy.includes('--publish')).toBe(advised);
  });

  test('are published if they are named, and no others', async () => {
    const root = await temporary(learned);
    const publish = ['a/.learnings', 'a/sub/.notes.md'];
    const found = await report([{ path: root, publish }]);
    expect(files(found, 'skill://a/SKILL.md')).toEqual(['.learnings/one.md', 'SKILL.md', 'sub/.notes.md']);
    expect(rules(found)).toEqual(['file-hidden', 'file-secret-published', 'file-secret-published']);
    // The cache of that run does not affect the next one.
    expect(files(await report(root), 'skill://a/SKILL.md')).toEqual(['SKILL.md']);
  });

  test('that are named outside of a skill, or do not exist, are reported', async () => {
    const root = await temporary({ ...learned, '.top': { 'x.md': 'x' } });
    expect(rules(await report([{ path: root, publish: ['.top', 'a/.none'] }]))).toEqual([
      'file-hidden',
      'publish-unused',
      'publish-unused',
    ]);
  });

  test('that appear later are reported at the next scan', async () => {
    const root = await temporary({ a: { 'SKILL.md': skill('a') } });
    const catalog = createCatalog(directorySource(root, { watch: false, cache: false }));
    onTestFinished(() => catalog.close());
    expect((await catalog.snapshot()).findings).toEqual([]);
    await write(root, { a: { '.env.sample': 'x' } });
    expect((await catalog.refresh()).findings.map(({ rule }) => rule)).toEqual(['file-hidden']);
  });
});

test('reading agent folders changes nothing about other skills, and marks those of agents', async () => {
  const root = await temporary({
    skills: { pdf: { 'SKILL.md': skill('pdf') } },
    '.claude': { skills: { own: { 'SKILL.md': skill('own') } } },
  });
  await symlink('../../skills/pdf', join(root, '.claude/skills/pdf'));
  const found = await report([{ path: root, agentFolders: 'read' }]);
  expect(found.skills.map(({ skill: { entry, inAgentFolder } }) => [entry.uri, inAgentFolder])).toEqual([
    ['skill://skills/pdf/SKILL.md', undefined],
    ['skill://.claude/skills/own/SKILL.md', true],
  ]);
  expect(found.findings.find(({ rule }) => rule === 'agent-folder-read')).toMatchObject({
    level: 'note',
    file: join(root, '.claude/skills'),
    message: '1 skill in this folder of an agent, which "serve" and "build" leave out',
  });
  const published = await report([{ path: root, agentFolders: true }]);
  expect(published.skills.some(({ skill: { inAgentFolder } }) => inAgentFolder)).toBe(false);
});
