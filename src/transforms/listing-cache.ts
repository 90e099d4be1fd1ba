/**
 * The cached last good listing of an upstream. While the upstream does not answer, it is served after a restart too, for as long as it
 * would have been without one. It has the entries as received, never the address of the upstream. This file decides when to write;
 * `stored-listing.ts` decides where.
 *
 * Writes run in the background, one at a time, and only the newest state is written. The times of an unchanged listing are updated only
 * now and then. So after a crash it may be served a little shorter than configured, never longer.
 */
import { limits } from '../limits.ts';
import type { SourceSkill } from '../sources/skill-source.ts';

export interface CachedSkill {
  /** As received. */
  readonly skill: SourceSkill;
  /** ISO 8601: since when the upstream has this version. */
  readonly since: string;
}

export interface ListingTimes {
  /** Milliseconds since 1970, like the others: when the listing was received. */
  readonly listedAt: number;
  /** Since when the upstream has not answered; absent if it answered last time. */
  readonly staleAt?: number;
  /** When it stops being served. */
  readonly until: number;
}

export interface CachedListing extends ListingTimes {
  readonly skills: readonly CachedSkill[];
  readonly dialect?: string | undefined;
}

/** The cached listing of one upstream. If that becomes another upstream, the listing is dropped. */
export interface ListingCache {
  /** @throws SkillwireError if the cached listing cannot be used */
  load(): Promise<CachedListing | undefined>;
  save(listing: CachedListing): Promise<void>;
  /** Updates the times of an unchanged listing, if there is one. */
  note(times: ListingTimes): Promise<void>;
  drop(): Promise<void>;
  /** Whether this gateway writes, and not another one with the same listing. */
  leads(): Promise<boolean>;
}

export interface ListingMemoryOptions {
  readonly cache: ListingCache;
  readonly staleMs: number;
  readonly now: () => number;
  readonly current: () => Omit<CachedListing, 'until'>;
  /** If so, nothing may be written. */
  readonly isClosed: () => boolean;
  readonly onFailed: (error: Error) => void;
  readonly onUnusable: (error: Error) => void;
}

type Task = 'save' | 'note' | 'drop';

export function createListingMemory(options: ListingMemoryOptions) {
  const { cache, staleMs, now, current, isClosed, onFailed, onUnusable } = options;
  const stepMs = Math.min(limits.gateway.listingStepMs, staleMs / 10);
  let task: Task | undefined;
  let working = false;
  /** When the cached listing was received: `none` if there is none, `undefined` if unknown. */
  let cachedAt: number | 'none' | undefined;

  async function perform(next: Task): Promise<void> {
    if (!(await cache.leads())) {
      // The other one may have written, or end before it does.
      cachedAt = undefined;
      return;
    }
    const { skills, dialect, ...times } = current();
    if (next === 'drop' || skills.length === 0) {
      await cache.drop();
      cachedAt = 'none';
      return;
    }
    const bounded = { ...times, until: times.listedAt + staleMs };
    if (next === 'save') await cache.save({ skills, dialect, ...bounded });
    else await cache.note(bounded);
    cachedAt = times.listedAt;
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
        // The content of the cache is unknown now, so the next listing is written in full.
        cachedAt = undefined;
        onFailed(asError(error));
      })
      .finally(() => {
        working = false;
      });
  }

  return {
    /** The cached listing, if it may still be served. */
    async restore(): Promise<CachedListing | undefined> {
      try {
        const cached = await cache.load();
        if (cached === undefined) {
          cachedAt = 'none';
          return undefined;
        }
        // If the clock was set back, the listing is extended by that much only once.
        const listedAt = Math.min(cached.listedAt, now());
        if (listedAt + staleMs > now()) {
          cachedAt = listedAt;
          return { ...cached, listedAt };
        }
      } catch (error) {
        onUnusable(asError(error));
      }
      plan('drop');
      return undefined;
    },
    /** A good listing was received. */
    listed(changed: boolean): void {
      if (changed || typeof cachedAt !== 'number') plan('save');
      else if (now() - cachedAt >= stepMs) plan('note');
    },
    /** The upstream does not answer, and its last listing is served. */
    stale(): void {
      if (typeof cachedAt === 'number') plan('note');
    },
    /** Nothing of it is served anymore. */
    forget(): void {
      if (cachedAt !== 'none' || working) plan('drop');
    },
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
