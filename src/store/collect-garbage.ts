/** Keeps the blobs within a budget: the least recently used go first, and pinned ones never go. Works on any store. */

import type { WorkProgress } from '../async/work-progress.ts';
import { isDigest } from '../skill/digest.ts';
import type { JsonValue } from '../skill/entry.ts';
import type { AnyKey, BlobFacts, BlobStore, KeyValueStore } from './store.ts';

export interface GarbageOptions {
  readonly budgetBytes: number;
  /** Digests that stay, whatever the budget. */
  readonly pinned: ReadonlySet<string>;
  /** Blobs that were used within this time stay: a state may be about to name them. */
  readonly graceMs: number;
  /** The clock that `usedAt` was read from. Default: the clock of this machine. */
  readonly now?: number | undefined;
  /** Counts the removed blobs. */
  readonly onProgress?: ((work: WorkProgress) => void) | undefined;
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
  const unusedSince = options.graceMs === 0 ? undefined : (options.now ?? Date.now()) - options.graceMs;
  all.sort((a, b) => a.usedAt - b.usedAt || (a.digest < b.digest ? -1 : 1));
  for (const { digest, size, usedAt } of all) {
    if (bytes <= options.budgetBytes || (unusedSince !== undefined && usedAt > unusedSince)) break;
    if (options.pinned.has(digest)) continue;
    // False if another process has deleted it, or has used it since.
    if (await blobs.delete(digest, unusedSince)) removed += 1;
    bytes -= size;
    options.onProgress?.({ done: removed, bytes: before - bytes });
  }
  return {
    removed,
    /** Bytes of the removed blobs. */
    freed: before - bytes,
    remaining: all.length - removed,
    /** Bytes of the remaining blobs; above the budget only if that much is pinned or young. */
    remainingBytes: bytes,
  };
}

/** Every digest that is a text in one of the values. */
export function digestsIn(values: Iterable<JsonValue>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const value of values) collect(value, found);
  return found;
}

function collect(value: JsonValue, into: Set<string>): void {
  if (isDigest(value)) into.add(value);
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) collect(part, into);
}

/** Every digest that the state names anywhere, except in tombstones: blobs with these are never evicted. */
export async function pinnedDigests(state: Pick<KeyValueStore<AnyKey>, 'entries'>): Promise<ReadonlySet<string>> {
  const entries = await state.entries([]);
  return digestsIn(entries.flatMap(({ key, value }) => (key[0] === 'tombstone' ? [] : [[...key], value])));
}
