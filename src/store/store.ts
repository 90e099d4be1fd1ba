/**
 * The store has three parts:
 * - Blobs are bytes by digest.
 * - The state has values by key, in a compacted journal of checksummed lines.
 * - The audit is an append-only journal.
 *
 * Several processes may use one store at once: each write takes a lock, and readers follow the writes of others.
 *
 * Every implementation has these guarantees, which `testStore()` checks:
 * - An acknowledged write survives a crash.
 * - A crash at any moment leaves the old value or the new one.
 * - Bytes are returned only if they still match their digest.
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
  /** Stores bytes under their digest. @throws VerificationError if the bytes do not match it */
  put(digest: string, bytes: Uint8Array): Promise<void>;
  /**
   * The bytes, hashed again on each call; `undefined` if there are none. Bytes that no longer match their digest are removed and reported to
   * `onCorrupt` of the store.
   */
  get(digest: string): Promise<Uint8Array | undefined>;
  has(digest: string): Promise<boolean>;
  /** `true` if there was one. */
  delete(digest: string): Promise<boolean>;
  list(): AsyncIterable<BlobFacts>;
}

/** A key is a list of texts. */
export type AnyKey = readonly string[];

/** Values by key. The last write wins. The state accepts only the kinds of keys in `state-kinds.ts`. */
export interface KeyValueStore<Key extends AnyKey = StateKey> {
  get(key: AnyKey): Promise<JsonValue | undefined>;
  /** All keys that begin with the prefix, in order. */
  entries(prefix: AnyKey): Promise<readonly StateEntry<Key>[]>;
  /** Changes whenever any process may have written something. */
  revision(): Promise<number>;
  set(key: Key, value: JsonValue): Promise<void>;
  delete(key: Key): Promise<boolean>;
  /**
   * Reads the newest state and writes the result of `change` in one step: no other process writes in between. All
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
  /** The decider: `person`, `policy`, `program`, `local`. */
  readonly by?: string;
  readonly reason?: string;
  /** The state key that this decision sets or removes; `at` is the time of the decision. */
  readonly key?: AnyKey;
  /** Digests and sizes, names of grants; never content and never a secret. */
  readonly data?: JsonValue;
}

export interface AuditJournal {
  append(record: AuditRecord): Promise<void>;
  /** Oldest first. Lines with a wrong checksum are reported to `onCorrupt` and skipped. */
  read(): AsyncIterable<AuditRecord>;
}

/** Stores approvals, cached files and the audit of a host. */
export interface Store<Key extends AnyKey = StateKey> {
  readonly blobs: BlobStore;
  /**
   * Data that must not be lost: origins, approvals, restrictions. Blobs that it refers to are never evicted. Deleting a decision leaves a
   * tombstone (`tombstones.ts`), so that a backup cannot silently bring it back.
   */
  readonly state: KeyValueStore<Key>;
  /** Which file of which origin is in which blob. May be deleted at any time. */
  readonly index: KeyValueStore<AnyKey>;
  readonly audit: AuditJournal;
  /** Calls back after any process has written to the state. Returns the function that stops it. */
  follow(listener: () => void): () => void;
  close(): Promise<void>;
}
