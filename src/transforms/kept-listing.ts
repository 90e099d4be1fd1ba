/**
 * The last good listing of an upstream, kept beyond the process: while the upstream is away it is served from there also after a
 * restart, for as long as it would have been served without one. Held are the entries as they came, never how the upstream is
 * reached. What decides when it is written is here; where it lies is for the keeper (`stored-listing.ts`).
 *
 * Nobody waits for a write: one runs at a time, and only the newest state is written. A listing that did not change is noted again only
 * now and then, so after a crash it may be served a little shorter than configured, and never longer.
 */
import { limits } from '../limits.ts';
import type { SourceSkill } from '../sources/skill-source.ts';

export interface KeptSkill {
  /** As it came. */
  readonly skill: SourceSkill;
  /** ISO 8601: since when the upstream has it as it is. */
  readonly since: string;
}

export interface KeptTimes {
  /** Milliseconds since 1970: when the listing came. */
  readonly listedAt: number;
  /** The same: since when the upstream does not answer; absent where it did at last. */
  readonly staleAt?: number;
  /** The same: from when on it is served no longer. */
  readonly until: number;
}

export interface KeptListing extends KeptTimes {
  readonly skills: readonly KeptSkill[];
  readonly dialect?: string | undefined;
}

/** Keeps the listing of one upstream, as long as that is the same upstream. */
export interface ListingKeeper {
  /** @throws SkillwireError where it was kept and cannot be used */
  load(): Promise<KeptListing | undefined>;
  save(listing: KeptListing): Promise<void>;
  /** The listing is the same; nothing where there is none. */
  note(times: KeptTimes): Promise<void>;
  drop(): Promise<void>;
}

export interface ListingMemoryOptions {
  readonly keeper: ListingKeeper;
  readonly staleMs: number;
  readonly now: () => number;
  /** What is to be kept now. */
  readonly current: () => Omit<KeptListing, 'until'>;
  /** True once nothing may be written any more. */
  readonly isClosed: () => boolean;
  readonly onFailed: (error: Error) => void;
  readonly onUnusable: (error: Error) => void;
}

export interface ListingMemory {
  /** What was kept, if it may still be served. */
  restore(): Promise<KeptListing | undefined>;
  /** A good listing came. */
  listed(changed: boolean): void;
  /** The upstream does not answer, and what it listed is served. */
  stale(): void;
  /** Nothing of it is served any more. */
  forget(): void;
}

type Task = 'save' | 'note' | 'drop';

export function createListingMemory(options: ListingMemoryOptions): ListingMemory {
  const { keeper, staleMs, now, current, isClosed, onFailed, onUnusable } = options;
  const stepMs = Math.min(limits.gateway.listingStepMs, staleMs / 10);
  let task: Task | undefined;
  let working = false;
  /** When the listing came that the keeper has: `none` where it has nothing, undefined where that is not known. */
  let keptAt: number | 'none' | undefined;

  async function perform(next: Task): Promise<void> {
    const { skills, dialect, ...times } = current();
    if (next === 'drop' || skills.length === 0) {
      await keeper.drop();
      keptAt = 'none';
      return;
    }
    const bounded = { ...times, until: times.listedAt + staleMs };
    if (next === 'save') await keeper.save({ skills, dialect, ...bounded });
    else await keeper.note(bounded);
    keptAt = times.listedAt;
  }

  async function work(): Promise<void> {
    while (task !== undefined && !isClosed()) {
      const next = task;
      task = undefined;
      await perform(next);
    }
  }

  function plan(next: Task): void {
    task = next === 'note' && task === 'save' ? 'save' : next;
    if (working) return;
    working = true;
    work()
      .catch((error: unknown) => {
        // What is there now is not known, so the next listing is written whole.
        keptAt = undefined;
        onFailed(asError(error));
      })
      .finally(() => {
        working = false;
      });
  }

  return {
    async restore() {
      try {
        const kept = await keeper.load();
        if (kept === undefined) {
          keptAt = 'none';
          return undefined;
        }
        // A clock that was set back must not lengthen the time by more than that once.
        const listedAt = Math.min(kept.listedAt, now());
        if (listedAt + staleMs > now()) {
          keptAt = listedAt;
          return { ...kept, listedAt };
        }
      } catch (error) {
        onUnusable(asError(error));
      }
      plan('drop');
      return undefined;
    },
    listed(changed) {
      if (changed || typeof keptAt !== 'number') plan('save');
      else if (now() - keptAt >= stepMs) plan('note');
    },
    stale() {
      if (typeof keptAt === 'number') plan('note');
    },
    forget() {
      if (keptAt !== 'none' || working) plan('drop');
    },
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
