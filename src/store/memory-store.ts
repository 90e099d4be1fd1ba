import { deepFreeze } from '../skill/deep-freeze.ts';
import { sha256Digest } from '../skill/digest.ts';
import { assembleStore, type StateParts } from './assemble-store.ts';
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
    async delete(digest, unusedSince = Number.POSITIVE_INFINITY) {
      checkDigest(digest);
      return (blobs.get(digest)?.usedAt ?? 0) <= unusedSince && blobs.delete(digest);
    },
    async *list() {
      for (const [digest, { bytes, usedAt }] of [...blobs]) {
        const facts: BlobFacts = { digest, size: bytes.length, usedAt };
        yield facts;
      }
    },
  };
}

function memoryValues(append: (records: readonly AuditRecord[]) => void): StateParts {
  const map = createValueMap();
  let written = 0;
  const transact: KeyValueStore<AnyKey>['transact'] = async (change) => {
    const { writes, audit = [], result } = change({ get: map.get, entries: map.entries });
    const checked = writes.map(checkedWrite);
    append(audit);
    map.apply(checked);
    written = map.revision();
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
    applied: () => map.revision(),
    current: () => map.revision(),
    written: () => written,
  };
}

/** A store in memory, for tests and programs without a disk. */
export function memoryStore(): Store {
  const records: AuditRecord[] = [];
  const append = (some: readonly AuditRecord[]): void => {
    records.push(...some.map((record) => deepFreeze(checkedRecord(record))));
  };
  return assembleStore(
    {
      kind: 'memory',
      blobs: memoryBlobs(),
      state: memoryValues(append),
      index: memoryValues(() => undefined),
      audit: {
        append: async (record) => append([record]),
        async *read() {
          yield* [...records];
        },
      },
    },
    async () => undefined,
  );
}
