/**
 * Blobs of an engine with a read-through cache on this machine. Bytes are stored in the engine first; the cache may be lost at any time.
 * Blobs that the state names are also copied to the cache, so this machine can serve them without the engine.
 */
import { inParallel } from '../../async/in-parallel.ts';
import { coalesced } from '../../async/shared-work.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { BlobStore } from '../store.ts';
import type { Contact } from './contact.ts';
import type { EngineBlobs } from './log-engine.ts';

export interface CachedBlobs extends BlobStore {
  /** Copies these blobs to the cache as soon as possible. Blobs that only the cache has are stored in the engine again. */
  copy(digests: Iterable<string>): Promise<void>;
  /** Marks blobs as used in the engine, which spares them for a while. Stores those again that only the cache has. */
  claim(digests: Iterable<string>): Promise<void>;
  /** Continues what a failure interrupted, and reports to the engine which blobs were used, once in a while or for the last time. */
  upkeep(isLast: boolean): Promise<void>;
}

export function cachedBlobs(
  engine: EngineBlobs,
  local: BlobStore,
  contact: Pick<Contact, 'during'>,
  warn: (message: string) => void,
): CachedBlobs {
  const missing = new Set<string>();
  const used = new Set<string>();
  let reportedAt = performance.now();
  let warned = '';

  /** A cache that cannot be written makes reading slower, and stops nothing. */
  async function keep(digest: string, bytes: Uint8Array): Promise<void> {
    try {
      await local.put(digest, bytes);
    } catch (error) {
      if (!(error instanceof SkillwireError)) throw error;
      if (warned !== error.message) warn(`Cannot cache files of the shared store: ${error.message}`);
      warned = error.message;
    }
  }

  function use(digest: string): void {
    if (used.size < limits.store.usesReported) used.add(digest);
  }

  async function fetch(digest: string): Promise<Uint8Array | undefined> {
    const bytes = await contact.during(() => engine.get(digest));
    if (bytes !== undefined) await keep(digest, bytes);
    return bytes;
  }

  async function storeAgain(digest: string): Promise<void> {
    const bytes = await local.get(digest);
    if (bytes !== undefined) await contact.during(() => engine.put(digest, bytes));
  }

  const copyMissing = coalesced(async (): Promise<void> => {
    while (missing.size > 0) {
      const some = [...missing].slice(0, limits.store.pageEntries);
      const stored = await contact.during(() => engine.touch(some));
      await inParallel(some, limits.store.connections - 1, async (digest) => {
        const isCached = await local.has(digest);
        if (stored.has(digest)) {
          if (!isCached) await fetch(digest);
        } else if (isCached) await storeAgain(digest);
        missing.delete(digest);
      });
    }
  });

  async function reportUse(isLast: boolean): Promise<void> {
    const isDue = isLast || performance.now() - reportedAt >= limits.store.useStepMs;
    if (used.size === 0 || !isDue) return;
    reportedAt = performance.now();
    const digests = [...used];
    used.clear();
    await contact.during(() => engine.touch(digests));
  }

  return {
    async put(digest, bytes) {
      await contact.during(() => engine.put(digest, bytes));
      await keep(digest, bytes);
    },
    async get(digest) {
      use(digest);
      return (await local.get(digest)) ?? fetch(digest);
    },
    async has(digest) {
      if (await local.has(digest)) return true;
      try {
        return await contact.during(() => engine.has(digest));
      } catch (error) {
        // Without the engine, there is what the cache has.
        if (error instanceof SkillwireError && error.code === 'STORE_AWAY') return false;
        throw error;
      }
    },
    async delete(digest, unusedSince) {
      const deleted = await contact.during(() => engine.delete(digest, unusedSince));
      if (deleted || unusedSince === undefined) await local.delete(digest);
      return deleted;
    },
    list: () => engine.list(),
    async copy(digests) {
      for (const digest of digests) missing.add(digest);
      await copyMissing();
    },
    async claim(digests) {
      const all = [...digests];
      if (all.length === 0) return;
      const stored = await contact.during(() => engine.touch(all));
      for (const digest of all) if (!stored.has(digest)) await storeAgain(digest);
    },
    async upkeep(isLast) {
      if (missing.size > 0 && !isLast) await copyMissing();
      await reportUse(isLast);
    },
  };
}
