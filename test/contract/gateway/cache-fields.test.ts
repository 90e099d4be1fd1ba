/** Cache fields of a gateway: the shortest TTL of its origins minus its age, and private if one of them is private. */
import { expect, test } from 'vitest';
import { memorySource } from '../../../src/sources/memory.ts';
import { eventually } from '../../eventually.ts';
import { scriptedMcp } from '../../scripted-http.ts';
import { sha256 } from '../../scripted-site.ts';
import { skill } from '../../skill-folders.ts';
import { modern } from '../raw-mcp.ts';
import { originAt, serveGateway, serveSkills } from './gateway-parts.ts';

const nameOf = (index: number): string => `task-${String(index).padStart(4, '0')}`;

/** An upstream with this TTL. */
function cachedFor(ttlMs: number, count = 1) {
  const cached = { resultType: 'complete', ttlMs, cacheScope: 'public' };
  const skills = Array.from({ length: count }, (_, index) => {
    const name = nameOf(index);
    const uri = `skill://${name}/SKILL.md`;
    const content = skill(name);
    return {
      uri,
      frontmatter: { name, description: `About ${name}.` },
      resources: [{ uri, digest: sha256(content), size: content.length }],
    };
  });
  return scriptedMcp({
    'skills/list': () => ({ ...cached, skills }),
    'skills/get': ({ uri }) => ({ ...cached, skill: skills.find((one) => one.uri === uri) }),
    'resources/read': ({ uri }) => ({ ...cached, contents: [{ uri, text: skill(String(uri).split('/')[2] ?? '') }] }),
  });
}

interface CacheFields {
  readonly ttlMs: number;
  readonly cacheScope: string;
  readonly nextCursor?: string;
}

async function cacheFields(mcp: string, method: string, params: Record<string, unknown> = {}): Promise<CacheFields> {
  const { result, error } = await modern(mcp, method, params);
  if (result === undefined) throw new Error(error?.message);
  return result as unknown as CacheFields;
}

test('a listing has the shortest TTL of its parts, minus its age; one skill has that of its origin', async () => {
  const [long, short] = [await cachedFor(50_000), await cachedFor(20_000)];
  const { mcp } = await serveGateway([
    originAt('long', { kind: 'mcp', url: long.url }),
    originAt('short', { kind: 'mcp', url: short.url }),
  ]);
  const first = await cacheFields(mcp, 'skills/list');
  expect(first.ttlMs).toBeGreaterThan(0);
  expect(first.ttlMs).toBeLessThanOrEqual(20_000);
  const of = (label: string) => cacheFields(mcp, 'skills/get', { uri: `skill://${label}/${nameOf(0)}/SKILL.md` });
  expect((await of('short')).ttlMs).toBeLessThanOrEqual(20_000);
  const slow = await of('long');
  expect(slow.ttlMs).toBeGreaterThan(20_000);
  await eventually(
    async () => expect((await cacheFields(mcp, 'skills/list')).ttlMs).toBeLessThan(first.ttlMs - 200),
    50,
  );
  expect((await of('long')).ttlMs).toBeLessThan(slow.ttlMs);
});

test('content fetched with credentials makes every page of the listing private, and leaves public content unchanged', async () => {
  const open = await cachedFor(50_000, 600);
  const closed = await serveSkills(memorySource({ secret: { 'SKILL.md': skill('secret') } }));
  const { mcp } = await serveGateway([
    originAt('open', { kind: 'mcp', url: open.url }),
    originAt('z-closed', { kind: 'mcp', url: closed.mcp ?? '' }, {}, { token: 'token-of-the-gateway' }),
  ]);
  const scopes: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await cacheFields(mcp, 'skills/list', cursor === undefined ? {} : { cursor });
    scopes.push(page.cacheScope);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(scopes.length).toBeGreaterThan(1);
  expect(new Set(scopes)).toEqual(new Set(['private']));
  const scope = async (path: string) =>
    (await cacheFields(mcp, 'skills/get', { uri: `skill://${path}/SKILL.md` })).cacheScope;
  expect(await scope('z-closed/secret')).toBe('private');
  expect(await scope(`open/${nameOf(3)}`)).toBe('public');
});

test('an upstream without caching is not asked too often, and its answers are not cached', async () => {
  const none = await cachedFor(0);
  const { mcp } = await serveGateway([originAt('none', { kind: 'mcp', url: none.url })]);
  for (let count = 0; count < 20; count++) expect((await cacheFields(mcp, 'skills/list')).ttlMs).toBe(0);
  expect(none.calls('skills/list')).toBeLessThanOrEqual(2);
});
