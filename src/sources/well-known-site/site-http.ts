/**
 * Requests to a site. Headers and token of the caller go to the origin that was named and to no other, whatever an index or a
 * redirect says; everything else about addresses, sizes and deadlines is the rule of the client that is handed in
 * (`outbound/`). An answer that was kept is confirmed by its ETag or date instead of being sent again.
 */
import { limits } from '../../limits.ts';
import type { HttpAnswer, HttpClient } from '../../outbound/http-messages.ts';
import { createCredentials, type TokenOption } from '../mcp-server/http-credentials.ts';
import { freshnessOf } from './http-freshness.ts';

/** A good answer, with what is needed to ask for it again. */
export interface KeptAnswer {
  readonly bytes: Uint8Array;
  /** Where it came from, after redirects. */
  readonly url: string;
  /** Media type without parameters, in lower case; empty where none was said. */
  readonly type: string;
  /** By `performance.now()`. */
  readonly freshUntil: number;
  readonly isPrivate: boolean;
  /** Headers that ask whether it is still the same; undefined where it must be sent again. */
  readonly validators: Readonly<Record<string, string>> | undefined;
}

export type SiteAnswer =
  | { readonly ok: true; readonly kept: KeptAnswer }
  /** Any other status, with the beginning of what was said. */
  | { readonly ok: false; readonly status: number; readonly type: string; readonly url: string; readonly text: string };

export interface SiteRequest {
  readonly signal?: AbortSignal | undefined;
  readonly maxBytes: number;
  readonly accept?: string;
  readonly kept?: KeptAnswer | undefined;
}

export interface SiteHttpOptions {
  readonly http: HttpClient;
  /** The origin that credentials are for. */
  readonly origin: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly token?: TokenOption | undefined;
  readonly deadlineMs: number;
}

export interface SiteHttp {
  /** Whether anything is sent that says who asks. */
  readonly authenticated: boolean;
  get(url: string, request: SiteRequest): Promise<SiteAnswer>;
}

export function siteHttp({ http, origin, headers = {}, token, deadlineMs }: SiteHttpOptions): SiteHttp {
  const credentials = createCredentials(token === undefined ? {} : { token });

  async function ask(url: string, { signal, maxBytes, accept = '*/*', kept }: SiteRequest): Promise<HttpAnswer> {
    const own = new URL(url).origin === origin;
    const authorization = own ? await credentials.header() : undefined;
    return http.request({
      url,
      maxBytes,
      deadlineMs,
      idempotent: true,
      headers: {
        ...(own ? headers : {}),
        ...(authorization === undefined ? {} : { authorization }),
        ...kept?.validators,
        accept,
      },
      // One signal ends all requests of a source; each gets one of its own to listen to.
      signal: signal === undefined ? undefined : AbortSignal.any([signal]),
    });
  }

  return {
    authenticated: credentials.given || Object.keys(headers).length > 0,
    async get(url, request) {
      let answer = await ask(url, request);
      const { status } = answer;
      const challenge = answer.headers['www-authenticate'];
      if (status === 401 && (await credentials.renew({ status, challenge }, new URL(url), http.fetch)))
        answer = await ask(url, request);
      if (answer.status === 304 && request.kept !== undefined)
        return { ok: true, kept: confirmed(request.kept, answer) };
      if (answer.status === 200) return { ok: true, kept: keptAnswer(answer) };
      const text = new TextDecoder().decode(answer.body.subarray(0, 4 * limits.messages.quotedCharacters));
      return { ok: false, status: answer.status, type: typeOf(answer), url: answer.url, text };
    },
  };
}

/** The media type without its parameters. */
function typeOf({ headers }: HttpAnswer): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function keptAnswer(answer: HttpAnswer): KeptAnswer {
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

/** The same content, for as long as the confirmation says. */
function confirmed(kept: KeptAnswer, answer: HttpAnswer): KeptAnswer {
  const { ms, isPrivate } = freshnessOf(answer.headers, limits.site.ttlMs);
  return { ...kept, url: answer.url, freshUntil: performance.now() + ms, isPrivate: isPrivate || kept.isPrivate };
}
