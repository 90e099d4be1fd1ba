/**
 * For how long an HTTP answer may be used without asking again (RFC 9111, for a cache of one reader: `s-maxage` is not for us).
 * `max-age` less `Age`, else `Expires`; without either the caller's own time. `no-cache` and `no-store` let nothing be used
 * without asking; after `no-store` nothing is kept to ask with either.
 */
import { limits } from '../../limits.ts';

export interface Freshness {
  /** From now, in milliseconds. */
  readonly ms: number;
  /** Whether the answer may be kept to be confirmed by its ETag later. */
  readonly storable: boolean;
  /** For this reader alone. */
  readonly isPrivate: boolean;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export function freshnessOf(headers: Headers, usualMs: number, now: number = Date.now()): Freshness {
  const directives = cacheDirectives(text(headers['cache-control']));
  const storable = !directives.has('no-store');
  const isPrivate = directives.has('private');
  if (!storable || directives.has('no-cache')) return { ms: 0, storable, isPrivate };
  const lifetime = seconds(directives.get('max-age')) ?? untilExpiry(headers, now);
  if (lifetime === undefined) return { ms: usualMs, storable, isPrivate };
  const age = seconds(text(headers['age'])) ?? 0;
  return { ms: Math.min(Math.max(0, lifetime - age), limits.origin.ttlMs), storable, isPrivate };
}

function text(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.join(', ');
}

/** By name in lower case; the first of two with one name counts. */
function cacheDirectives(header = ''): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const part of header.split(',')) {
    const [name = '', value = ''] = part.split('=', 2);
    const key = name.trim().toLowerCase();
    if (key !== '' && !found.has(key)) found.set(key, value.trim().replace(/^"(.*)"$/, '$1'));
  }
  return found;
}

/** In milliseconds; undefined where it is no number of seconds. */
function seconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,10}$/.test(value) ? Number(value) * 1_000 : undefined;
}

function untilExpiry(headers: Headers, now: number): number | undefined {
  const expires = text(headers['expires']);
  if (expires === undefined) return undefined;
  const at = Date.parse(expires);
  const date = Date.parse(text(headers['date']) ?? '');
  // A date that cannot be read means "already over".
  return Number.isNaN(at) ? 0 : Math.max(0, at - (Number.isNaN(date) ? now : date));
}
