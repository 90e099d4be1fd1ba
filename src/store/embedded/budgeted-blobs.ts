/**
 * Blobs that stay within a budget of bytes: at the first blob that a process keeps, and each time it has kept a sixteenth of the
 * budget since, the least recently used ones go. What the state names is pinned. A blob that was kept is kept, also where
 * making room failed.
 */
import { SkillwireError } from '../../errors.ts';
import { collectGarbage } from '../collect-garbage.ts';
import { pinnedDigests } from '../pinned-digests.ts';
import type { AnyKey, BlobStore, KeyValueStore } from '../store.ts';

export interface BudgetOptions {
  readonly budgetBytes: number;
  readonly state: KeyValueStore<AnyKey>;
  /** Done before room is made. */
  readonly sweep: () => Promise<unknown>;
  /** Hears why room could not be made. */
  readonly onFailure: (error: SkillwireError) => void;
}

export function budgetedBlobs(blobs: BlobStore, { budgetBytes, state, sweep, onFailure }: BudgetOptions): BlobStore {
  const step = budgetBytes / 16;
  let sinceLast = step;
  const makeRoom = async (): Promise<void> => {
    try {
      await sweep();
      await collectGarbage(blobs, { budgetBytes, pinned: await pinnedDigests(state) });
    } catch (error) {
      if (!(error instanceof SkillwireError)) throw error;
      onFailure(error);
    }
  };
  return {
    ...blobs,
    async put(digest, bytes) {
      await blobs.put(digest, bytes);
      sinceLast += bytes.length;
      if (sinceLast < step) return;
      sinceLast = 0;
      await makeRoom();
    },
  };
}
