/**
 * Entries as their origins gave them, for as long as those said that they are good (`ttlMs`, counted from the moment of asking). A load
 * within that time needs no request: freshness is what the origin declares (SEP-2640: H-25, H-63), and nothing that proves a
 * skill depends on it. Its bytes are hashed, its approval is looked up, and a file that does not fit leads to the origin,
 * however young the entry is (H-29, H-31, H-61).
 *
 * Kept are only remote entries that can be verified. Whoever asks the origin anyway replaces what is kept, or removes it.
 */
import { limits } from '../../limits.ts';
import type { CapturedEntry } from '../load/capture.ts';
import type { HostOrigin } from './origins.ts';

export interface KeptEntries {
  /** Undefined where the origin has to be asked. */
  find(origin: HostOrigin, uri: string): CapturedEntry | undefined;
  /** Asks, and keeps what comes; where nothing comes, nothing is kept any more. */
  renew(origin: HostOrigin, uri: string, ask: () => Promise<FreshEntry>): Promise<CapturedEntry>;
  /** All of the origin: it was asked for its listing. */
  forgetAll(origin: HostOrigin): void;
}

export interface FreshEntry {
  readonly captured: CapturedEntry;
  /** For how long the origin says that it is good. */
  readonly ttlMs: number;
}

interface Kept {
  readonly captured: CapturedEntry;
  readonly until: number;
}

/** @param now milliseconds of a clock that nobody can set */
export function keptEntries(now: () => number = () => performance.now()): KeptEntries {
  const byOrigin = new WeakMap<HostOrigin, Map<string, Kept>>();
  /** The last who asks for an entry, while it does. */
  const asking = new WeakMap<HostOrigin, Map<string, object>>();

  /** True where nobody asked later: who did knows better, also where the answers come in another order. */
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
    find(origin, uri) {
      const kept = byOrigin.get(origin)?.get(uri);
      return kept !== undefined && now() < kept.until ? kept.captured : undefined;
    },
    async renew(origin, uri, ask) {
      const kept = byOrigin.get(origin) ?? new Map<string, Kept>();
      byOrigin.set(origin, kept);
      kept.delete(uri);
      const askedAt = now();
      const [{ captured, ttlMs }, last] = await isLast(origin, uri, ask);
      if (!last || ttlMs <= 0 || captured.status !== 'verifiable' || origin.local) return captured;
      const [oldest] = kept.keys();
      if (kept.size >= limits.host.cachedEntries && oldest !== undefined) kept.delete(oldest);
      kept.set(uri, { captured, until: askedAt + Math.min(ttlMs, limits.host.cachedEntryMs) });
      return captured;
    },
    forgetAll(origin) {
      byOrigin.delete(origin);
    },
  };
}
