import { describe, expect, test } from 'vitest';
import { bytesOf } from '../../../test/scripted-origin.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { memoryStore } from '../../store/memory-store.ts';
import type { Store } from '../../store/store.ts';
import type { HostWarning } from '../warnings.ts';
import { createCacheUpkeep } from './cache-upkeep.ts';
import { contentKey } from './content-cache.ts';

async function keep(store: Store, label: string, uri: string, text: string): Promise<string> {
  const digest = await sha256Digest(bytesOf(text));
  await store.blobs.put(digest, bytesOf(text));
  await store.index.set(contentKey(label, uri), { digest, size: text.length });
  return digest;
}

const open = (store: Store, budgetBytes = 1_000, warnings: HostWarning[] = []) =>
  createCacheUpkeep({ store, budgetBytes, graceMs: 0, warn: (warning) => warnings.push(warning) });

describe('the upkeep of the cache', () => {
  test('list() returns each file with its origin and whether the state refers to it', async () => {
    const store = memoryStore();
    const digest = await keep(store, 'docs', 'skill://a/SKILL.md', 'one');
    await keep(store, 'docs', 'skill://a/b.md', 'two');
    await store.state.set(['approval', 'docs', 'skill://a/SKILL.md'], { entry: { resources: [{ digest }] } });
    await store.index.set(contentKey('docs', 'skill://a/gone.md'), { digest: `sha256:${'0'.repeat(64)}`, size: 1 });
    await store.index.set(contentKey('docs', 'skill://a/odd.md'), 'not a row');
    await store.index.set(contentKey('docs', 'skill://a/null.md'), null);
    expect(await open(store).list()).toEqual([
      { label: 'docs', uri: 'skill://a/SKILL.md', digest, size: 3, pinned: true, usedAt: expect.any(Number) },
      expect.objectContaining({ uri: 'skill://a/b.md', pinned: false }),
    ]);
  });

  test('gc() removes the least recently used files and their index, but none that the state refers to', async () => {
    const store = memoryStore();
    const pinned = await keep(store, 'docs', 'skill://a/pinned.md', 'p'.repeat(400));
    await store.state.set(['approval', 'docs', 'x'], { digest: pinned });
    const old = await keep(store, 'docs', 'skill://a/old.md', 'o'.repeat(400));
    await new Promise((resolve) => setTimeout(resolve, 5));
    const fresh = await keep(store, 'docs', 'skill://a/new.md', 'n'.repeat(400));
    expect(await open(store, 900).gc()).toEqual({ removed: 1, freedBytes: 400, remainingBytes: 800 });
    expect(await Promise.all([pinned, old, fresh].map((digest) => store.blobs.has(digest)))).toEqual([
      true,
      false,
      true,
    ]);
    expect(await store.index.get(contentKey('docs', 'skill://a/old.md'))).toBeUndefined();
    expect(await open(store, 900).gc()).toEqual({ removed: 0, freedBytes: 0, remainingBytes: 800 });
  });

  test('runs automatically after a quarter of the budget was added, and reports its failures', async () => {
    const store = memoryStore();
    const upkeep = open(store, 400);
    for (const text of ['a', 'b', 'c']) await keep(store, 'docs', `skill://a/${text}.md`, text.repeat(300));
    upkeep.added(99);
    await upkeep.settled();
    expect(await upkeep.list()).toHaveLength(3);
    upkeep.added(1);
    await upkeep.settled();
    expect(await upkeep.list()).toHaveLength(1);
    const warnings: HostWarning[] = [];
    const broken = { ...store, state: { ...store.state, entries: () => Promise.reject(new Error('gone')) } };
    const failing = open(broken, 4, warnings);
    failing.added(4);
    await failing.settled();
    expect(warnings).toMatchObject([{ code: 'cache-unusable', message: expect.stringContaining('gone') }]);
  });

  test('verify() hashes all files and removes damaged ones', async () => {
    const store = memoryStore();
    const good = await keep(store, 'docs', 'skill://a/good.md', 'good');
    const bad = await keep(store, 'docs', 'skill://a/bad.md', 'bad');
    const get = async (digest: string) => (digest === bad ? undefined : store.blobs.get(digest));
    const upkeep = open({ ...store, blobs: { ...store.blobs, get } });
    expect(await upkeep.verify()).toMatchObject({ checked: 2, removed: [{ uri: 'skill://a/bad.md', digest: bad }] });
    expect((await upkeep.list()).map(({ digest }) => digest)).toEqual([good]);
    await expect(upkeep.verify({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });

  test('clear() removes the cached files of an origin, but no blob that another origin or the state names', async () => {
    const store = memoryStore();
    const shared = await keep(store, 'docs', 'skill://a/shared.md', 'shared');
    await keep(store, 'team', 'skill://a/shared.md', 'shared');
    const own = await keep(store, 'docs', 'skill://a/own.md', 'own');
    const pinned = await keep(store, 'docs', 'skill://a/pinned.md', 'pinned');
    await store.state.set(['waiting', 'x'], [pinned]);
    const upkeep = open(store);
    expect(await upkeep.clear('docs')).toEqual({ removed: 1, freedBytes: 3 });
    expect(await Promise.all([shared, own, pinned].map((digest) => store.blobs.has(digest)))).toEqual([
      true,
      false,
      true,
    ]);
    expect((await upkeep.list()).map(({ label }) => label)).toEqual(['team']);
    expect(await upkeep.clear()).toEqual({ removed: 1, freedBytes: 6 });
    expect(await upkeep.list()).toEqual([]);
  });
});
