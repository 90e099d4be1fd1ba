/**
 * A cache bounded by the sum of the sizes of its values, with second-chance eviction: the oldest value goes unless it was read since it
 * was added or last spared. So a read only sets a mark. Moving the value to the end of the queue would cost more than all other lookups
 * of a small answer.
 */

export interface BoundedCache<K, V> {
  get(key: K): V | undefined;
  /** Replaces an earlier value of the key. A value that is too large is not cached. */
  put(key: K, value: V, size: number): void;
  delete(key: K): void;
  clear(): void;
}

interface Kept<V> {
  readonly value: V;
  readonly size: number;
  asked: boolean;
}

/** `largest`: the largest size of one value, so that it does not empty the cache. */
export function createBoundedCache<K, V>(most: number, largest: number = most): BoundedCache<K, V> {
  const kept = new Map<K, Kept<V>>();
  let total = 0;

  function remove(key: K): void {
    const known = kept.get(key);
    if (known === undefined) return;
    kept.delete(key);
    total -= known.size;
  }

  function makeRoom(size: number): void {
    for (const [key, oldest] of kept) {
      if (total + size <= most) return;
      kept.delete(key);
      if (oldest.asked) {
        oldest.asked = false;
        kept.set(key, oldest);
      } else total -= oldest.size;
    }
  }

  return {
    get(key) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      found.asked = true;
      return found.value;
    },
    put(key, value, size) {
      remove(key);
      if (size > largest) return;
      makeRoom(size);
      kept.set(key, { value, size, asked: false });
      total += size;
    },
    delete: remove,
    clear() {
      kept.clear();
      total = 0;
    },
  };
}
