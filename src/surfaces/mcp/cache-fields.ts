/**
 * `ttlMs` and `cacheScope` of an answer: how long it may be cached, and by whom. Only revisions since 2026-07-28 have these fields. A list
 * may be cached as long as its shortest-lived part. Content for a single caller is never public.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import type { Era } from '../../dialects/era.ts';
import { limits } from '../../limits.ts';
import type { SourceContext } from '../../sources/skill-source.ts';

export interface MethodCall {
  readonly era: Era;
  /** The negotiated revision, if known. */
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
    // The entry of a dynamic skill is stable; only its files are not.
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

/** The time to live if the protocol allows it, else 0. */
function wholeMs(ttlMs: number): number {
  return Number.isSafeInteger(ttlMs) && ttlMs >= 0 ? ttlMs : 0;
}

/** The default hint for answers of this catalog. */
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

/** A listing cached from another server expires when that server is asked again. */
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

/** The fields of the answer; none in older revisions. */
export function cacheFields(era: Era, hint: CacheHint): Partial<CacheHint> {
  return era === 'modern' ? hint : {};
}
