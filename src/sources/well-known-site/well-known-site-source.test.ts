import { describe, expect, test } from 'vitest';
import { refusal } from '../../../test/refusal.ts';
import { scriptedHttp } from '../../../test/scripted-http.ts';
import {
  indexV02,
  listSource,
  loopbackClient,
  publishV02,
  type ScriptedSite,
  scriptedSite,
  sha256,
  skillMd,
} from '../../../test/scripted-site.ts';
import { executableMetaKey } from '../../skill/entry.ts';
import { testSkillSource } from '../../testing/test-skill-source.ts';
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

describe.each(['tar.gz', 'zip'] as const)(
  'wellKnownSiteSource() of v0.2 with %s passes the tests of the port',
  (format) => {
    testSkillSource({
      test,
      create: async () => {
        const site = await scriptedSite();
        publishV02(site, sample, { format });
        return { source: source(site) };
      },
    });
  },
);

describe('wellKnownSiteSource() of v0.2', () => {
  test('publishes digest, size and mode of every file of an archive', async () => {
    const site = await scriptedSite();
    publishV02(site, sample);
    const from = source(site);
    const { skills, findings } = await listSource(from);
    expect(findings).toEqual([]);
    const pdf = skills.find(({ entry }) => entry.frontmatter.name === 'pdf-tools');
    expect(pdf?.entry.resources).toEqual([
      { uri: 'skill://pdf-tools/SKILL.md', digest: sha256(skillMd('pdf-tools')), size: skillMd('pdf-tools').length },
      { uri: 'skill://pdf-tools/a%20b.bin', digest: sha256(new Uint8Array([0, 255])), size: 2 },
      { uri: 'skill://pdf-tools/scripts/merge.sh', digest: sha256('#!/bin/sh\n'), size: 10 },
    ]);
    expect(pdf?.entry._meta).toEqual({ [executableMetaKey]: ['skill://pdf-tools/scripts/merge.sh'] });
    expect(await from.status({})).toMatchObject({ dialect: 'well-known 0.2.0', address: `${site.origin}${indexV02}` });
    expect(await from.open('skill://pdf-tools/other', {})).toBeUndefined();
    await expect(from.open('skill://pdf-tools/SKILL.md', { maxBytes: 3 })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
    await from.close();
  });

  test('fetches an artifact once per digest, and confirms the index by its ETag', async () => {
    const site = await scriptedSite();
    publishV02(site, sample, { headers: noCache });
    const from = source(site);
    await listSource(from);
    await listSource(from);
    await from.open('skill://pdf-tools/SKILL.md', {});
    expect(site.count('/artifacts/pdf-tools.tar.gz')).toBe(1);
    expect(
      site.requests.filter(({ path }) => path === indexV02).map(({ headers }) => headers['if-none-match']),
    ).toEqual([undefined, expect.any(String)]);
    publishV02(site, { ...sample, 'pdf-tools': { 'SKILL.md': skillMd('pdf-tools', 'new\n') } }, { headers: noCache });
    const { skills } = await listSource(from);
    expect(skills[0]?.entry.resources).toHaveLength(1);
    expect(site.count('/artifacts/on-call/SKILL.md')).toBe(1);
    await from.close();
  });

  test('uses an index without a request until max-age, unless a fresh one is requested', async () => {
    const site = await scriptedSite();
    publishV02(site, sample, { headers: { 'cache-control': 'max-age=600, private' } });
    const from = source(site);
    const { skills } = await listSource(from);
    expect(skills[0]?.ttlMs).toBeGreaterThan(500_000);
    expect(skills[0]?.ttlMs).toBeLessThanOrEqual(600_000);
    expect(skills[0]?.cacheScope).toBe('private');
    await from.get('skill://on-call/SKILL.md', {});
    expect(site.count(indexV02)).toBe(1);
    await from.get('skill://on-call/SKILL.md', { fresh: true });
    expect(site.count(indexV02)).toBe(2);
    await from.close();
  });

  test('refuses only the artifact with a wrong digest, naming the file and both digests', async () => {
    const site = await scriptedSite();
    publishV02(site, sample);
    const path = '/artifacts/on-call/SKILL.md';
    const wrong = skillMd('on-call', '# on-calm\n');
    site.set(path, wrong);
    const from = source(site);
    const { uris, refused } = await listSource(from);
    expect(uris).toEqual(['skill://pdf-tools/SKILL.md']);
    expect(refused).toMatchObject([{ name: 'on-call', code: 'VERIFICATION_FAILED', requirement: 'W-9' }]);
    const message = refused[0]?.faults[0] ?? '';
    expect(message).toContain(`"${site.origin}${path}"`);
    expect(message).toContain(sha256(skillMd('on-call')));
    expect(message).toContain(sha256(wrong));
    const error = await refusal(from.get('skill://on-call/SKILL.md', {}));
    expect(error).toMatchObject({ code: 'VERIFICATION_FAILED', exitCode: 7 });
    expect(error.data).toMatchObject({ expectedDigest: sha256(skillMd('on-call')), actualDigest: sha256(wrong) });
    await from.close();
  });

  test('uses the renewed index if an artifact changes while it is read', async () => {
    const site = await scriptedSite();
    publishV02(site, { a: { 'SKILL.md': skillMd('a', 'old\n') } }, { headers: { 'cache-control': 'max-age=600' } });
    const from = source(site);
    await from.status({});
    publishV02(site, { a: { 'SKILL.md': skillMd('a', 'new\n') } }, { headers: { 'cache-control': 'max-age=600' } });
    const { skills, refused } = await listSource(from);
    expect(refused).toEqual([]);
    expect(skills[0]?.entry.resources).toMatchObject([{ digest: sha256(skillMd('a', 'new\n')) }]);
    await from.close();
  });

  test('refuses bad entries one by one and serves the others', async () => {
    const site = await scriptedSite();
    const [good] = publishV02(site, { good: { 'SKILL.md': skillMd('good') } });
    const bad = [
      { ...good, name: 'Bad' },
      { ...good, name: 'odd', type: 'bundle' },
      { ...good, name: 'file', url: 'file:///etc/passwd' },
      { ...good, name: 'short', digest: 'sha256:abc' },
      { ...good, name: 'no-url', url: undefined },
      { ...good, name: 'gone', url: '/artifacts/gone.md' },
      { ...good, name: 'page', url: '/page.md', digest: sha256('# no frontmatter\n') },
      { ...good, name: 'zip', type: 'archive' },
      7,
    ];
    site.set('/page.md', '# no frontmatter\n');
    site.set(indexV02, JSON.stringify({ $schema: schema, extra: true, skills: [...bad, { ...good, extra: 1 }] }));
    const from = source(site);
    const { uris, refused, findings } = await listSource(from);
    expect(uris).toEqual(['skill://good/SKILL.md']);
    expect(refused.map(({ name, requirement }) => [name, requirement])).toEqual([
      ['Bad', 'W-6'],
      ['odd', 'W-7'],
      ['file', 'W-8'],
      ['short', 'W-9'],
      ['no-url', 'W-8'],
      [undefined, 'W-6'],
      ['gone', 'W-8'],
      ['page', 'S-7'],
      ['zip', 'W-10'],
    ]);
    expect(findings.filter(({ rule }) => rule === 'origin-entry-refused')).toHaveLength(bad.length);
    await from.close();
  });

  test('cuts a listing short that would fetch too much, and reports it', async () => {
    const site = await scriptedSite();
    const many = Array.from({ length: 20 }, (_, number) => `skill-${number}`);
    publishV02(site, Object.fromEntries(many.map((name) => [name, { 'SKILL.md': skillMd(name) }])));
    const from = source(site, { listingBytes: 300 });
    const { uris, findings } = await listSource(from);
    expect(uris.length).toBeGreaterThanOrEqual(3);
    expect(uris.length).toBeLessThan(15);
    const left = many.length - uris.length;
    expect(findings).toMatchObject([
      { rule: 'origin-listing-cut', message: expect.stringContaining(`${left} more skills of the index`) },
    ]);
    expect(await from.get('skill://skill-19/SKILL.md', {})).toBeDefined();
    await from.close();
  });

  test('fetches and verifies evicted files again, and uses the new version if the old one is gone', async () => {
    const site = await scriptedSite();
    const fresh = { headers: { 'cache-control': 'max-age=600' } };
    publishV02(site, { a: { 'SKILL.md': skillMd('a'), 'x.txt': 'old' } }, fresh);
    const from = source(site, { cachedBytes: 0 });
    await listSource(from);
    await from.open('skill://a/x.txt', {});
    expect(site.count('/artifacts/a.tar.gz')).toBe(2);
    publishV02(site, { a: { 'SKILL.md': skillMd('a'), 'x.txt': 'new' } }, fresh);
    expect((await from.open('skill://a/x.txt', {}))?.digest).toBe(sha256('new'));
    site.set('/artifacts/a.tar.gz', 'damaged');
    expect(await refusal(from.open('skill://a/x.txt', {}))).toMatchObject({ code: 'VERIFICATION_FAILED' });
    await from.close();
  });

  test('builds the URI from both names if the index has another one', async () => {
    const site = await scriptedSite();
    publishV02(site, { 'acme-refunds': { 'SKILL.md': skillMd('refunds', 'x\n', 'About acme-refunds.') } });
    const from = source(site);
    const { uris, findings } = await listSource(from);
    expect(uris).toEqual(['skill://acme-refunds/refunds/SKILL.md']);
    expect(findings).toMatchObject([{ rule: 'site-name-differs', level: 'warning' }]);
    expect((await from.get(uris[0] ?? '', {}))?.entry.frontmatter.name).toBe('refunds');
    expect(await from.get('skill://acme-refunds/SKILL.md', {})).toBeUndefined();
    await from.close();
  });
});

const schema = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';

describe('wellKnownSiteSource() and credentials', () => {
  test('go only to the origin of the site', async () => {
    const cdn = await scriptedSite();
    const [entry] = publishV02(cdn, { a: { 'SKILL.md': skillMd('a') } });
    const site = await scriptedSite();
    site.set(indexV02, JSON.stringify({ $schema: schema, skills: [{ ...entry, url: `${cdn.origin}${entry?.url}` }] }));
    const from = source(site, { token: 'secret', headers: { 'x-api-key': 'key' } });
    expect((await listSource(from)).uris).toEqual(['skill://a/SKILL.md']);
    expect(site.requests[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'x-api-key': 'key' });
    expect(cdn.requests).toHaveLength(1);
    expect(cdn.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(cdn.requests[0]?.headers).not.toHaveProperty('x-api-key');
    await from.close();
  });

  test('are renewed once if they are refused', async () => {
    const tokens = ['old', 'new'];
    const server = await scriptedHttp(({ headers }, response) => {
      const ok = headers.authorization === 'Bearer new';
      response.writeHead(ok ? 200 : 401, { 'content-type': 'application/json' });
      response.end(ok ? JSON.stringify({ $schema: schema, skills: [] }) : '');
    });
    const token = async (): Promise<string> => tokens.shift() ?? 'none';
    const from = wellKnownSiteSource({ url: server.origin, http: loopbackClient(), token });
    expect((await listSource(from)).uris).toEqual([]);
    await from.close();
  });
});

describe('wellKnownSiteSource() and redirects', () => {
  test('follows them, resolves against the target, and reports another origin', async () => {
    const other = await scriptedSite();
    const skills = { a: { 'SKILL.md': skillMd('a') } };
    publishV02(other, skills);
    const site = await scriptedSite({
      [indexV02]: { status: 302, headers: { location: `${other.origin}${indexV02}` } },
    });
    const from = source(site, { token: 'secret' });
    const { uris, findings } = await listSource(from);
    expect(uris).toEqual(['skill://a/SKILL.md']);
    expect(findings).toMatchObject([{ rule: 'site-elsewhere' }]);
    expect(other.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
    await from.close();
  });

  test('refuses a site that starts to redirect elsewhere', async () => {
    const other = await scriptedSite();
    publishV02(other, { a: { 'SKILL.md': skillMd('a') } });
    const site = await scriptedSite();
    publishV02(site, { a: { 'SKILL.md': skillMd('a') } });
    const from = source(site);
    await listSource(from);
    site.set(indexV02, { status: 302, headers: { location: `${other.origin}${indexV02}` } });
    expect(await refusal(listSource(from, true))).toMatchObject({ code: 'ORIGIN_MOVED', exitCode: 5 });
    await from.close();
  });
});
