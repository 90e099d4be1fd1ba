/** Keeps the blobs within a budget: the least recently used go first, and pinned ones never go. Works on any store. */

import { isDigest } from '../skill/digest.ts';
import type { JsonValue } from '../skill/entry.ts';
import type { AnyKey, BlobFacts, BlobStore, KeyValueStore } from './store.ts';

export interface GarbageOptions {
  readonly budgetBytes: number;
  /** Digests that stay, whatever the budget. */
  readonly pinned: ReadonlySet<string>;
}

export async function collectGarbage(blobs: BlobStore, options: GarbageOptions) {
  const all: BlobFacts[] = [];
  let bytes = 0;
  for await (const facts of blobs.list()) {
    all.push(facts);
    bytes += facts.size;
  }
  const before = bytes;
  let removed = 0;
  all.sort((a, b) => a.usedAt - b.usedAt || (a.digest < b.digest ? -1 : 1));
  for (const { digest, size } of all) {
    if (bytes <= options.budgetBytes) break;
    if (options.pinned.has(digest)) continue;
    // Another process may have deleted it first; the bytes are gone either way.
    if (await blobs.delete(digest)) removed += 1;
    bytes -= size;
  }
  return {
    removed,
    /** Bytes of the removed blobs. */
    freed: before - bytes,
    kept: all.length - removed,
    /** Bytes of the remaining blobs; above the budget only if that much is pinned. */
    remainingBytes: bytes,
  };
}

/** Every digest that the state names anywhere, except in tombstones: blobs with these are never evicted. */

function collect(value: JsonValue, into: Set<string>): void {
  if (isDigest(value)) into.add(value);
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) collect(part, into);
}

export async function pinnedDigests(state: Pick<KeyValueStore<AnyKey>, 'entries'>): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const { key, value } of await state.entries([])) {
    if (key[0] === 'tombstone') continue;
    for (const text of key) collect(text, found);
    collect(value, found);
  }
  return found;
}
