/**
 * The three doors of state. Blobs hold bytes by digest; the state holds values by key, as a journal of checksummed lines that
 * is compacted; the audit is a journal that is only ever appended to. Several processes may use one store at once: a lock is held
 * for each write, and readers follow what others wrote.
 *
 * What every implementation promises (and `testStore()` checks): a write that was acknowledged survives a crash; a crash at any
 * moment leaves the old value or the new one; bytes are handed out only if they still have their digest.
 */
import type { JsonValue } from '../skill/entry.ts';
import type { StateKey } from './state-kinds.ts';

export interface BlobFacts {
  readonly digest: string;
  readonly size: number;
  /** Milliseconds since 1970; reading counts as use. */
  readonly usedAt: number;
}

export interface BlobStore {
  /** Keeps bytes under their digest. @throws VerificationError where the bytes have another one */
  put(digest: string, bytes: Uint8Array): Promise<void>;
  /**
   * The bytes, hashed again on each call; undefined where there are none. Bytes that no longer have their digest are removed and
   * count as none; `onCorrupt` of the store is told.
   */
  get(digest: string): Promise<Uint8Array | undefined>;
  has(digest: string): Promise<boolean>;
  /** True if there was one. */
  delete(digest: string): Promise<boolean>;
  list(): AsyncIterable<BlobFacts>;
}

/** A key is a list of texts. */
export type AnyKey = readonly string[];

/** Values by key. The last write wins. Only kinds of keys that `state-kinds.ts` has a row for can be written to the state. */
export interface KeyValueStore<Key extends AnyKey = StateKey> {
  get(key: AnyKey): Promise<JsonValue | undefined>;
  /** All keys that begin with the prefix, in the order of the keys. */
  entries(prefix: AnyKey): Promise<readonly StateEntry<Key>[]>;
  /** Another number than before wherever anything may have been written meanwhile, by whatever process. */
  revision(): Promise<number>;
  set(key: Key, value: JsonValue): Promise<void>;
  delete(key: Key): Promise<boolean>;
  /**
   * Reads the newest state and writes what `change` returns for it, as one step that no other process comes between. All
   * writes appear together or not at all.
   */
  transact<T>(
    change: (state: StateView<Key>) => { readonly writes: readonly StateWrite<Key>[]; readonly result: T },
  ): Promise<T>;
}

export interface StateEntry<Key extends AnyKey = StateKey> {
  readonly key: Key;
  readonly value: JsonValue;
}

export interface StateView<Key extends AnyKey = StateKey> {
  get(key: AnyKey): JsonValue | undefined;
  entries(prefix: AnyKey): readonly StateEntry<Key>[];
}

/** `undefined` deletes. */
export interface StateWrite<Key extends AnyKey = StateKey> {
  readonly key: Key;
  readonly value: JsonValue | undefined;
}

export interface AuditRecord {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** For example `approve`, `revoke`, `load`, `refuse`, `execute`. */
  readonly action: string;
  readonly label?: string;
  readonly uri?: string;
  /** Who or what decided: `person`, `policy`, `program`, `local`. */
  readonly by?: string;
  readonly reason?: string;
  /** The key of the state whose value this decision sets or removes; `at` is the time of that decision. */
  readonly key?: AnyKey;
  /** Digests and sizes, names of grants; never content and never a secret. */
  readonly data?: JsonValue;
}

export interface AuditJournal {
  append(record: AuditRecord): Promise<void>;
  /** From the oldest to the newest. Lines that do not have their checksum are told to `onCorrupt`, the others are given. */
  read(): AsyncIterable<AuditRecord>;
}

/** Where a host keeps approvals, cached files and the audit. */
export interface Store<Key extends AnyKey = StateKey> {
  readonly blobs: BlobStore;
  /**
   * What must not be lost: origins, approvals, what is enabled. Blobs that it refers to are never evicted. Deleting a decision leaves a
   * tombstone (`tombstones.ts`), so that a backup cannot bring it back in silence.
   */
  readonly state: KeyValueStore<Key>;
  /** What may be deleted at any time: which file of which origin is in which blob. */
  readonly index: KeyValueStore<AnyKey>;
  readonly audit: AuditJournal;
  /** Calls back after something was written to the state, by whatever process, until the returned function is called. */
  follow(listener: () => void): () => void;
  close(): Promise<void>;
}
