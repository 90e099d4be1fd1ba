/** Bytes of recently read files by digest, bounded in bytes; the one not used for longest makes room. */
import { limits } from '../limits.ts';

export interface ByteCache {
  get(digest: string): Uint8Array | undefined;
  put(digest: string, bytes: Uint8Array): void;
}

export function createByteCache(maxBytes: number = limits.cache.bytes): ByteCache {
  const kept = new Map<string, Uint8Array>();
  let total = 0;
  return {
    get(digest) {
      const bytes = kept.get(digest);
      if (bytes === undefined) return undefined;
      kept.delete(digest);
      kept.set(digest, bytes);
      return bytes;
    },
    put(digest, bytes) {
      // One large file must not empty the cache.
      if (kept.has(digest) || bytes.length > maxBytes / 4) return;
      kept.set(digest, bytes);
      total += bytes.length;
      for (const [oldest, old] of kept) {
        if (total <= maxBytes) break;
        kept.delete(oldest);
        total -= old.length;
      }
    },
  };
}
