import { expect, test } from 'vitest';
import { publishV02, scriptedSite, skillMd } from '../../test/scripted-site.ts';
import { testSkillSource } from '../testing/test-skill-source.ts';
import { siteSource } from './site-source.ts';

testSkillSource({
  test,
  create: async () => {
    const site = await scriptedSite();
    publishV02(site, { a: { 'SKILL.md': skillMd('a'), 'x.txt': 'x' } });
    return { source: siteSource({ url: site.origin }) };
  },
});

test.each([
  ['nonsense', 'USAGE'],
  ['ftp://example.com', 'ADDRESS_BLOCKED'],
  ['http://example.com', 'ADDRESS_BLOCKED'],
  ['https://user:secret@example.com', 'ADDRESS_BLOCKED'],
])('siteSource() refuses "%s" before anything is fetched', (url, code) => {
  expect(() => siteSource({ url })).toThrow(expect.objectContaining({ code }));
});

test('siteSource() uses plain http to another machine only if allowed', async () => {
  const source = siteSource({
    url: 'http://example.test',
    insecureHttp: true,
    lookup: (_, __, done) => done(new Error('no such host'), ''),
  });
  await expect(source.status({})).rejects.toMatchObject({ code: 'UNREACHABLE' });
  await source.close();
});
