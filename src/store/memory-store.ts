import { deepFreeze } from '../skill/deep-freeze.ts';
import { sha256Digest } from '../skill/digest.ts';
import { assembleStore } from './assemble-store.ts';
import type { AnyKey, AuditRecord, BlobFacts, BlobStore, KeyValueStore, Store } from './store.ts';
import { checkBlob, checkDigest, checkedRecord } from './store-checks.ts';
import { checkedWrite, createValueMap } from './value-map.ts';

function memoryBlobs(): BlobStore {
  const blobs = new Map<string, { readonly bytes: Uint8Array; usedAt: number }>();
  return {
    async put(digest, bytes) {
      checkDigest(digest);
      const own = bytes.slice();
      checkBlob(digest, own, await sha256Digest(own));
      blobs.set(digest, { bytes: own, usedAt: Date.now() });
    },
    async get(digest) {
      checkDigest(digest);
      const blob = blobs.get(digest);
      if (blob === undefined) return undefined;
      blob.usedAt = Date.now();
      return blob.bytes.slice();
    },
    async has(digest) {
      checkDigest(digest);
      return blobs.has(digest);
    },
    async delete(digest) {
      checkDigest(digest);
      return blobs.delete(digest);
    },
    async *list() {
      for (const [digest, { bytes, usedAt }] of [...blobs]) {
        const facts: BlobFacts = { digest, size: bytes.length, usedAt };
        yield facts;
      }
    },
  };
}

function memoryValues(): KeyValueStore<AnyKey> {
  const map = createValueMap();
  const transact: KeyValueStore<AnyKey>['transact'] = async (change) => {
    const { writes, result } = change({ get: map.get, entries: map.entries });
    map.apply(writes.map(checkedWrite));
    return result;
  };
  return {
    get: async (key) => map.get(key),
    entries: async (prefix) => map.entries(prefix),
    revision: async () => map.revision(),
    set: (key, value) => transact(() => ({ writes: [{ key, value }], result: undefined })),
    delete: (key) =>
      transact((state) => ({ writes: [{ key, value: undefined }], result: state.get(key) !== undefined })),
    transact,
  };
}

/** A store in memory, for tests and programs without a disk. */
export function memoryStore(): Store {
  const records: AuditRecord[] = [];
  return assembleStore(
    {
      blobs: memoryBlobs(),
      state: memoryValues(),
      index: memoryValues(),
      audit: {
        async append(record) {
          records.push(deepFreeze(checkedRecord(record)));
        },
        async *read() {
          yield* [...records];
        },
      },
    },
    async () => undefined,
  );
}
