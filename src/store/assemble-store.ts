/**
 * Assembles a store from its parts. Adds tombstones to the state, reports writes to followers, and refuses every call
 * after `close()`, so that no call is left half done.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { AnyKey, KeyValueStore, Store } from './store.ts';
import { withTombstones } from './tombstones.ts';

/** The parts of a store. This state accepts any key; the assembled one enforces its rules. */
export interface StoreParts extends Omit<Store, 'close' | 'state' | 'follow'> {
  readonly state: KeyValueStore<AnyKey>;
  /** Calls back when another process may have written to the state. Returns the function that stops it. */
  readonly watch?: (onEvent: () => void) => () => void;
}

/** @param closeOnce called once, at the first `close()`, after running calls have finished */
export function assembleStore(doors: StoreParts, closeOnce: () => Promise<void>): Store {
  let closing: Promise<void> | undefined;
  const check = (): void => {
    if (closing !== undefined) throw new SkillwireError('CLOSED', 'The store is closed.');
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
  const follower = createStateFollower(() => state.revision(), doors.watch);
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
  const followed = (own: KeyValueStore): KeyValueStore => ({
    ...own,
    set: (key, value) => written(own.set(key, value)),
    delete: (key) => written(own.delete(key)),
    transact: (change) => written(own.transact(change)),
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
    state: followed(values(withTombstones(state))),
    index: values(index),
    audit: {
      append: guarded(audit.append),
      async *read() {
        check();
        yield* audit.read();
      },
    },
    follow(listener) {
      check();
      return follower.add(listener);
    },
    close() {
      follower.close();
      closing ??= Promise.allSettled(running).then(closeOnce);
      return closing;
    },
  };
}

/**
 * * Calls back when this process or another one has written to a state. Writes of this process and events of the disk are noticed at once;
 * the revision is also polled, because some file systems report nothing.
 * * @param revision of the state; a failure counts as a change, because readers must notice it
 * @param watch calls back when the state may have changed; returns the function that stops it
 */
export function createStateFollower(
  revision: () => Promise<number>,
  watch: (onEvent: () => void) => () => void = () => () => undefined,
) {
  const listeners = new Set<() => void>();
  let known: number | undefined;
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
      if (!isFirst || now === undefined) for (const listener of [...listeners]) listener();
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
    add(listener: () => void): () => void {
      listeners.add(listener);
      if (stop === undefined) start();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop?.();
      };
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
