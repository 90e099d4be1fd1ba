/**
 * Recently used values, bounded in bytes (of texts, in characters). The oldest makes room, unless it was asked for since it came or
 * was last spared; then it is spared once more. So asking only leaves a mark: moving what is asked for to the end of the line would
 * cost more than all the rest of a small answer's lookups. The catalog keeps files by digest in one.
 */
import { limits } from '../limits.ts';

export interface ByteCache<K = string, V = Uint8Array> {
  get(key: K): V | undefined;
  put(key: K, value: V): void;
}

interface Kept<V> {
  readonly value: V;
  asked: boolean;
}

export function createByteCache<K = string, V extends { readonly length: number } = Uint8Array>(
  maxBytes: number = limits.cache.bytes,
): ByteCache<K, V> {
  const kept = new Map<K, Kept<V>>();
  let total = 0;

  function makeRoom(bytes: number): void {
    for (const [key, oldest] of kept) {
      if (total + bytes <= maxBytes) return;
      kept.delete(key);
      if (oldest.asked) {
        oldest.asked = false;
        kept.set(key, oldest);
      } else total -= oldest.value.length;
    }
  }

  return {
    get(key) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      found.asked = true;
      return found.value;
    },
    put(key, value) {
      // One large value must not empty the cache.
      if (kept.has(key) || value.length > maxBytes / 4) return;
      makeRoom(value.length);
      kept.set(key, { value, asked: false });
      total += value.length;
    },
  };
}
