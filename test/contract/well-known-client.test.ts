/** Requirements of well-known discovery v0.2.0 and v0.1 on clients, against sites on real sockets. */
import { describe, expect } from 'vitest';
import { packArchive } from '../../src/archive/pack.ts';
import { siteSource } from '../../src/origins/site-source.ts';
import type { WellKnownSiteSource } from '../../src/sources/well-known-site/well-known-site-source.ts';
import { verifies } from '../requirements/verifies.ts';
import {
  indexV01,
  indexV02,
  type ListedSite,
  listSource,
  publishV01,
  publishV02,
  type ScriptedSite,
  scriptedSite,
  sha256,
  skillMd,
} from '../scripted-site.ts';
import { openedHost } from './host/opened-host.ts';

const schema = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

async function listed(source: WellKnownSiteSource): Promise<ListedSite & { readonly names: readonly string[] }> {
  const all = await listSource(source);
  return { ...all, names: all.skills.map(({ entry }) => entry.frontmatter.name) };
}

async function once(site: ScriptedSite, path = ''): ReturnType<typeof listed> {
  const source = siteSource({ url: `${site.origin}${path}` });
  try {
    return await listed(source);
  } finally {
    await source.close();
  }
}

const one = { a: { 'SKILL.md': skillMd('a') } };
const folder = { a: { 'SKILL.md': skillMd('a'), 'scripts/run.sh': '#!/bin/sh\n' } };

describe('a client of v0.2', () => {
  verifies(
    ['W-1', 'W-2', 'W-5'],
    'reads the index at its address, by its schema, and ignores unknown fields',
    async () => {
      const site = await scriptedSite();
      const [entry] = publishV02(site, one);
      site.set(indexV02, JSON.stringify({ $schema: schema, more: [], skills: [{ ...entry, more: { x: 1 } }] }));
      expect((await once(site)).names).toEqual(['a']);
    },
  );

  verifies(['W-3'], 'does not process an index of another schema, and reports it', async () => {
    const site = await scriptedSite();
    const [entry] = publishV02(site, one);
    const other = 'https://schemas.agentskills.io/discovery/0.3.0/schema.json';
    site.set(indexV02, JSON.stringify({ $schema: other, skills: [entry] }));
    await expect(once(site)).rejects.toMatchObject({
      code: 'INDEX_UNSUPPORTED',
      message: expect.stringContaining(other),
    });
    expect(site.count('/artifacts/a/SKILL.md')).toBe(0);
  });

  verifies(['W-4'], 'treats an index without schema as v0.1', async () => {
    const site = await scriptedSite();
    publishV01(site, one);
    const { body = '' } = site.files.get(indexV01) ?? {};
    site.files.delete(indexV01);
    site.set(indexV02, body);
    site.set('/.well-known/agent-skills/a/SKILL.md', skillMd('a'));
    const { skills } = await once(site);
    expect(skills[0]?.partial?.reason).toBe('no-digest');
  });

  verifies(
    ['W-6', 'W-7'],
    'skips entries that lack a field or have an unknown type, and keeps the others',
    async () => {
      const site = await scriptedSite();
      const [entry] = publishV02(site, one);
      const incomplete = ['name', 'type', 'description', 'url', 'digest'].map((field) => ({
        ...entry,
        name: field,
        [field]: undefined,
      }));
      site.set(
        indexV02,
        JSON.stringify({ $schema: schema, skills: [...incomplete, { ...entry, name: 'b', type: 'x' }, entry] }),
      );
      const { names, refused } = await once(site);
      expect(names).toEqual(['a']);
      expect(refused).toHaveLength(6);
    },
  );

  verifies(['W-8'], 'resolves addresses against that of the index', async () => {
    const site = await scriptedSite();
    const digest = sha256(skillMd('a'));
    const cdn = await scriptedSite({ '/x/a.md': skillMd('a') });
    site.set('/docs/.well-known/agent-skills/near/SKILL.md', skillMd('a'));
    site.set('/root.md', skillMd('a'));
    const entry = (name: string, url: string) => ({ name, type: 'skill-md', description: 'd', url, digest });
    const skills = [entry('near', 'near/SKILL.md'), entry('root', '/root.md'), entry('far', `${cdn.origin}/x/a.md`)];
    site.set(`/docs${indexV02}`, JSON.stringify({ $schema: schema, skills }));
    expect((await once(site, '/docs')).names).toEqual(['a', 'a', 'a']);
  });

  verifies(['W-9', 'W-13'], 'uses nothing with another digest, and checks the digest before it unpacks', async () => {
    const site = await scriptedSite();
    publishV02(site, folder);
    site.set('/artifacts/a.tar.gz', 'not even an archive');
    const { names, refused } = await once(site);
    expect(names).toEqual([]);
    expect(refused).toMatchObject([{ code: 'VERIFICATION_FAILED', requirement: 'W-9' }]);
    expect(refused[0]?.faults[0]).toContain(sha256('not even an archive'));
  });

  verifies(['W-10', 'W-11'], 'reads both kinds of archives, recognized by type, extension or content', async () => {
    const site = await scriptedSite();
    const bytes = { 'tar.gz': packed('tar.gz'), zip: packed('zip') };
    const places = [
      ['a', 'tar.gz', '/x', 'application/gzip'],
      ['b', 'zip', '/y', 'application/zip'],
      ['c', 'tar.gz', '/z.tgz', 'application/octet-stream'],
      ['d', 'zip', '/w.zip', 'application/octet-stream'],
      ['e', 'zip', '/v', 'application/octet-stream'],
    ] as const;
    const skills = places.map(([name, format, url, type]) => {
      site.set(url, { body: bytes[format], headers: { 'content-type': type } });
      return { name, type: 'archive', description: 'd', url, digest: sha256(bytes[format]) };
    });
    site.set(indexV02, JSON.stringify({ $schema: schema, skills }));
    const { skills: read, refused } = await once(site);
    expect(refused).toEqual([]);
    expect(read.map(({ entry }) => entry.resources.length)).toEqual([2, 2, 2, 2, 2]);
  });

  verifies(['W-20'], 'follows redirects of index and artifact, and respects cache headers', async () => {
    const site = await scriptedSite();
    const [entry] = publishV02(site, one, { headers: { 'cache-control': 'max-age=3600' } });
    const index = site.files.get(indexV02);
    if (index === undefined || entry === undefined) throw new Error('nothing was published');
    site.set('/moved/index.json', index);
    site.set(indexV02, { status: 301, headers: { location: '/moved/index.json' } });
    site.set('/moved/a.md', skillMd('a'));
    site.set(entry.url, { status: 307, headers: { location: '/moved/a.md' } });
    const source = siteSource({ url: site.origin });
    expect((await listed(source)).names).toEqual(['a']);
    await listed(source);
    expect(site.count('/moved/index.json')).toBe(1);
    await source.close();
  });

  verifies(['W-21'], 'fetches an artifact again only if its digest has changed', async () => {
    const site = await scriptedSite();
    const skills = { ...one, b: { 'SKILL.md': skillMd('b') } };
    publishV02(site, skills, { headers: { 'cache-control': 'no-cache' } });
    const source = siteSource({ url: site.origin });
    await listed(source);
    publishV02(site, { ...skills, b: { 'SKILL.md': skillMd('b', 'new\n') } });
    await listed(source);
    expect([site.count('/artifacts/a/SKILL.md'), site.count('/artifacts/b/SKILL.md')]).toEqual([1, 2]);
    await source.close();
  });
});

describe('a host that reads sites', () => {
  verifies(
    ['W-22', 'wk01:client-disclosure'],
    'shows a model name and description, the text when it is loaded, and other files on request',
    async () => {
      const site = await scriptedSite();
      publishV02(site, { a: { 'SKILL.md': skillMd('a', 'See notes.md.\n'), 'notes.md': 'secret notes\n' } });
      const source = siteSource({ url: site.origin });
      const { host } = await openedHost([{ label: 'site', source, local: false }]);
      const { text } = await host.catalogText({});
      expect(text).toContain('About a.');
      expect(text).not.toContain('See notes.md.');
      const skill = await host.load('a');
      expect(skill.text).toContain('See notes.md.');
      expect(skill.text).not.toContain('secret notes');
      expect((await skill.read('notes.md')).text).toContain('secret notes');
    },
  );

  verifies(['W-24'], 'loads nothing of an unapproved origin', async () => {
    const site = await scriptedSite();
    publishV02(site, one);
    const source = siteSource({ url: site.origin });
    const { host, questions } = await openedHost([{ label: 'site', source, local: false }], {
      answer: { allow: false },
    });
    await expect(host.load('a')).rejects.toMatchObject({ code: 'NOT_APPROVED' });
    expect(questions).toHaveLength(1);
  });
});

describe('a client of v0.1', () => {
  verifies(
    ['wk01:client-index', 'wk01:client-relative'],
    'reads skills and files from the index, below the folder of each skill',
    async () => {
      const site = await scriptedSite();
      publishV01(site, folder, { base: '/docs' });
      const source = siteSource({ url: `${site.origin}/docs` });
      await listed(source);
      expect(site.requests.map(({ path }) => path)).toContain('/docs/.well-known/skills/a/scripts/run.sh');
      const file = await source.open('skill://a/scripts/run.sh', {});
      expect(Buffer.from(file?.bytes ?? []).toString()).toBe('#!/bin/sh\n');
      await source.close();
    },
  );

  verifies(['wk01:client-prefetch'], 'fetches all files with the listing and then needs no network', async () => {
    const site = await scriptedSite();
    publishV01(site, folder);
    const source = siteSource({ url: site.origin });
    await listed(source);
    const before = site.requests.length;
    site.files.clear();
    expect((await source.open('skill://a/scripts/run.sh', {}))?.bytes).toHaveLength(10);
    expect(site.requests).toHaveLength(before);
    await source.close();
  });

  verifies(['wk01:client-redirects', 'wk01:client-cache'], 'follows redirects and caches what it may', async () => {
    const site = await scriptedSite();
    publishV01(site, one, {
      headers: { 'cache-control': 'max-age=3600' },
      fileHeaders: { 'cache-control': 'max-age=3600' },
    });
    site.set('/elsewhere.md', { body: skillMd('a'), headers: { 'cache-control': 'max-age=3600' } });
    site.set('/.well-known/skills/a/SKILL.md', { status: 308, headers: { location: '/elsewhere.md' } });
    const source = siteSource({ url: site.origin });
    expect((await listed(source)).names).toEqual(['a']);
    const before = site.requests.length;
    await listed(source);
    expect(site.requests).toHaveLength(before);
    await source.close();
  });

  verifies(
    [
      'wk01:index',
      'wk01:name',
      'wk01:description',
      'wk01:files',
      'wk01:files-not-empty',
      'wk01:files-skill-md',
      'wk01:files-paths',
    ],
    'refuses entries that break a rule, and keeps the others',
    async () => {
      const site = await scriptedSite();
      publishV01(site, one);
      const entry = { name: 'a', description: 'About a.', files: ['SKILL.md'] };
      const bad = [
        { ...entry, name: '../a' },
        { ...entry, name: 'b', description: 'x'.repeat(1_025) },
        { ...entry, name: 'c', files: 'SKILL.md' },
        { ...entry, name: 'd', files: [] },
        { ...entry, name: 'e', files: ['README.md'] },
        { ...entry, name: 'f', files: ['SKILL.md', '../x'] },
        { ...entry, name: 'g', files: ['SKILL.md', '/etc/passwd'] },
        { ...entry, name: 'h', files: ['SKILL.md', 'größe.md'] },
      ];
      site.set(indexV01, JSON.stringify({ skills: [...bad, entry] }));
      const { names, refused } = await once(site);
      expect(names).toEqual(['a']);
      expect(refused.map(({ requirement }) => requirement)).toEqual([
        'wk01:name',
        'wk01:description',
        'wk01:files',
        'wk01:files-not-empty',
        'wk01:files-skill-md',
        'wk01:files-paths',
        'wk01:files-paths',
        'wk01:files-paths',
      ]);
    },
  );

  verifies(['wk01:files-served'], 'reports a missing listed file, and a skill without its SKILL.md', async () => {
    const site = await scriptedSite();
    publishV01(site, { ...folder, b: { 'SKILL.md': skillMd('b') } });
    site.files.delete('/.well-known/skills/a/scripts/run.sh');
    site.files.delete('/.well-known/skills/b/SKILL.md');
    const { names, refused } = await once(site);
    expect(names).toEqual(['a']);
    expect(refused).toMatchObject([{ name: 'b', code: 'VERIFICATION_FAILED', requirement: 'wk01:files-served' }]);
  });
});

function packed(format: 'tar.gz' | 'zip'): Uint8Array {
  const files = Object.entries(folder.a).map(([path, text]) => ({ path, bytes: Buffer.from(text), executable: false }));
  return packArchive(files, format);
}
