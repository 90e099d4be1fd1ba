/** A cache that is always empty: every read asks the engine, and every written blob is only there. */
import { memoryStore } from '../memory-store.ts';
import type { LocalCache } from './shared-store.ts';

export function noCache(): LocalCache {
  return {
    index: memoryStore().index,
    blobs: {
      put: async () => undefined,
      get: async () => undefined,
      has: async () => false,
      delete: async () => false,
      async *list() {},
    },
    close: async () => undefined,
  };
}
