/**
 * The single store of a process. It is opened on first use, so a server without decisions never touches the state folder. All callers
 * share it and only its owner closes it: a closed policy, page or host leaves it open for the others.
 */
import { loadOnce } from '../async/load-once.ts';
import type { Store } from '../store/store.ts';

export interface OneStore {
  /** True if any process has stored something, or the store is open. */
  exists(): boolean;
  /** The same store for every caller. After a failure the next call tries again. */
  open(): Promise<Store>;
  /** The store, if somebody has opened it. */
  opened(): Promise<Store> | undefined;
  /** Closes the store if it is open. Afterwards `open()` still returns it, and the store rejects every call. */
  close(): Promise<void>;
}

export function oneStore({ exists, open }: Pick<OneStore, 'exists' | 'open'>): OneStore {
  const opened = loadOnce(open);
  return {
    exists: () => opened.started() !== undefined || exists(),
    open: opened.get,
    opened: opened.started,
    async close() {
      // Callers of `open()` get the error of a failed attempt.
      const store = await opened.started()?.catch(() => undefined);
      await store?.close();
    },
  };
}
