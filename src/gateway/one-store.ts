/**
 * The one store of a process. It is opened when somebody needs it first, so a server without decisions leaves the state folder alone;
 * everybody else gets the same store. Only its owner closes it: a policy, a page or a host that is closed leaves it open for the others.
 */
import type { Store } from '../store/store.ts';

export interface OneStore {
  /** Whether something was stored, by whatever process, or the store was opened. */
  exists(): boolean;
  /** The same store for every caller. A failed attempt is repeated by the next caller. */
  open(): Promise<Store>;
  /** Closes the store if it was opened. Afterwards `open()` still gives it, and the store refuses every call. */
  close(): Promise<void>;
}

export interface OneStoreOptions {
  readonly exists: () => boolean;
  readonly open: () => Promise<Store>;
}

export function oneStore({ exists, open }: OneStoreOptions): OneStore {
  let opened: Promise<Store> | undefined;
  return {
    exists: () => opened !== undefined || exists(),
    open() {
      opened ??= open().catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return opened;
    },
    async close() {
      // Callers of `open()` get the error of a failed attempt.
      const store = await opened?.catch(() => undefined);
      await store?.close();
    },
  };
}
