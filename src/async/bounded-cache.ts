/**
 * A cache bounded by the sum of the sizes of its values, with second-chance eviction. The oldest value is evicted unless it was read since
 * it was added or last spared. So a read only sets a mark. Moving the value to the end of the queue would cost more than all other lookups
 * of a small answer.
 */

export interface BoundedCache<K, V> {
  get(key: K): V | undefined;
  /** Replaces an earlier value of the key. A value that is too large is not cached. */
  put(key: K, value: V, size: number): void;
  delete(key: K): void;
  clear(): void;
}

interface CachedValue<V> {
  readonly value: V;
  readonly size: number;
  wasRead: boolean;
}

/** `largest`: the largest size of one value, so that it does not empty the cache. */
export function createBoundedCache<K, V>(most: number, largest: number = most): BoundedCache<K, V> {
  const cached = new Map<K, CachedValue<V>>();
  let total = 0;

  function remove(key: K): void {
    const known = cached.get(key);
    if (known === undefined) return;
    cached.delete(key);
    total -= known.size;
  }

  function makeRoom(size: number): void {
    for (const [key, oldest] of cached) {
      if (total + size <= most) return;
      cached.delete(key);
      if (oldest.wasRead) {
        oldest.wasRead = false;
        cached.set(key, oldest);
      } else total -= oldest.size;
    }
  }

  return {
    get(key) {
      const found = cached.get(key);
      if (found === undefined) return undefined;
      found.wasRead = true;
      return found.value;
    },
    put(key, value, size) {
      remove(key);
      if (size > largest) return;
      makeRoom(size);
      cached.set(key, { value, size, wasRead: false });
      total += size;
    },
    delete: remove,
    clear() {
      cached.clear();
      total = 0;
    },
  };
}
