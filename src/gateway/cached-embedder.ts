/**
 * An embedder whose vectors are cached on disk. Vectors are stored as blobs, keyed by the digest of the embedded text; the cache index has one
 * row per model that names its blobs. A damaged blob fails its digest and is rebuilt. The row is written after its blobs, so a crash leaves
 * the previous vectors. If the cache cannot be used, a warning is logged and embedding continues. Queries are never cached.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { type Embedder, embeddedQuery, embeddedTexts } from '../search/embedder.ts';
import { isDigest, sha256Digest } from '../skill/digest.ts';
import type { JsonValue } from '../skill/entry.ts';
import { isJsonObject } from '../skill/json.ts';
import type { StateEntry, Store } from '../store/store.ts';

type Doors = Pick<Store, 'blobs' | 'index'>;

export interface CachedEmbedder extends Embedder {
  /** Writes new vectors. */
  close(): Promise<void>;
}

export interface EmbedderCache {
  /** Identifies endpoint and model. Vectors of another model are not used. */
  readonly model: string;
  readonly store: () => Promise<Doors>;
  readonly warn: (message: string) => void;
}

const kind = 'vectors';

export function cachedEmbedder(embedder: Embedder, { model, store, warn }: EmbedderCache): CachedEmbedder {
  let vectors: Vectors = new Map();
  const used = new Set<string>();
  const fresh = new Set<string>();
  /** Digests of the loaded blobs, and of blobs that the row must no longer name. */
  let pieces: string[] = [];
  let outdated: string[] = [];
  let loading: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<void> = Promise.resolve();
  let usable = true;

  const keyOf = async (): Promise<readonly string[]> => [kind, await sha256Digest(new TextEncoder().encode(model))];

  async function withCache(run: (doors: Doors) => Promise<void>): Promise<void> {
    if (!usable) return;
    try {
      await run(await store());
    } catch (error) {
      if (!(error instanceof SkillwireError)) throw error;
      usable = false;
      warn(`Vectors are not cached for the next start: ${error.message}`);
    }
  }

  async function load({ blobs, index }: Doors): Promise<void> {
    const value = await index.get(await keyOf());
    const named = piecesIn(value);
    if (named === undefined && value !== undefined) warn('Cached vectors are unreadable. Texts are embedded again.');
    for (const digest of named ?? []) {
      const bytes = await blobs.get(digest);
      const read = bytes === undefined ? undefined : decodeVectors(bytes);
      // A missing blob was evicted or cleared. The store has already reported a damaged one.
      (read === undefined ? outdated : pieces).push(digest);
      for (const [key, vector] of read ?? []) vectors.set(key, vector);
    }
  }

  const loaded = (): Promise<void> => {
    loading ??= withCache(load);
    return loading;
  };

  /** Vectors of another length come from another model, even if the name is the same. */
  function dropOthers(length: number): void {
    const [known] = vectors.values();
    if (known === undefined || known.length === length) return;
    warn(`Cached vectors have ${known.length} dimensions, the endpoint returns ${length}. The cache is rebuilt.`);
    vectors = new Map();
    fresh.clear();
    outdated.push(...pieces);
    pieces = [];
    writeSoon();
  }

  function writeSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      writing = writing.then(() => withCache(write));
    }, limits.search.vectorsDelayMs);
    (timer as { unref?: () => void }).unref?.();
  }

  async function write({ blobs, index }: Doors): Promise<void> {
    if (fresh.size === 0 && outdated.length === 0) return;
    const keys = [...fresh];
    fresh.clear();
    let made = await putAll(keys, blobs);
    if (
      pieces.length + made.length > limits.search.vectorPieces ||
      bytesOf(vectors) > limits.search.cachedVectorBytes
    ) {
      outdated.push(...pieces, ...made);
      pieces = [];
      vectors = withinBounds(vectors, used);
      made = await putAll([...vectors.keys()], blobs);
    }
    const gone = new Set(outdated.filter((digest) => !made.includes(digest)));
    outdated = [];
    pieces.push(...made);
    const at = await keyOf();
    const unnamed = await index.transact((view) => {
      // Another process may have added pieces in the meantime.
      const added = (piecesIn(view.get(at)) ?? []).filter((digest) => !gone.has(digest));
      const all = [...new Set([...added, ...pieces])].slice(-limits.search.vectorPieces);
      const others = view.entries([kind]).filter(({ key }) => key[1] !== at[1]);
      const old = rowsBeyond(others);
      // Two models may share identical pieces.
      const stillNamed = new Set(namedBy(others.filter((row) => !old.includes(row))));
      return {
        writes: [
          { key: at, value: { version: 1, usedAt: Date.now(), pieces: all } },
          ...old.map(({ key }) => ({ key, value: undefined })),
        ],
        result: [...gone, ...namedBy(old)].filter((digest) => !all.includes(digest) && !stillNamed.has(digest)),
      };
    });
    for (const digest of unnamed) await blobs.delete(digest);
  }

  async function putAll(keys: readonly string[], blobs: Doors['blobs']): Promise<string[]> {
    const digests: string[] = [];
    for (const piece of encodeVectors(keys.flatMap((key) => withVector(key, vectors)))) {
      const digest = await sha256Digest(piece);
      await blobs.put(digest, piece);
      digests.push(digest);
    }
    return digests;
  }

  return {
    onFailure: (error) => embedder.onFailure?.(error),
    async embed(texts, signal) {
      await loaded();
      const keys = await Promise.all(texts.map((text) => sha256Digest(new TextEncoder().encode(text))));
      const missing = texts.filter((_, at) => !vectors.has(keys[at] ?? ''));
      if (missing.length > 0) {
        const meanings = await embeddedTexts(embedder, missing, signal);
        dropOthers(meanings[0]?.bytes.length ?? 0);
        for (const [at, text] of missing.entries()) {
          const [key, meaning] = [keys[texts.indexOf(text)] ?? '', meanings[at]];
          if (meaning === undefined) continue;
          vectors.set(key, meaning.bytes);
          fresh.add(key);
        }
        writeSoon();
      }
      for (const key of keys) used.add(key);
      return keys.flatMap((key) => vectors.get(key) ?? []);
    },
    async embedQuery(query, signal) {
      await loaded();
      const { bytes } = await embeddedQuery(embedder, query, signal);
      dropOthers(bytes.length);
      return bytes;
    },
    async close() {
      clearTimeout(timer);
      await writing;
      await withCache(write);
    },
  };
}

function piecesIn(value: JsonValue | undefined): readonly string[] | undefined {
  if (!isJsonObject(value) || value['version'] !== 1 || !Array.isArray(value['pieces'])) return undefined;
  return value['pieces'].every(isDigest) ? value['pieces'] : undefined;
}

type Row = StateEntry<readonly string[]>;

const namedBy = (rows: readonly Row[]): readonly string[] => rows.flatMap(({ value }) => piecesIn(value) ?? []);

/** The least recently used rows of other models, beyond the limit. */
function rowsBeyond(rows: readonly Row[]): readonly Row[] {
  const usedAt = ({ value }: Row): number => (isJsonObject(value) ? Number(value['usedAt']) || 0 : 0);
  return [...rows].sort((a, b) => usedAt(b) - usedAt(a)).slice(limits.search.cachedModels - 1);
}

function withVector(key: string, vectors: Vectors): readonly (readonly [string, Int8Array])[] {
  const vector = vectors.get(key);
  return vector === undefined ? [] : [[key, vector]];
}

function bytesOf(vectors: Vectors): number {
  const [first] = vectors.values();
  return vectors.size * (first?.length ?? 0);
}

/** All vectors if they fit in the cache, else the latest of those that this run used. */
function withinBounds(vectors: Vectors, used: ReadonlySet<string>): Vectors {
  if (bytesOf(vectors) <= limits.search.cachedVectorBytes) return vectors;
  const [first] = vectors.values();
  const most = Math.floor(limits.search.cachedVectorBytes / (first?.length ?? 1));
  return new Map([...vectors].filter(([key]) => used.has(key)).slice(-most));
}

// The format of a piece: 4 bytes mark, 4 bytes vector length, then rows. A row has the digest of a text (64 hexadecimal digits) and its
// vector.

/** Vectors of one length, by the digest of their text. */
export type Vectors = Map<string, Int8Array>;

const mark = 0x53575631;
const headBytes = 8;
const prefix = 'sha256:';
const keyBytes = 64;

/** @param vectors all of one length */
export function* encodeVectors(vectors: readonly (readonly [string, Int8Array])[]): Generator<Uint8Array> {
  const length = vectors[0]?.[1].length ?? 0;
  const rowBytes = keyBytes + length;
  const most = Math.max(1, Math.floor((limits.search.vectorPieceBytes - headBytes) / rowBytes));
  for (let from = 0; from < vectors.length; from += most) {
    const rows = vectors.slice(from, from + most);
    const bytes = new Uint8Array(headBytes + rows.length * rowBytes);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, mark);
    view.setUint32(4, length);
    for (const [at, [key, vector]] of rows.entries()) {
      const start = headBytes + at * rowBytes;
      bytes.set(new TextEncoder().encode(key.slice(prefix.length)), start);
      bytes.set(new Uint8Array(vector.buffer, vector.byteOffset, length), start + keyBytes);
    }
    yield bytes;
  }
}

/** `undefined` if the bytes are not a piece. */
export function decodeVectors(bytes: Uint8Array): Vectors | undefined {
  if (bytes.length < headBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(4);
  const rowBytes = keyBytes + length;
  if (view.getUint32(0) !== mark || length === 0 || length > limits.search.dimensions) return undefined;
  if ((bytes.length - headBytes) % rowBytes !== 0) return undefined;
  const vectors: Vectors = new Map();
  for (let start = headBytes; start < bytes.length; start += rowBytes) {
    const key = `${prefix}${new TextDecoder().decode(bytes.subarray(start, start + keyBytes))}`;
    if (!isDigest(key)) return undefined;
    vectors.set(key, new Int8Array(bytes.slice(start + keyBytes, start + rowBytes).buffer));
  }
  return vectors;
}
