/** A store whose doors shut when it is closed: what is asked of it afterwards is refused, not half done. */
import { SkillwireError } from '../errors.ts';
import { createStateFollower } from './follow-state.ts';
import type { AnyKey, KeyValueStore, Store } from './store.ts';
import { withTombstones } from './tombstones.ts';

/** What a store is made of: values by any key, to which the state's own rules are added here. */
export interface Doors extends Omit<Store, 'close' | 'state' | 'follow'> {
  readonly state: KeyValueStore<AnyKey>;
  /** Calls back when another process may have written to the state, until the returned function is called. */
  readonly watch?: (onEvent: () => void) => () => void;
}

/** @param closeOnce called at the first `close()`, when calls under way have ended; later calls wait for the same */
export function whileOpen(doors: Doors, closeOnce: () => Promise<void>): Store {
  let closing: Promise<void> | undefined;
  const check = (): void => {
    if (closing !== undefined) throw new SkillwireError('CLOSED', 'cannot use the store: it was closed');
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
