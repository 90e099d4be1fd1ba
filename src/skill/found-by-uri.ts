/**
 * Skills or files by the URI under which they were asked for, as long as that means the same. Reading a URI and trying the folders
 * that it may lie in costs more than all the rest of finding a file. Bounded: when it is full, it begins anew.
 */
import { limits } from '../limits.ts';

export interface FoundByUri<Found> {
  get(uri: string): Found | undefined;
  put(uri: string, found: Found): void;
  /** URIs may mean something else from now on. */
  clear(): void;
}

export function createFoundByUri<Found>(most: number = limits.cache.foundUris): FoundByUri<Found> {
  const known = new Map<string, Found>();
  return {
    get: (uri) => known.get(uri),
    put(uri, found) {
      if (known.size >= most) known.clear();
      known.set(uri, found);
    },
    clear: () => known.clear(),
  };
}
