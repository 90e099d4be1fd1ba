/** A store whose doors shut when it is closed: what is asked of it afterwards is refused, not half done. */
import { SkillwireError } from '../errors.ts';
import type { Store } from './store.ts';

/** @param closeOnce called at the first `close()`, when calls under way have ended; later calls wait for the same */
export function whileOpen(doors: Omit<Store, 'close'>, closeOnce: () => Promise<void>): Store {
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
  const { blobs, state, index, audit, bus } = doors;
  const values = (store: Store['state']): Store['state'] => ({
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
    state: values(state),
    index: values(index),
    audit: {
      append: guarded(audit.append),
      async *read() {
        check();
        yield* audit.read();
      },
    },
    bus,
    close() {
      closing ??= Promise.allSettled(running).then(closeOnce);
      return closing;
    },
  };
}
