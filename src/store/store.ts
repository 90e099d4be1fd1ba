/**
 * The store has four parts:
 * - Blobs are bytes by digest.
 * - The state has values by key. It is the projection of a log: each transaction is one entry with a sequence number.
 * - The audit is an append-only journal.
 * - Members are the servers that use the store now.
 *
 * Several processes may use one store at once: writers take turns, and readers follow the writes of others.
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
  /** `true` if there was one. @param unusedSince spares a blob that was used after this time (milliseconds since 1970) */
  delete(digest: string, unusedSince?: number): Promise<boolean>;
  list(): AsyncIterable<BlobFacts>;
}

/** A key is a list of texts. */
export type AnyKey = readonly string[];

/**
 * How fresh a read is. Commands use `barrier`, the default: it sees every write that was acknowledged before the call. Requests use
 * `projection`: what this process has applied, without asking a remote engine. Local stores answer both with a barrier.
 */
export type ReadKind = 'projection' | 'barrier';

/** Values by key. The last write wins. The state accepts only the kinds of keys in `state-kinds.ts`. */
export interface KeyValueStore<Key extends AnyKey = StateKey> {
  get(key: AnyKey, read?: ReadKind): Promise<JsonValue | undefined>;
  /** All keys that begin with the prefix, in order. */
  entries(prefix: AnyKey, read?: ReadKind): Promise<readonly StateEntry<Key>[]>;
  /** Changes whenever any process may have written something. */
  revision(read?: ReadKind): Promise<number>;
  set(key: Key, value: JsonValue): Promise<void>;
  delete(key: Key): Promise<boolean>;
  /**
   * Reads the newest state and writes the result of `change` in one step: no other process writes in between. All
   * writes appear together or not at all. `change` may run more than once and must not act on anything else.
   */
  transact<T>(change: (state: StateView<Key>) => Transaction<T, Key>): Promise<T>;
}

export interface Transaction<T, Key extends AnyKey = StateKey> {
  readonly writes: readonly StateWrite<Key>[];
  /** Only for the state: records of the audit that are written before the writes take effect, or with them. */
  readonly audit?: readonly AuditRecord[] | undefined;
  readonly result: T;
}

/** The projection of a log. Sequence numbers grow by entry and are comparable within one opened store. */
export interface StateStore<Key extends AnyKey = StateKey> extends KeyValueStore<Key> {
  /** The sequence number of the last entry that this process has applied. */
  applied(): number;
  /** The revision of what a read would return now. `undefined` if only a read can find out; it never waits. */
  current(): number | undefined;
  /** The sequence number of the last entry that this store has written; 0 if none. Pass it to `confirm()`. */
  written(): number;
  /** Calls back after any process has written, in order and without gaps. Returns the function that stops it. */
  follow(listener: (change: StateChange) => void): () => void;
}

/** The entries after `after`, up to `sequence`, were applied. The two are equal if the state cannot be read now. */
export interface StateChange {
  readonly after: number;
  readonly sequence: number;
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
  /** The server that wrote it; absent for commands. */
  readonly replica?: string;
  /** Digests and sizes, names of grants; never content and never a secret. */
  readonly data?: JsonValue;
}

export interface AuditJournal {
  append(record: AuditRecord): Promise<void>;
  /** Oldest first. Lines with a wrong checksum are reported to `onCorrupt` and skipped. */
  read(): AsyncIterable<AuditRecord>;
}

/** A server that uses the store. */
export interface Member {
  /** Unique among the members; a server that restarts may use it again. */
  readonly id: string;
  readonly version: string;
  /** The last entry that it has applied. */
  readonly applied: number;
  /** Milliseconds since it was last heard, by the clock of the engine. */
  readonly silentMs: number;
  /** `false`: its lease has run out. It may still serve, but cannot confirm anything. */
  readonly live: boolean;
}

/** Servers announce themselves until they leave. A member that is not heard any more expires. */
export interface Members {
  /** Announces this process until `close()`. */
  join(member: Pick<Member, 'id' | 'version'>): Promise<void>;
  /** Every member that may be serving, by id. */
  list(): Promise<readonly Member[]>;
  /**
   * Whether this process is the one that does a task for all. It then leads until its store is closed or the engine does not hear it for a
   * while. In the stores of one machine, every process leads.
   */
  leads(task: string): Promise<boolean>;
}

/** Which members have applied an entry. */
export interface Confirmation {
  readonly confirmed: readonly Member[];
  /** Members that may still serve the state before the entry. */
  readonly missing: readonly Member[];
}

/**
 * Values that expire, by the clock of the engine. They are not part of the state: no export and no audit has them, and they may be lost.
 * The stores of one machine have them in the memory of a process.
 */
export interface TemporaryValues {
  /** @param ms how long the value is there, at most */
  set(key: AnyKey, value: JsonValue, ms: number): Promise<void>;
  get(key: AnyKey): Promise<JsonValue | undefined>;
  /** `true` if there was one that had not expired; for exactly one of several callers. */
  delete(key: AnyKey): Promise<boolean>;
}

/** How a process reaches its store. */
export interface StoreHealth {
  readonly kind: 'memory' | 'embedded' | 'postgres';
  /** Present while the engine cannot be reached. */
  readonly away?: { readonly sinceMs: number; readonly reason: string };
  /** Entries that the engine is known to have and this process has not applied. */
  readonly lag: number;
  /** `false`: the state of this process may be too old, so reads fail with STORE_AWAY. */
  readonly serves: boolean;
}

/** Stores approvals, cached files and the audit of a host. */
export interface Store<Key extends AnyKey = StateKey> {
  readonly blobs: BlobStore;
  /** The location of the state, for people; absent if it is in memory. */
  readonly place?: string;
  /**
   * Data that must not be lost: origins, approvals, restrictions. Blobs that it refers to are never evicted. Deleting a decision leaves a
   * tombstone (`tombstones.ts`), so that a backup cannot silently bring it back.
   */
  readonly state: StateStore<Key>;
  /** Which file of which origin is in which blob. May be deleted at any time. */
  readonly index: KeyValueStore<AnyKey>;
  readonly audit: AuditJournal;
  readonly members: Members;
  readonly temporary: TemporaryValues;
  /** Waits until every member has applied the entry, at most for the given time. */
  confirm(sequence: number, deadlineMs: number): Promise<Confirmation>;
  health(): StoreHealth;
  close(): Promise<void>;
}
