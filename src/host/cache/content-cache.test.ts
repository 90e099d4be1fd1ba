import { describe, expect, test } from 'vitest';
import { bytesOf, type ScriptedOrigin, scriptedOrigin, skillMd, textOf } from '../../../test/scripted-origin.ts';
import { SkillwireError } from '../../errors.ts';
import type { SkillResource } from '../../skill/entry.ts';
import { memoryStore } from '../../store/memory-store.ts';
import type { Store } from '../../store/store.ts';
import { createOrigins, type Origins } from '../discover/origins.ts';
import { createFetchBudget, type FetchBudgetLimits } from '../load/fetch-budget.ts';
import type { HostWarning } from '../warnings.ts';
import { type ContentCache, contentKey, createContentCache } from './content-cache.ts';

const uri = 'skill://a/SKILL.md';
const files = { a: { 'SKILL.md': skillMd('a'), 'b.md': 'B' } };

interface Opened {
  readonly cache: ContentCache;
  readonly store: Store;
  readonly origins: Origins;
  readonly warnings: HostWarning[];
  readonly added: number[];
}

function open(all: readonly ScriptedOrigin[], options: { store?: Store; most?: FetchBudgetLimits } = {}): Opened {
  const { store = memoryStore(), most } = options;
  const origins = createOrigins(2_000);
  for (const origin of all) origins.add(origin);
  const warnings: HostWarning[] = [];
  const added: number[] = [];
  const cache = createContentCache({
    store,
    origins,
    budget: createFetchBudget(most),
    warn: (warning) => warnings.push(warning),
    onAdded: (bytes) => added.push(bytes),
  });
  return { cache, store, origins, warnings, added };
}

async function resourceOf(origin: ScriptedOrigin, at = uri): Promise<SkillResource> {
  const resources = (await origin.skills.get(uri, {}))?.entry.resources;
  const found = resources === 'dynamic' ? undefined : resources?.find((file) => file.uri === at);
  if (found === undefined) throw new Error(at);
  return found;
}

describe('the content cache', () => {
  test('asks the origin once, then serves from the cache', async () => {
    const docs = scriptedOrigin('docs', files);
    const { cache, added } = open([docs]);
    const resource = await resourceOf(docs);
    expect(textOf((await cache.open(docs, resource, {})).bytes)).toBe(skillMd('a'));
    expect(textOf((await cache.open(docs, resource, {})).bytes)).toBe(skillMd('a'));
    expect(docs.count('open')).toBe(1);
    expect(docs.calls[0]?.context.maxBytes).toBe(resource.size + 1);
    expect(added).toEqual([resource.size]);
  });

  test('fetches a file once for simultaneous callers', async () => {
    const docs = scriptedOrigin('docs', files);
    const { cache } = open([docs]);
    const resource = await resourceOf(docs);
    await Promise.all([1, 2, 3].map(() => cache.open(docs, resource, {})));
    expect(docs.count('open')).toBe(1);
  });

  test('uses a blob only for the label and the URI under which it was fetched', async () => {
    const [docs, evil] = [scriptedOrigin('docs', files), scriptedOrigin('evil', files)];
    const { cache } = open([docs, evil]);
    const resource = await resourceOf(docs);
    await cache.open(docs, resource, {});
    evil.lies.set(uri, undefined);
    await expect(cache.open(evil, resource, {})).rejects.toMatchObject({ reason: 'missing' });
    const elsewhere = { ...resource, uri: 'skill://a/b.md' };
    docs.lies.set(elsewhere.uri, undefined);
    await expect(cache.open(docs, elsewhere, {})).rejects.toMatchObject({ reason: 'missing' });
  });

  test.each([
    ['size', 'one byte more', (text: string) => `${text}x`],
    ['size', 'far more bytes', (text: string) => text.repeat(10)],
    ['size', 'no bytes', () => ''],
    ['digest', 'other bytes of the same length', (text: string) => text.replace('a', 'b')],
  ])('refuses with reason %s if the origin sends %s, and caches nothing', async (reason, _, lie) => {
    const docs = scriptedOrigin('docs', files);
    const { cache, store } = open([docs]);
    const resource = await resourceOf(docs);
    docs.lies.set(uri, bytesOf(lie(skillMd('a'))));
    await expect(cache.open(docs, resource, {})).rejects.toMatchObject({ code: 'VERIFICATION_FAILED', reason });
    expect(await store.index.entries([])).toEqual([]);
    expect(await store.blobs.has(resource.digest)).toBe(false);
  });

  test('does not use damaged bytes, reports them, and fetches the file again', async () => {
    const docs = scriptedOrigin('docs', files);
    const inner = memoryStore();
    let rotten = false;
    const get = async (digest: string) => (rotten ? bytesOf('rot') : inner.blobs.get(digest));
    const { cache, warnings } = open([docs], { store: { ...inner, blobs: { ...inner.blobs, get } } });
    const resource = await resourceOf(docs);
    await cache.open(docs, resource, {});
    rotten = true;
    expect(textOf((await cache.open(docs, resource, {})).bytes)).toBe(skillMd('a'));
    expect(docs.count('open')).toBe(2);
    expect(warnings).toMatchObject([{ code: 'cache-corrupt' }]);
  });

  test('works without a usable store', async () => {
    const docs = scriptedOrigin('docs', files);
    const inner = memoryStore();
    const fail = (): Promise<never> => Promise.reject(new SkillwireError('STATE_UNUSABLE', 'disk full'));
    const store = { ...inner, blobs: { ...inner.blobs, put: fail }, index: { ...inner.index, get: fail } };
    const { cache, warnings, added } = open([docs], { store });
    const resource = await resourceOf(docs);
    expect(textOf((await cache.open(docs, resource, {})).bytes)).toBe(skillMd('a'));
    expect(warnings.map(({ code }) => code)).toEqual(['cache-unusable', 'cache-unusable']);
    expect(added).toEqual([]);
  });

  test('caches nothing of local folders, previews and removed origins', async () => {
    const [home, docs] = [scriptedOrigin('home', files, true), scriptedOrigin('docs', files)];
    const { cache, store, origins } = open([home, docs]);
    const resource = await resourceOf(docs);
    await cache.open(home, resource, {});
    await cache.open(docs, resource, { forPerson: true });
    docs.before = () => {
      origins.remove('docs');
    };
    await cache.open(docs, resource, {});
    expect(await store.index.entries([])).toEqual([]);
  });

  test('shows cached files to a person without contacting the origin', async () => {
    const docs = scriptedOrigin('docs', files);
    const { cache } = open([docs]);
    const resource = await resourceOf(docs);
    expect(await cache.cached('docs', resource)).toBeUndefined();
    await cache.open(docs, resource, {});
    docs.failure = new SkillwireError('UNREACHABLE', 'gone');
    expect((await cache.cached('docs', resource))?.digest).toBe(resource.digest);
    expect((await cache.open(docs, resource, { forPerson: true })).digest).toBe(resource.digest);
  });

  test('stops fetching for an origin that has spent its budget', async () => {
    const docs = scriptedOrigin('docs', files);
    const { cache } = open([docs], { most: { files: 1, bytes: 1_000, windowMs: 60_000 } });
    await cache.open(docs, await resourceOf(docs), {});
    await cache.open(docs, await resourceOf(docs), {});
    const second = cache.open(docs, await resourceOf(docs, 'skill://a/b.md'), {});
    await expect(second).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(docs.count('open')).toBe(1);
  });

  test('asks again if the index names another digest for the file', async () => {
    const docs = scriptedOrigin('docs', files);
    const { cache, store } = open([docs]);
    const resource = await resourceOf(docs);
    await cache.open(docs, resource, {});
    await store.index.set(contentKey('docs', uri), { digest: `sha256:${'0'.repeat(64)}`, size: 1 });
    await cache.open(docs, resource, {});
    expect(docs.count('open')).toBe(2);
  });
});
