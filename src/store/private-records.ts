/**
 * Records with secrets, such as tokens. They are not part of the state: no export, journal or audit contains them. One process at a time
 * changes a record, and a change appears whole or not at all.
 */
import type { JsonValue } from '../skill/entry.ts';

/** Reads the record of the change, under its lock. */
export type ReadRecord = () => Promise<JsonValue | undefined>;

/** The result of a change in a store of logins, and the new record. */
export interface RecordChange<T> {
  /** The new record; `null` removes it; absent leaves it unchanged. */
  readonly next?: Readonly<Record<string, JsonValue>> | null;
  readonly result: T;
}

/**
 * A store of logins, by address. Keep them as secret as passwords.
 */
export interface PrivateRecords {
  /** `undefined` if there is none. */
  get(name: string): Promise<JsonValue | undefined>;
  /** All of them. */
  list(): Promise<readonly JsonValue[]>;
  /** No other process changes the record while `work` runs, which may take as long as a request. */
  change<T>(name: string, work: (read: ReadRecord) => Promise<RecordChange<T>>): Promise<T>;
}
