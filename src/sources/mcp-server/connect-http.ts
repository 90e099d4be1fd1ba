/** An MCP server at an address: the modern revision if the server knows it, else the older way. */
import { limits } from '../../limits.ts';
import { createHttpClient, type HttpClientOptions } from '../../outbound/http-client.ts';
import { createRequestSlots } from '../../outbound/request-slots.ts';
import { type CredentialOptions, createCredentials } from './http-credentials.ts';
import { modernRefused } from './introduction.ts';
import { connectLegacyHttp } from './legacy-http-wire.ts';
import { connectModernHttp, type HttpPlace } from './modern-http-wire.ts';
import { type ClientManner, clientInfo, type EraOption } from './protocol.ts';
import type { Wire } from './wire.ts';

export interface HttpOriginOptions extends CredentialOptions {
  readonly url: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Allow plain http to other machines. */
  readonly insecureHttp?: boolean;
  /** Whether the host may be in a private network, because the user named it. Default true. */
  readonly namedByUser?: boolean;
  /** Requests in flight at once. Default: what the whole process allows, and four of them. */
  readonly concurrency?: number;
  /** Replaces the system's name lookup. */
  readonly lookup?: NonNullable<HttpClientOptions['lookup']>;
}

export interface HttpOrigin {
  /** For messages: the address without its query. */
  readonly name: string;
  connect(era: EraOption, options: { readonly deadlineMs: number; readonly signal?: AbortSignal }): Promise<Wire>;
  close(): void;
}

/** Throws ADDRESS_BLOCKED or USAGE at once where the address may not be used. */
export function httpOrigin(options: HttpOriginOptions, deadlineMs: number, manner: ClientManner): HttpOrigin {
  const typed = String(options.url);
  const { concurrency, insecureHttp, lookup, namedByUser = true } = options;
  const client = createHttpClient({
    ...(namedByUser && URL.canParse(typed) ? { trustedHost: new URL(typed).hostname } : {}),
    insecureHttp,
    lookup,
    slots: concurrency === undefined ? undefined : createRequestSlots(concurrency, concurrency),
    userAgent: `${clientInfo.name}/${clientInfo.version}`,
    maxBytes: limits.origin.lineBytes,
    deadlineMs,
  });
  const name = client.check(typed);
  const headers = Object.fromEntries(
    Object.entries(options.headers ?? {}).map(([key, value]) => [key.toLowerCase(), value]),
  );
  const place: HttpPlace = { url: typed, client, credentials: createCredentials(options), headers, manner };
  return {
    name,
    async connect(era, asked) {
      if (era === 'legacy') return connectLegacyHttp(place, asked);
      const found = await connectModernHttp(place, { ...asked, maxBytes: limits.origin.pageBytes });
      if (found !== 'legacy') return found;
      if (era === 'modern') throw modernRefused();
      return connectLegacyHttp(place, asked);
    },
    close: () => client.close(),
  };
}
