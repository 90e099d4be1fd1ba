/**
 * Sends requests to a site. The caller's headers and token go only to the named origin, whatever an index or a redirect
 * says. All other rules for addresses, sizes and deadlines are those of the HTTP client (`outbound/`). Cached answers
 * are revalidated by ETag or date.
 */
import { limits } from '../../limits.ts';
import type { HttpAnswer, HttpClient } from '../../outbound/http-messages.ts';
import { createCredentials, type HttpCredentials, type TokenOption } from '../mcp-server/http-credentials.ts';

/** A good answer, with what revalidation needs. */
export interface CachedAnswer {
  readonly bytes: Uint8Array;
  /** The final URL, after redirects. */
  readonly url: string;
  /** Media type without parameters, in lower case; empty if none was sent. */
  readonly type: string;
  /** By `performance.now()`. */
  readonly freshUntil: number;
  readonly isPrivate: boolean;
  /** Headers for revalidation; `undefined` if it must be fetched again. */
  readonly validators: Readonly<Record<string, string>> | undefined;
}

export type SiteAnswer =
  | { readonly ok: true; readonly cached: CachedAnswer }
  /** Any other status, with the beginning of the body. */
  | {
      readonly ok: false;
      readonly status: number;
      readonly type: string;
      readonly url: string;
      readonly text: string;
      /** The header `WWW-Authenticate`. */
      readonly challenge?: string | undefined;
      /** In place of the usual remedy. */
      readonly remedy?: string | undefined;
    };

export interface SiteRequest {
  readonly signal?: AbortSignal | undefined;
  readonly maxBytes: number;
  readonly accept?: string;
  readonly cached?: CachedAnswer | undefined;
}

export interface SiteHttpOptions {
  readonly http: HttpClient;
  /** The origin that receives credentials. */
  readonly origin: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly token?: TokenOption | undefined;
  readonly credentials?: HttpCredentials | undefined;
  readonly deadlineMs: number;
}

export function siteHttp({ http, origin, headers = {}, token, credentials: own, deadlineMs }: SiteHttpOptions) {
  const credentials = createCredentials({ token, credentials: own });

  async function send(url: string, { signal, maxBytes, accept = '*/*', cached }: SiteRequest): Promise<HttpAnswer> {
    const isNamed = new URL(url).origin === origin;
    const authorization = isNamed ? await credentials.header() : undefined;
    return http.request({
      url,
      maxBytes,
      deadlineMs,
      idempotent: true,
      headers: {
        ...(isNamed ? headers : {}),
        ...(authorization === undefined ? {} : { authorization }),
        ...cached?.validators,
        accept,
      },
      // One signal aborts all requests of a source. Each request gets its own, or Node warns of a listener leak.
      signal: signal === undefined ? undefined : AbortSignal.any([signal]),
    });
  }

  return {
    /** Whether credentials or headers of the caller are sent. */
    get authenticated(): boolean {
      return credentials.present || Object.keys(headers).length > 0;
    },
    async get(url: string, request: SiteRequest): Promise<SiteAnswer> {
      let answer = await send(url, request);
      // A new token may lack scopes, so each of the two is answered once.
      for (const asking of [401, 403]) {
        const challenge = answer.headers['www-authenticate'];
        const asks = answer.status === asking;
        if (asks && (await credentials.renew({ status: asking, challenge }, new URL(url), http.fetch)))
          answer = await send(url, request);
      }
      if (answer.status === 304 && request.cached !== undefined)
        return { ok: true, cached: confirmed(request.cached, answer) };
      if (answer.status === 200) return { ok: true, cached: cachedAnswer(answer) };
      const text = new TextDecoder().decode(answer.body.subarray(0, 4 * limits.messages.quotedCharacters));
      const refused = { challenge: answer.headers['www-authenticate'], remedy: credentials.remedy };
      return { ok: false, status: answer.status, type: typeOf(answer), url: answer.url, text, ...refused };
    },
  };
}

export type SiteHttp = ReturnType<typeof siteHttp>;

function typeOf({ headers }: HttpAnswer): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function cachedAnswer(answer: HttpAnswer): CachedAnswer {
  const { ms, storable, isPrivate } = freshnessOf(answer.headers, limits.site.ttlMs);
  const { etag, 'last-modified': modified } = answer.headers;
  const validators: Record<string, string> = {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(modified === undefined ? {} : { 'if-modified-since': modified }),
  };
  return {
    bytes: answer.body,
    url: answer.url,
    type: typeOf(answer),
    freshUntil: performance.now() + ms,
    isPrivate,
    validators: storable && Object.keys(validators).length > 0 ? validators : undefined,
  };
}

/** The same content, with the freshness of the confirmation. */
function confirmed(cached: CachedAnswer, answer: HttpAnswer): CachedAnswer {
  const { ms, isPrivate } = freshnessOf(answer.headers, limits.site.ttlMs);
  return { ...cached, url: answer.url, freshUntil: performance.now() + ms, isPrivate: isPrivate || cached.isPrivate };
}

interface Freshness {
  /** Milliseconds from now. */
  readonly ms: number;
  /** Whether the answer may be cached for revalidation. */
  readonly storable: boolean;
  readonly isPrivate: boolean;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * How long an HTTP answer may be used without a request (RFC 9111, for a private cache, so `s-maxage` does not apply):
 * `max-age` less `Age`, else `Expires`, else the caller's default. `no-cache` and `no-store` allow no use without a
 * request; `no-store` also forbids caching for revalidation.
 */
export function freshnessOf(headers: Headers, defaultMs: number, now: number = Date.now()): Freshness {
  const directives = cacheDirectives(text(headers['cache-control']));
  const storable = !directives.has('no-store');
  const isPrivate = directives.has('private');
  if (!storable || directives.has('no-cache')) return { ms: 0, storable, isPrivate };
  const lifetime = seconds(directives.get('max-age')) ?? untilExpiry(headers, now);
  if (lifetime === undefined) return { ms: defaultMs, storable, isPrivate };
  const age = seconds(text(headers['age'])) ?? 0;
  return { ms: Math.min(Math.max(0, lifetime - age), limits.origin.ttlMs), storable, isPrivate };
}

function text(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.join(', ');
}

/** By lower-case name; the first of duplicates counts. */
function cacheDirectives(header = ''): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const part of header.split(',')) {
    const [name = '', value = ''] = part.split('=', 2);
    const key = name.trim().toLowerCase();
    if (key !== '' && !found.has(key)) found.set(key, value.trim().replace(/^"(.*)"$/, '$1'));
  }
  return found;
}

/** In milliseconds; `undefined` if it is not a number of seconds. */
function seconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,10}$/.test(value) ? Number(value) * 1_000 : undefined;
}

function untilExpiry(headers: Headers, now: number): number | undefined {
  const expires = text(headers['expires']);
  if (expires === undefined) return undefined;
  const at = Date.parse(expires);
  const date = Date.parse(text(headers['date']) ?? '');
  // An unreadable date means "already expired".
  return Number.isNaN(at) ? 0 : Math.max(0, at - (Number.isNaN(date) ? now : date));
}
