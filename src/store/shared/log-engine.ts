/** The calls of a remote engine, of which `sharedStore()` makes a store. Every call may fail with STORE_AWAY. */
import type { BlobStore, Member, TemporaryValues } from '../store.ts';

/** A position in the log. The epoch is another one if the engine was replaced or restored. */
export interface LogPosition {
  readonly epoch: string;
  readonly sequence: number;
  /** The id of the entry with this number; empty before the first one. A restored log may have another entry there. */
  readonly id: string;
}

export interface LogEntry {
  readonly sequence: number;
  /** Unique, chosen by the writer. */
  readonly id: string;
  /** The version of the payload. */
  readonly version: number;
  /** JSON; empty for the entry that the reader has already. */
  readonly payload: string;
}

export interface NewEntry {
  readonly id: string;
  readonly version: number;
  readonly payload: string;
  /** Records of the audit as JSON, written together with the entry. */
  readonly audit: readonly string[];
}

/** The whole state after an entry. Its parts have the form of payloads. */
export interface LogSnapshot {
  readonly id: string;
  readonly sequence: number;
  /** The id of the entry with this number, which is still in the log. */
  readonly entry: string;
  /** The version of the parts. */
  readonly version: number;
  readonly parts: number;
}

export interface LogPage {
  readonly epoch: string;
  /** The last sequence number of the log. */
  readonly last: number;
  /** The first entry that was not removed. The snapshot has what the entries before it wrote. */
  readonly first: number;
  /** The newest one; `undefined` if there is none. */
  readonly snapshot: LogSnapshot | undefined;
  /** In order, starting with the one that was requested. */
  readonly entries: readonly LogEntry[];
}

export interface NewMember extends Pick<Member, 'id' | 'version' | 'applied'> {
  /** Distinguishes two processes with one id. */
  readonly instance: string;
  /** How long it may serve without being heard. */
  readonly servesMs: number;
}

export interface EngineBlobs extends BlobStore {
  /** Marks blobs as used now. Returns the size of each one that the engine has. */
  touch(digests: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export interface LogEngine {
  /** Entries from a sequence number on, as many as fit into one answer. */
  read(from: number): Promise<LogPage>;
  /** Appends after `last`; `undefined` if that is not the end of the log: another writer was faster, or the engine was restored. */
  append(last: LogPosition, entry: NewEntry): Promise<number | undefined>;
  /** The sequence number of an entry, for a writer that got no answer. */
  find(id: string): Promise<number | undefined>;
  /** Appends a record once, even if it is called again with the same id. */
  appendAudit(id: string, record: string): Promise<void>;
  /** Records after a position, oldest first. None: the end. */
  readAudit(after: number): Promise<readonly { readonly position: number; readonly record: string }[]>;
  readonly blobs: EngineBlobs;
  readonly temporary: TemporaryValues;
  /** Parts from a number on, as many as fit into one answer. None: the snapshot was removed, or has no more. */
  readSnapshot(id: string, from: number): Promise<readonly string[]>;
  /** Nobody reads the snapshot before all of its parts are stored. */
  writeSnapshot(snapshot: Omit<LogSnapshot, 'parts'>, parts: Iterable<string>): Promise<void>;
  /**
   * Removes some entries before the newest snapshot that are older than this, snapshots that nobody reads any more, and expired values.
   * Returns the number of removed entries; 0 if there are no more.
   */
  trim(olderThanMs: number): Promise<number>;
  /** Whether the holder has the lease for this time now. Another holder gets it only after it has expired. */
  lease(name: string, holder: string, ms: number): Promise<boolean>;
  /** The clock of the engine, in milliseconds since 1970. */
  now(): Promise<number>;
  renew(member: NewMember): Promise<void>;
  /** Ends its membership and its leases. */
  leave(instance: string): Promise<void>;
  /** Members that may be serving, by id. */
  members(): Promise<readonly Member[]>;
  /** Calls back when the log may have grown. Returns the function that stops it. */
  listen(onWake: () => void): () => void;
  close(): Promise<void>;
}
