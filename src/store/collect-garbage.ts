/** Keeps the blobs within a budget: who was not used for longest goes first, what is pinned never goes. Runs on any store. */
import type { BlobFacts, BlobStore } from './store.ts';

export interface GarbageOptions {
  readonly budgetBytes: number;
  /** Digests that stay, whatever the budget. */
  readonly pinned: ReadonlySet<string>;
}

export interface GarbageReport {
  readonly removed: number;
  /** Bytes of what was removed. */
  readonly freed: number;
  readonly kept: number;
  /** Bytes of what is there now; above the budget only where that much is pinned. */
  readonly keptBytes: number;
}

export async function collectGarbage(blobs: BlobStore, options: GarbageOptions): Promise<GarbageReport> {
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
    // Another process may have been faster; the bytes are gone either way.
    if (await blobs.delete(digest)) removed += 1;
    bytes -= size;
  }
  return { removed, freed: before - bytes, kept: all.length - removed, keptBytes: bytes };
}
