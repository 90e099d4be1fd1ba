/** The cache of an embedder: bounds, other models, damage, and two processes at once. */
import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import type { Embedder } from '../search/embedder.ts';
import { memoryStore } from '../store/memory-store.ts';
import type { Store } from '../store/store.ts';
import { type CachedEmbedder, cachedEmbedder, decodeVectors, encodeVectors } from './cached-embedder.ts';

const { signal } = new AbortController();

interface Opened extends CachedEmbedder {
  /** Texts that reached the embedder behind it. */
  readonly texts: readonly string[];
  readonly warnings: readonly string[];
}

function opened(store: Pick<Store, 'blobs' | 'index'>, model = 'small', length = 4): Opened {
  const texts: string[] = [];
  const warnings: string[] = [];
  const behind: Embedder = {
    embed: async (given) => {
      texts.push(...given);
      return given.map((text) => Array.from({ length }, (_, at) => text.length + at));
    },
  };
  const warn = (message: string): number => warnings.push(message);
  return { ...cachedEmbedder(behind, { model, store: async () => store, warn }), texts, warnings };
}

async function run(store: Store, texts: readonly string[], model?: string): Promise<Opened> {
  const embedder = opened(store, model);
  await embedder.embed(texts, signal);
  await embedder.close();
  return embedder;
}

async function pieces(store: Store): Promise<readonly string[]> {
  const rows = await store.index.entries(['vectors']);
  return rows.flatMap(({ value }) => (value as { pieces: readonly string[] }).pieces);
}

describe('cachedEmbedder()', () => {
  test('embeds missing texts, returns the same vectors, and caches no query', async () => {
    const store = memoryStore();
    const first = opened(store);
    const vectors = await first.embed(['a', 'bb', 'a'], signal);
    await first.embedQuery?.('a query', signal);
    await first.close();
    const second = opened(store);
    expect(await second.embed(['bb', 'ccc', 'a'], signal)).toMatchObject([vectors[1], {}, vectors[0]]);
    expect(second.texts).toEqual(['ccc']);
    await second.close();
    const third = await run(store, ['a', 'bb', 'ccc', 'a query']);
    expect([third.texts, third.warnings]).toEqual([['a query'], []]);
  });

  test('merges many pieces without losing vectors', async () => {
    const store = memoryStore();
    const texts = Array.from({ length: limits.search.vectorPieces + 3 }, (_, at) => `text ${at}`);
    for (const text of texts) await run(store, [text]);
    expect((await pieces(store)).length).toBeLessThanOrEqual(limits.search.vectorPieces);
    let blobs = 0;
    for await (const _ of store.blobs.list()) blobs++;
    expect(blobs).toBe((await pieces(store)).length);
    expect((await run(store, texts)).texts).toEqual([]);
  });

  test('keeps the vectors of the most recently used models', async () => {
    const store = memoryStore();
    for (let at = 0; at <= limits.search.cachedModels; at++) await run(store, ['a'], `model ${at}`);
    expect(await store.index.entries(['vectors'])).toHaveLength(limits.search.cachedModels);
    expect((await run(store, ['a'], `model ${limits.search.cachedModels}`)).texts).toEqual([]);
  });

  test('keeps the additions of two simultaneous processes', async () => {
    const store = memoryStore();
    const [one, two] = [opened(store), opened(store)];
    await one.embed(['a'], signal);
    await two.embed(['bb'], signal);
    await Promise.all([one.close(), two.close()]);
    expect((await run(store, ['a', 'bb'])).texts).toEqual([]);
  });

  test('embeds evicted texts again, and unreadable ones with a warning', async () => {
    const store = memoryStore();
    await run(store, ['a']);
    for (const piece of await pieces(store)) await store.blobs.delete(piece);
    expect(await run(store, ['a'])).toMatchObject({ texts: ['a'], warnings: [] });
    const [row] = await store.index.entries(['vectors']);
    await store.index.set(row?.key ?? [], { version: 1, pieces: [7] });
    expect(await run(store, ['a'])).toMatchObject({
      texts: ['a'],
      warnings: [expect.stringMatching(/embedded again/)],
    });
    expect((await run(store, ['a'])).texts).toEqual([]);
  });

  test('works without a usable cache', async () => {
    const store = memoryStore();
    await store.close();
    const embedder = await run(store, ['a']);
    expect(embedder.texts).toEqual(['a']);
    expect(embedder.warnings).toEqual([expect.stringMatching(/not cached for the next start/)]);
  });
});

describe('pieces of vectors', () => {
  const key = `sha256:${'a'.repeat(64)}`;
  const [piece = new Uint8Array()] = encodeVectors([[key, Int8Array.of(1, -128, 127)]]);

  test('are read back', () => {
    expect([...(decodeVectors(piece) ?? [])]).toEqual([[key, Int8Array.of(1, -128, 127)]]);
  });

  test.each([
    ['nothing', new Uint8Array()],
    ['other bytes', new TextEncoder().encode('something else')],
    ['a part', piece.subarray(0, -1)],
    ['a length of zero', Uint8Array.from(piece, (byte, at) => (at < 8 && at >= 4 ? 0 : byte))],
    ['a huge length', Uint8Array.from(piece, (byte, at) => (at === 4 ? 255 : byte))],
    ['a key that is no digest', Uint8Array.from(piece, (byte, at) => (at === 8 ? 90 : byte))],
  ])('%s is not a piece', (_, bytes) => {
    expect(decodeVectors(bytes)).toBeUndefined();
  });
});
