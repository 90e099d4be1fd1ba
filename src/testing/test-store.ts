/**
 * The guarantees of the `Store` port as a test suite for every store. It works with any test runner: the caller passes
 * the runner's `test` function. Some checks need help from outside (opening the same data again, damaging a blob, cutting a connection); they
 * run only if the caller provides it.
 */

import { blobPromises } from './test-store-blobs.ts';
import { journalPromises } from './test-store-journal.ts';
import { logPromises } from './test-store-log.ts';
import {
  followPromises,
  type Promised,
  type StoreUnderTest,
  tombstonePromises,
  valuePromises,
} from './test-store-values.ts';

/** The test function of your runner, and a factory for the store. */
export interface StoreSuite {
  /** The runner's function: `test` of vitest, node:test or jest. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Creates an empty store. */
  readonly create: () => Promise<StoreUnderTest>;
}

/**
 * Registers the suite for stores with your test runner.
 *
 * @example
 * ```ts
 * import { test } from 'vitest';
 * testStore({ test, create: async () => ({ store: myStore() }) });
 * ```
 */
export function testStore({ test, create }: StoreSuite): void {
  const promised: Promised = (name, run) => {
    test(name, async () => {
      const subject = await create();
      try {
        await run(subject);
      } finally {
        await subject.store.close();
        await subject.cleanUp?.();
      }
    });
  };
  valuePromises(promised, 'state');
  valuePromises(promised, 'index');
  followPromises(promised);
  tombstonePromises(promised);
  blobPromises(promised);
  journalPromises(promised);
  logPromises(promised);
}
