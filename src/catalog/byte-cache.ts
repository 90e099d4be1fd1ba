/**
 * Recently used values, bounded in bytes (of texts, in characters); the one not used for longest makes room. The catalog keeps
 * files by digest in one.
 */
import { limits } from '../limits.ts';

export interface ByteCache<K = string, V = Uint8Array> {
  get(key: K): V | undefined;
  put(key: K, value: V): void;
}

export function createByteCache<K = string, V extends { readonly length: number } = Uint8Array>(
  maxBytes: number = limits.cache.bytes,
): ByteCache<K, V> {
  const kept = new Map<K, V>();
  let total = 0;
  return {
    get(key) {
      const value = kept.get(key);
      if (value === undefined) return undefined;
      kept.delete(key);
      kept.set(key, value);
      return value;
    },
    put(key, value) {
      // One large value must not empty the cache.
      if (kept.has(key) || value.length > maxBytes / 4) return;
      kept.set(key, value);
      total += value.length;
      for (const [oldest, old] of kept) {
        if (total <= maxBytes) break;
        kept.delete(oldest);
        total -= old.length;
      }
    },
  };
}
