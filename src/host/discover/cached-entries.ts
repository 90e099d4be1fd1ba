/**
 * Cached entries, for as long as their origins declare (`ttlMs`, counted from the request). Within that time a load
 * needs no request (SEP-2640: H-25, H-63). Verification does not depend on the cache: bytes are hashed and the approval
 * is looked up. If a file does not match, the origin is queried, even for a fresh entry (H-29, H-31, H-61).
 *
 * Only remote entries that can be verified are cached. Any request to the origin replaces or removes the cached entry.
 */
import { limits } from '../../limits.ts';
import type { CapturedEntry } from '../load/capture.ts';
import type { HostOrigin } from './origins.ts';

export interface FreshEntry {
  readonly captured: CapturedEntry;
  /** Lifetime that the origin declares. */
  readonly ttlMs: number;
}

interface CachedEntry {
  readonly captured: CapturedEntry;
  readonly until: number;
}

/** @param now milliseconds of a monotonic clock */
export function cachedEntries(now: () => number = () => performance.now()) {
  const byOrigin = new WeakMap<HostOrigin, Map<string, CachedEntry>>();
  /** The last request for each entry that is still running. */
  const asking = new WeakMap<HostOrigin, Map<string, object>>();

  /** True if no later request started: the later one wins, even if answers arrive in another order. */
  async function isLast<T>(origin: HostOrigin, uri: string, ask: () => Promise<T>): Promise<readonly [T, boolean]> {
    const own = {};
    const all = asking.get(origin) ?? new Map<string, object>();
    asking.set(origin, all);
    all.set(uri, own);
    try {
      return [await ask(), all.get(uri) === own];
    } finally {
      if (all.get(uri) === own) all.delete(uri);
    }
  }

  return {
    /** `undefined` if the origin must be queried. */
    find(origin: HostOrigin, uri: string): CapturedEntry | undefined {
      const entry = byOrigin.get(origin)?.get(uri);
      return entry !== undefined && now() < entry.until ? entry.captured : undefined;
    },
    /** Queries the origin and caches the entry; without an answer, nothing stays cached. */
    async renew(origin: HostOrigin, uri: string, ask: () => Promise<FreshEntry>): Promise<CapturedEntry> {
      const entries = byOrigin.get(origin) ?? new Map<string, CachedEntry>();
      byOrigin.set(origin, entries);
      entries.delete(uri);
      const requestedAt = now();
      const [{ captured, ttlMs }, last] = await isLast(origin, uri, ask);
      if (!last || ttlMs <= 0 || captured.status !== 'verifiable' || origin.local) return captured;
      const [oldest] = entries.keys();
      if (entries.size >= limits.host.cachedEntries && oldest !== undefined) entries.delete(oldest);
      entries.set(uri, { captured, until: requestedAt + Math.min(ttlMs, limits.host.cachedEntryMs) });
      return captured;
    },
    /** Removes all entries of an origin, because its listing was read. */
    forgetAll(origin: HostOrigin): void {
      byOrigin.delete(origin);
    },
  };
}

export type CachedEntries = ReturnType<typeof cachedEntries>;
