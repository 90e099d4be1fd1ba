/**
 * Lists the content cache and keeps it within its budget, least recently used first. Blobs that the state refers to
 * (approvals, and any other stored digest) are pinned: only removing the origin removes them.
 */

import type { WorkProgress } from '../../async/work-progress.ts';
import { reasonOf } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { isDigest } from '../../skill/digest.ts';
import type { JsonValue } from '../../skill/entry.ts';
import { collectGarbage, pinnedDigests } from '../../store/collect-garbage.ts';
import type { AnyKey, StateEntry, Store } from '../../store/store.ts';
import { throwIfInterrupted } from '../discover/call-origin.ts';
import type { Warn } from '../warnings.ts';

export interface CachedFile {
  readonly label: string;
  readonly uri: string;
  readonly digest: string;
  readonly size: number;
  readonly pinned: boolean;
  readonly usedAt: number;
}

/** The cached files of remote skills. */
export interface HostCache {
  list(): Promise<readonly CachedFile[]>;
  /** Hashes every cached file again; removes and returns those that no longer match. */
  verify(options?: {
    readonly signal?: AbortSignal;
    /** Counts the checked files. */
    readonly onProgress?: (work: WorkProgress) => void;
  }): Promise<{ readonly checked: number; readonly removed: readonly CachedFile[] }>;
  /** Shrinks the cache below its budget, least recently used first; files that the state refers to stay. */
  gc(options?: {
    /** Counts the removed files. */
    readonly onProgress?: (work: WorkProgress) => void;
  }): Promise<{ readonly removed: number; readonly freedBytes: number; readonly remainingBytes: number }>;
  /** Removes the cached files of an origin, or all; files that the state refers to stay. */
  clear(label?: string): Promise<{ readonly removed: number; readonly freedBytes: number }>;
}

export interface CacheUpkeep extends HostCache {
  /**
   * Counts added bytes and collects garbage after each quarter of the budget, whether or not the store does so itself.
   */
  added(bytes: number): void;
  /** Waits for a running garbage collection. */
  settled(): Promise<void>;
}

export interface CacheUpkeepContext {
  readonly store: Pick<Store, 'blobs' | 'index' | 'state'>;
  readonly budgetBytes: number;
  /** Default: the limit. */
  readonly graceMs?: number;
  readonly warn: Warn;
}

interface IndexRow {
  readonly key: readonly string[];
  readonly label: string;
  readonly uri: string;
  readonly digest: string;
  readonly size: number;
}

export function createCacheUpkeep({
  store,
  budgetBytes,
  graceMs = limits.store.blobGraceMs,
  warn,
}: CacheUpkeepContext): CacheUpkeep {
  const { blobs, index, state } = store;
  let addedSince = 0;
  let tidying: Promise<void> | undefined;

  const rows = async (): Promise<readonly IndexRow[]> =>
    (await index.entries(['content'])).flatMap((entry) => rowOf(entry));

  async function forget(keys: readonly (readonly string[])[]): Promise<void> {
    if (keys.length === 0) return;
    await index.transact(() => ({ writes: keys.map((key) => ({ key, value: undefined })), result: undefined }));
  }

  async function list(): Promise<readonly CachedFile[]> {
    const [all, pinned] = [await rows(), await pinnedDigests(state)];
    const used = new Map<string, number>();
    for await (const { digest, usedAt } of blobs.list()) used.set(digest, usedAt);
    return all.flatMap(({ label, uri, digest, size }) => {
      const usedAt = used.get(digest);
      return usedAt === undefined ? [] : [{ label, uri, digest, size, pinned: pinned.has(digest), usedAt }];
    });
  }

  async function gc({ onProgress }: Parameters<HostCache['gc']>[0] & object = {}): ReturnType<HostCache['gc']> {
    addedSince = 0;
    const pinned = await pinnedDigests(state);
    const { removed, freed, remainingBytes } = await collectGarbage(blobs, {
      budgetBytes,
      pinned,
      graceMs,
      onProgress,
    });
    if (removed > 0) {
      const there = new Set<string>();
      for await (const { digest } of blobs.list()) there.add(digest);
      await forget((await rows()).filter(({ digest }) => !there.has(digest)).map(({ key }) => key));
    }
    return { removed, freedBytes: freed, remainingBytes };
  }

  async function tidy(): Promise<void> {
    try {
      await gc();
    } catch (error) {
      const reason = reasonOf(error);
      warn({ code: 'cache-unusable', message: `Cannot clean up the content cache: ${reason}` });
    }
  }

  return {
    list,
    gc,

    added(bytes) {
      addedSince += bytes;
      if (addedSince < budgetBytes / 4) return;
      tidying ??= tidy().finally(() => {
        tidying = undefined;
      });
    },

    async settled() {
      await tidying;
    },

    async verify({ signal, onProgress } = {}) {
      const files = await list();
      let [done, bytes] = [0, 0];
      const sound = new Map<string, boolean>();
      const removed: CachedFile[] = [];
      for (const file of files) {
        throwIfInterrupted(signal, 'check the content cache');
        let ok = sound.get(file.digest);
        if (ok === undefined) {
          ok = (await blobs.get(file.digest))?.byteLength === file.size;
          sound.set(file.digest, ok);
        }
        if (!ok) removed.push(file);
        bytes += file.size;
        onProgress?.({ done: ++done, of: files.length, bytes });
      }
      await forget(removed.map(({ label, uri }) => ['content', label, uri]));
      return { checked: files.length, removed };
    },

    async clear(label) {
      const all = await rows();
      const leaving = all.filter((row) => label === undefined || row.label === label);
      await forget(leaving.map(({ key }) => key));
      const pinned = await pinnedDigests(state);
      const named = new Set(
        label === undefined ? [] : all.filter((row) => row.label !== label).map((row) => row.digest),
      );
      let removed = 0;
      let freedBytes = 0;
      for (const [digest, size] of new Map(leaving.map((row) => [row.digest, row.size]))) {
        if (named.has(digest) || pinned.has(digest) || !(await blobs.delete(digest))) continue;
        removed++;
        freedBytes += size;
      }
      return { removed, freedBytes };
    },
  };
}

function rowOf({ key, value }: StateEntry<AnyKey>): IndexRow[] {
  const [, label, uri] = key;
  if (label === undefined || uri === undefined || typeof value !== 'object' || value === null) return [];
  const { digest, size } = value as Readonly<Record<string, JsonValue>>;
  return isDigest(digest) && typeof size === 'number' ? [{ key, label, uri, digest, size }] : [];
}
