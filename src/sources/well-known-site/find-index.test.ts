import { describe, expect, test } from 'vitest';
import {
  indexV01,
  indexV02,
  loopbackClient,
  publishV01,
  publishV02,
  type ScriptedSite,
  type SiteFile,
  scriptedSite,
  skillMd,
} from '../../../test/scripted-site.ts';
import type { ErrorCode } from '../../errors.ts';
import { findIndex, indexPlaces, type SiteIndex } from './find-index.ts';
import { siteHttp } from './site-http.ts';

function find(site: ScriptedSite, path = '', known?: SiteIndex): Promise<SiteIndex> {
  const http = siteHttp({ http: loopbackClient(), origin: site.origin, deadlineMs: 20_000 });
  return findIndex({ http, site: `${site.origin}${path}`, known });
}

const skills = { a: { 'SKILL.md': skillMd('a') } };

describe('indexPlaces()', () => {
  test.each([
    ['https://e.com', [`https://e.com${indexV02}`, `https://e.com${indexV01}`]],
    [
      'https://e.com/docs/',
      [
        `https://e.com/docs${indexV02}`,
        `https://e.com${indexV02}`,
        `https://e.com/docs${indexV01}`,
        `https://e.com${indexV01}`,
      ],
    ],
    ['https://e.com/.well-known/skills', [`https://e.com${indexV01}`]],
    ['https://e.com/x/.well-known/agent-skills/', [`https://e.com/x${indexV02}`]],
    ['https://e.com/my/index.json', ['https://e.com/my/index.json']],
  ])('of %s', (site, places) => {
    expect(indexPlaces(site)).toEqual(places);
  });
});

describe('findIndex()', () => {
  test('prefers v0.2 to v0.1, and the path to the root', async () => {
    const site = await scriptedSite();
    publishV01(site, skills);
    expect(await find(site)).toMatchObject({ decoded: { version: '0.1' }, findings: [] });
    publishV01(site, skills, { base: '/docs' });
    expect(await find(site, '/docs')).toMatchObject({ place: `${site.origin}/docs${indexV01}`, findings: [] });
    publishV02(site, skills);
    expect(await find(site)).toMatchObject({ decoded: { version: '0.2.0' }, findings: [] });
    expect(await find(site, '/docs')).toMatchObject({
      place: `${site.origin}${indexV02}`,
      findings: [{ rule: 'site-elsewhere' }],
    });
    publishV02(site, skills, { base: '/docs' });
    expect(await find(site, '/docs')).toMatchObject({ place: `${site.origin}/docs${indexV02}`, findings: [] });
    expect(await find(site, '/docs/.well-known/skills')).toMatchObject({ decoded: { version: '0.1' } });
  });

  const page: SiteFile = { body: '<!doctype html><title>Log in</title>', headers: { 'content-type': 'text/html' } };
  const later = JSON.stringify({ $schema: 'https://schemas.agentskills.io/discovery/0.3.0/schema.json', skills: [] });

  test.each<[string, SiteFile | string, ErrorCode, RegExp]>([
    ['401', { status: 401 }, 'NOT_AUTHORIZED', /requires credentials \(HTTP 401\)/],
    ['403', { status: 403 }, 'NOT_AUTHORIZED', /denied \(HTTP 403\)/],
    ['404', { status: 404 }, 'NO_INDEX', /publishes no skills/],
    ['410', { status: 410 }, 'NO_INDEX', /publishes no skills/],
    ['500', { status: 500, body: 'boom' }, 'ORIGIN_FAILED', /has an error \(HTTP 500, application\/json, "boom"\)/],
    ['bad JSON', '{"skills":[', 'BAD_ANSWER', /is not JSON/],
    ['no list', '{"skills":{}}', 'BAD_ANSWER', /no list "skills"/],
    ['an empty body', '', 'BAD_ANSWER', /it is empty/],
    ['another schema', later, 'INDEX_UNSUPPORTED', /discovery\/0\.3\.0/],
    ['a login page', page, 'NOT_AN_INDEX', /HTTP 200, text\/html, "<!doctype html><title>Log in<\/title>"/],
    ['another status', { status: 418 }, 'BAD_ANSWER', /HTTP 418/],
    ['a page as JSON', { body: ' <html>' }, 'NOT_AN_INDEX', /perhaps a login/],
  ])('distinguishes %s', async (_, answer, code, message) => {
    const site = await scriptedSite({ [indexV02]: answer });
    await expect(find(site)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('an index without skills is an answer', async () => {
    const site = await scriptedSite({ [indexV01]: '{"skills":[]}' });
    expect(await find(site)).toMatchObject({ decoded: { entries: [] } });
  });

  test.each<[string, SiteFile | string]>([
    ['403', { status: 403 }],
    ['a page', page],
    ['another schema', later],
  ])('continues with the older index after %s, and reports it', async (_, answer) => {
    const site = await scriptedSite({ [indexV02]: answer });
    publishV01(site, skills);
    expect(await find(site)).toMatchObject({
      decoded: { version: '0.1' },
      findings: [{ rule: 'site-index-unusual', message: expect.stringContaining(' instead') }],
    });
  });

  test.each<[string, SiteFile | string]>([
    ['401', { status: 401 }],
    ['503', { status: 503, headers: { 'retry-after': '3600' } }],
    ['bad JSON', '{'],
  ])('never falls back to an index without digests because of %s', async (_, answer) => {
    const site = await scriptedSite({ [indexV02]: answer });
    publishV01(site, skills);
    await expect(find(site)).rejects.toThrow();
    expect(site.count(indexV01)).toBe(0);
  });

  test('reports a type that is not JSON, and still uses the document', async () => {
    const site = await scriptedSite();
    publishV02(site, skills, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
    expect(await find(site)).toMatchObject({ findings: [{ rule: 'site-index-unusual' }] });
  });

  test('searches every place again if a known index is gone', async () => {
    const site = await scriptedSite();
    publishV02(site, skills);
    const known = await find(site);
    const again = await find(site, '', known);
    expect(again.decoded).toBe(known.decoded);
    site.files.delete(indexV02);
    publishV01(site, skills);
    expect(await find(site, '', known)).toMatchObject({ decoded: { version: '0.1' } });
  });
});
