/**
 * Assembles a store from its parts. Adds tombstones to the state, reports writes to followers, and refuses every call
 * after `close()`, so that no call is left half done.
 */
import { createListeners } from '../async/listeners.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { localMembers } from './local-members.ts';
import { localTemporary } from './local-temporary.ts';
import type { AnyKey, KeyValueStore, StateChange, StateStore, Store, StoreHealth } from './store.ts';
import { withTombstones } from './tombstones.ts';
import { withTransactionLimit } from './transaction-bytes.ts';

/** Values with the sequence numbers of this process. */
export type StateParts = KeyValueStore<AnyKey> & Pick<StateStore<AnyKey>, 'applied' | 'current' | 'written'>;

/** The parts of a store. This state accepts any key; the assembled one enforces its rules. */
export interface StoreParts extends Pick<Store, 'blobs' | 'audit' | 'place'> {
  readonly kind: StoreHealth['kind'];
  readonly state: StateParts;
  readonly index: KeyValueStore<AnyKey>;
  /** Calls back when another process may have written to the state. Returns the function that stops it. */
  readonly watch?: (onEvent: () => void) => () => void;
  /** The members and the health of a remote engine. Absent: one process, which is always there. */
  readonly shared?: Pick<Store, 'members' | 'confirm' | 'health' | 'temporary'>;
}

/** @param closeOnce called once, at the first `close()`, after running calls have finished */
export function assembleStore(doors: StoreParts, closeOnce: () => Promise<void>): Store {
  let closing: Promise<void> | undefined;
  const check = (): void => {
    if (closing !== undefined) throw new SkillwireError('CLOSED', 'The store is closed. Open it again.');
  };
  const running = new Set<Promise<unknown>>();
  const tracked = <T>(call: () => Promise<T>): Promise<T> => {
    const result = call();
    running.add(result);
    const ended = (): void => void running.delete(result);
    result.then(ended, ended);
    return result;
  };
  const guarded =
    <A extends unknown[], T>(call: (...args: A) => Promise<T>): ((...args: A) => Promise<T>) =>
    async (...args) => {
      check();
      return tracked(() => call(...args));
    };
  const { blobs, state, index, audit } = doors;
  // A remote engine reports its entries itself; a local store is read to notice the entries of other processes.
  const look = doors.shared === undefined ? (): Promise<number> => state.revision() : async () => state.applied();
  const follower = createStateFollower(look, doors.watch);
  const local = { ...localMembers(doors.kind, state.applied), temporary: localTemporary() };
  const { members, confirm, health, temporary } = doors.shared ?? local;
  const written = <T>(result: Promise<T>): Promise<T> =>
    result.then((value) => {
      follower.wake();
      return value;
    });
  const values = <Key extends AnyKey>(store: KeyValueStore<Key>): KeyValueStore<Key> => ({
    get: guarded(store.get),
    entries: guarded(store.entries),
    revision: guarded(store.revision),
    set: guarded(store.set),
    delete: guarded(store.delete),
    async transact(change) {
      check();
      return tracked(() => store.transact(change));
    },
  });
  const followed = (own: KeyValueStore): StateStore => ({
    ...own,
    set: (key, value) => written(own.set(key, value)),
    delete: (key) => written(own.delete(key)),
    transact: (change) => written(own.transact(change)),
    applied: state.applied,
    current: () => (closing === undefined ? state.current() : undefined),
    written: state.written,
    follow(listener) {
      check();
      return follower.add(listener);
    },
  });
  return {
    blobs: {
      put: guarded(blobs.put),
      get: guarded(blobs.get),
      has: guarded(blobs.has),
      delete: guarded(blobs.delete),
      async *list() {
        check();
        yield* blobs.list();
      },
    },
    state: followed(values(withTombstones(withTransactionLimit(state)))),
    index: values(index),
    audit: {
      append: guarded(audit.append),
      async *read() {
        check();
        yield* audit.read();
      },
    },
    members: { join: guarded(members.join), list: guarded(members.list), leads: guarded(members.leads) },
    temporary: {
      set: guarded(temporary.set),
      get: guarded(temporary.get),
      delete: guarded(temporary.delete),
    },
    confirm: guarded(confirm),
    health,
    close() {
      follower.close();
      closing ??= Promise.allSettled(running).then(closeOnce);
      return closing;
    },
  };
}

/**
 * Calls back when this process or another one has written to a state. Writes of this process and events of the disk are noticed at once;
 * the revision is also polled, because some file systems report nothing.
 *
 * @param revision of the state; a failure counts as a change, because readers must notice it
 * @param watch calls back when the state may have changed; returns the function that stops it
 */
export function createStateFollower(
  revision: () => Promise<number>,
  watch: (onEvent: () => void) => () => void = () => () => undefined,
) {
  const listeners = createListeners<StateChange>();
  let known: number | undefined;
  /** The last number that was reported or read. */
  let last = 0;
  let isLooking = false;
  let isDue = false;
  let stop: (() => void) | undefined;

  async function look(): Promise<void> {
    isDue = true;
    if (isLooking) return;
    isLooking = true;
    while (isDue && listeners.size > 0) {
      isDue = false;
      const now = await revision().catch(() => undefined);
      if (now !== undefined && now === known) continue;
      const isFirst = known === undefined;
      known = now;
      const change: StateChange = { after: last, sequence: now ?? last };
      last = change.sequence;
      if (!isFirst || now === undefined) listeners.call(change);
    }
    isLooking = false;
  }

  function start(): void {
    const timer = setInterval(() => void look(), limits.store.followMs);
    (timer as { unref?: () => void }).unref?.();
    const unwatch = watch(() => void look());
    stop = () => {
      clearInterval(timer);
      unwatch();
      stop = undefined;
    };
    void look();
  }

  return {
    /** Returns the function that removes the listener. */
    add(listener: (change: StateChange) => void): () => void {
      const remove = listeners.add(listener, () => stop?.());
      if (stop === undefined) start();
      return remove;
    },
    /** Something may have been written. */
    wake(): void {
      if (stop !== undefined) void look();
    },
    close(): void {
      listeners.clear();
      stop?.();
    },
  };
}
