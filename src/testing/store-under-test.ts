/** What `testStore()` is given to test, and how its parts register what they check. */
import type { AnyKey, Store } from '../store/store.ts';

/** A store for the suite, how to open it again, and how to damage it. */
export interface StoreUnderTest {
  readonly store: Store<AnyKey>;
  /** Opens the same data once more, as another process would. Absent where the data lives in the process only. */
  readonly openAgain?: () => Promise<Store<AnyKey>>;
  /** Changes a byte of what is kept under the digest. */
  readonly damageBlob?: (digest: string) => Promise<void>;
  /** Called after each test, after the store was closed. */
  readonly cleanUp?: () => Promise<void>;
}

/** Registers one promise; the store is made for it, closed and cleaned up. */
export type Promised = (name: string, run: (given: StoreUnderTest) => Promise<void>) => void;
