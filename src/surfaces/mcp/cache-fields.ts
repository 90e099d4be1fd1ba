/**
 * `ttlMs` and `cacheScope` of an answer: how long it may be kept, and by whom. Only revisions from 2026-07-28 on know the
 * two fields. A list may be kept as long as its shortest-lived part; what one caller alone may see is never public.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import type { SourceContext } from '../../sources/skill-source.ts';

/** `modern`: revision 2026-07-28 and later; `legacy`: everything before. */
export type Era = 'modern' | 'legacy';

export interface MethodCall {
  readonly era: Era;
  /** The revision that was agreed on, where it is known. */
  readonly revision?: string;
  readonly context: SourceContext;
}

export type CacheScope = 'public' | 'private';

export interface CacheHint {
  readonly ttlMs: number;
  readonly cacheScope: CacheScope;
}

const parts = new WeakMap<Snapshot, { readonly ttlMs: number; readonly private: boolean }>();

function partsOf(snapshot: Snapshot): { readonly ttlMs: number; readonly private: boolean } {
  let known = parts.get(snapshot);
  if (known === undefined) {
    let ttlMs = Number.POSITIVE_INFINITY;
    let isPrivate = false;
    // The entry of a dynamic skill is as stable as any other; only its files are not.
    for (const { entry, source } of snapshot.listed) {
      if (source.ttlMs === undefined && source.cacheScope !== 'private') continue;
      if (entry.resources === 'dynamic') continue;
      if (source.ttlMs !== undefined) ttlMs = Math.min(ttlMs, wholeMs(source.ttlMs));
      isPrivate ||= source.cacheScope === 'private';
    }
    known = { ttlMs, private: isPrivate };
    parts.set(snapshot, known);
  }
  return known;
}

/** What the protocol allows as a time to live; a source that says something else is not believed. */
function wholeMs(ttlMs: number): number {
  return Number.isSafeInteger(ttlMs) && ttlMs >= 0 ? ttlMs : 0;
}

/** How long an answer of this catalog may be kept where nothing more is known. */
export function catalogHint(catalog: Catalog, authenticated: boolean): CacheHint {
  return {
    ttlMs: catalog.watched ? limits.ttl.watchedMs : limits.ttl.unwatchedMs,
    cacheScope: authenticated ? 'private' : 'public',
  };
}

export function listHint(catalog: Catalog, snapshot: Snapshot, context: SourceContext): CacheHint {
  const hint = catalogHint(catalog, context.principal !== undefined);
  const all = partsOf(snapshot);
  return {
    ttlMs: Math.min(hint.ttlMs, all.ttlMs, timeLeft(catalog)),
    cacheScope: all.private ? 'private' : hint.cacheScope,
  };
}

/** What was kept from another server gets older here too: it is good until that is asked again. */
function timeLeft(catalog: Catalog, uri?: string): number {
  const until = catalog.freshUntil?.(uri);
  return until === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Math.ceil(until - Date.now()));
}

export function skillHint(catalog: Catalog, { entry, source }: SkillRecord, context: SourceContext): CacheHint {
  const hint = catalogHint(catalog, context.principal !== undefined);
  const dynamic = entry.resources === 'dynamic';
  const scope = source.cacheScope ?? (dynamic ? 'private' : hint.cacheScope);
  return {
    ttlMs: Math.min(
      source.ttlMs === undefined ? (dynamic ? 0 : hint.ttlMs) : wholeMs(source.ttlMs),
      timeLeft(catalog, entry.uri),
    ),
    cacheScope: hint.cacheScope === 'private' ? 'private' : scope,
  };
}

/** The fields as they go into the answer. */
export function cacheFields(era: Era, hint: CacheHint): Partial<CacheHint> {
  return era === 'modern' ? hint : {};
}
