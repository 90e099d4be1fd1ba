/** Values that may be wanted again, within a number of bytes: the one that was not used for longest goes first. */

export interface KeptValues<T> {
  get(key: string): T | undefined;
  /** A value that is larger than everything together may be is not kept. */
  set(key: string, value: T, bytes: number): void;
  delete(key: string): void;
  clear(): void;
}

export function keptValues<T>(mostBytes: number): KeptValues<T> {
  const values = new Map<string, { readonly value: T; readonly bytes: number }>();
  let total = 0;

  function remove(key: string): void {
    const known = values.get(key);
    if (known === undefined) return;
    values.delete(key);
    total -= known.bytes;
  }

  return {
    get(key) {
      const known = values.get(key);
      if (known === undefined) return undefined;
      values.delete(key);
      values.set(key, known);
      return known.value;
    },
    set(key, value, bytes) {
      remove(key);
      if (bytes > mostBytes) return;
      values.set(key, { value, bytes });
      total += bytes;
      for (const oldest of values.keys()) {
        if (total <= mostBytes) return;
        remove(oldest);
      }
    },
    delete: remove,
    clear() {
      values.clear();
      total = 0;
    },
  };
}
