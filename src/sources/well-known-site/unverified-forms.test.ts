import { describe, expect, test } from 'vitest';
import {
  indexV01,
  listSource,
  loopbackClient,
  publishV01,
  type ScriptedSite,
  scriptedSite,
  sha256,
  skillMd,
} from '../../../test/scripted-site.ts';
import { limits } from '../../limits.ts';
import { type WellKnownSiteOptions, type WellKnownSiteSource, wellKnownSiteSource } from './well-known-site-source.ts';

const noCache = { 'cache-control': 'no-cache' };

function source(site: ScriptedSite, options: Partial<WellKnownSiteOptions> = {}): WellKnownSiteSource {
  return wellKnownSiteSource({ url: site.origin, http: loopbackClient(), ...options });
}

const sample = {
  'pdf-tools': {
    'SKILL.md': skillMd('pdf-tools'),
    'scripts/merge.sh': '#!/bin/sh\n',
    'a b.bin': new Uint8Array([0, 255]),
  },
  'on-call': { 'SKILL.md': skillMd('on-call') },
};

describe('wellKnownSiteSource() of v0.1', () => {
  test('fetches all files for the session, promises nothing, and then answers from memory', async () => {
    const site = await scriptedSite();
    publishV01(site, sample, { headers: noCache, fileHeaders: noCache });
    const from = source(site);
    const { skills, uris } = await listSource(from);
    expect(uris).toEqual(['skill://pdf-tools/SKILL.md', 'skill://on-call/SKILL.md']);
    expect(skills[0]?.entry.resources).toBe('dynamic');
    expect(skills[0]?.partial).toEqual({
      reason: 'no-digest',
      files: ['SKILL.md', 'a%20b.bin', 'scripts/merge.sh'].map((path) => ({ uri: `skill://pdf-tools/${path}` })),
    });
    expect(site.count('/.well-known/skills/pdf-tools/scripts/merge.sh')).toBe(1);
    const file = await from.open('skill://pdf-tools/scripts/merge.sh', {});
    expect(new TextDecoder().decode(file?.bytes)).toBe('#!/bin/sh\n');
    expect(site.count('/.well-known/skills/pdf-tools/scripts/merge.sh')).toBe(1);
    await listSource(from);
    expect(site.count('/.well-known/skills/pdf-tools/scripts/merge.sh')).toBe(2);
    expect(site.requests.at(-1)?.headers['if-none-match']).toBeDefined();
    expect(await from.status({})).toMatchObject({ dialect: 'well-known 0.1' });
    await from.close();
  });

  test('fetches only SKILL.md if it is lazy, and a file on request', async () => {
    const site = await scriptedSite();
    publishV01(site, sample);
    const from = source(site, { fetch: 'lazy' });
    await listSource(from);
    expect(site.requests.map(({ path }) => path).filter((path) => path.includes('/skills/pdf-tools/'))).toEqual([
      '/.well-known/skills/pdf-tools/SKILL.md',
    ]);
    await from.open('skill://pdf-tools/scripts/merge.sh', {});
    await from.open('skill://pdf-tools/scripts/merge.sh', {});
    expect(site.count('/.well-known/skills/pdf-tools/scripts/merge.sh')).toBe(1);
    await from.close();
  });

  test('reports listed files that are missing, and refuses a skill without its SKILL.md', async () => {
    const site = await scriptedSite();
    publishV01(site, { ...sample, empty: { 'SKILL.md': skillMd('empty') } });
    site.files.delete('/.well-known/skills/pdf-tools/scripts/merge.sh');
    site.files.delete('/.well-known/skills/empty/SKILL.md');
    const from = source(site);
    const { uris, findings, refused } = await listSource(from);
    expect(uris).toEqual(['skill://pdf-tools/SKILL.md', 'skill://on-call/SKILL.md']);
    expect(findings.map(({ rule }) => rule)).toEqual(['site-file-missing', 'origin-entry-refused']);
    expect(refused).toMatchObject([{ name: 'empty', code: 'VERIFICATION_FAILED' }]);
    expect(await from.open('skill://pdf-tools/scripts/merge.sh', {})).toBeUndefined();
    await from.close();
  });

  test('publishes the digests of its copy if that is served, with a note', async () => {
    const site = await scriptedSite();
    publishV01(site, sample);
    const from = source(site, { ownDigests: true });
    const { skills, findings } = await listSource(from);
    expect(findings).toMatchObject([{ rule: 'site-unverified', level: 'note' }]);
    expect(skills[0]?.entry.resources).toHaveLength(3);
    const opened = await from.open('skill://pdf-tools/scripts/merge.sh', {});
    expect(opened?.digest).toBe(sha256('#!/bin/sh\n'));
    await from.close();
  });

  test('refuses a skill whose files exceed the size limit', async () => {
    const site = await scriptedSite();
    const half = new Uint8Array(limits.skill.bytes / 2);
    publishV01(site, { a: { 'SKILL.md': skillMd('a'), x: half, y: half }, b: { 'SKILL.md': skillMd('b') } });
    const from = source(site);
    const { uris, refused } = await listSource(from);
    expect(uris).toEqual(['skill://b/SKILL.md']);
    expect(refused).toMatchObject([{ name: 'a', requirement: 'S-35' }]);
    await from.close();
  });

  test('notices a changed file once the answer is stale', async () => {
    const site = await scriptedSite();
    publishV01(site, { a: { 'SKILL.md': skillMd('a') } }, { fileHeaders: noCache });
    const from = source(site);
    await listSource(from);
    site.set('/.well-known/skills/a/SKILL.md', { body: skillMd('a', '# b\n'), headers: noCache });
    await listSource(from);
    const opened = await from.open('skill://a/SKILL.md', {});
    expect(new TextDecoder().decode(opened?.bytes)).toContain('# b');
    await from.close();
  });
});

describe('wellKnownSiteSource() of the early v0.2 drafts', () => {
  const files = { 'SKILL.md': skillMd('early'), 'scripts/run.sh': '#!/bin/sh\n' };

  function publish(site: ScriptedSite, entry: object): void {
    for (const [path, body] of Object.entries(files)) site.set(`/.well-known/skills/early/${path}`, body);
    const about = { name: 'early', description: 'About early.', ...entry };
    site.set(indexV01, JSON.stringify({ version: '0.2.0', skills: [about] }));
  }

  const promised = Object.entries(files).map(([path, body]) => ({ path, digest: sha256(body) }));

  test('verifies digests of files and of the whole skill, as v0.2 does', async () => {
    const site = await scriptedSite();
    const lines = promised.map(({ path, digest }) => `${path}\0${digest.slice(7)}\n`).sort();
    publish(site, { digest: sha256(lines.join('')), files: promised });
    const from = source(site);
    const { skills, refused } = await listSource(from);
    expect(refused).toEqual([]);
    expect(skills[0]?.entry.resources).toHaveLength(2);
    expect(await from.status({})).toMatchObject({ dialect: 'well-known 0.2 (early draft)' });
    await from.close();
  });

  test.each([
    ['a file', { files: [promised[0], { path: 'scripts/run.sh', digest: sha256('x') }] }, sha256('#!/bin/sh\n')],
    ['the whole', { digest: sha256('x'), files: Object.keys(files) }, 'for all its files together'],
  ])('refuses the skill if the digest of %s differs', async (_, entry, message) => {
    const site = await scriptedSite();
    publish(site, entry);
    const from = source(site);
    const { uris, refused } = await listSource(from);
    expect(uris).toEqual([]);
    expect(refused).toMatchObject([{ code: 'VERIFICATION_FAILED', requirement: 'W-9' }]);
    expect(refused[0]?.faults[0]).toContain(message);
    expect(refused[0]?.faults[0]).toContain(sha256('x'));
    await from.close();
  });

  test('promises only files with digests', async () => {
    const site = await scriptedSite();
    publish(site, { files: [promised[0], 'scripts/run.sh'] });
    const from = source(site);
    const { skills } = await listSource(from);
    expect(skills[0]?.entry.resources).toBe('dynamic');
    expect(skills[0]?.partial?.files).toEqual([
      { uri: 'skill://early/SKILL.md', digest: sha256(skillMd('early')) },
      { uri: 'skill://early/scripts/run.sh' },
    ]);
    await from.close();
  });
});
