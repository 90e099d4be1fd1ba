/**
 * The promises of the `Store` port as a test suite that every store runs, whatever test runner it uses: the runner's `test`
 * function is handed in. What can only be checked with help from outside (opening the same data again, damaging a blob) is
 * checked where that help is given.
 */

import { blobPromises } from './test-store-blobs.ts';
import { journalPromises } from './test-store-journal.ts';
import {
  followPromises,
  type Promised,
  type StoreUnderTest,
  tombstonePromises,
  valuePromises,
} from './test-store-values.ts';

/** The test function of your runner, and how to make the store. */
export interface StoreSuite {
  /** The runner's function: `test` of vitest, node:test or jest. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Makes an empty store. */
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
      const given = await create();
      try {
        await run(given);
      } finally {
        await given.store.close();
        await given.cleanUp?.();
      }
    });
  };
  valuePromises(promised, 'state');
  valuePromises(promised, 'index');
  followPromises(promised);
  tombstonePromises(promised);
  blobPromises(promised);
  journalPromises(promised);
}
