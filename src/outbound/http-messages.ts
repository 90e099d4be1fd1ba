/** Requests and answers of the guarded client. */
import type { IncomingHttpHeaders } from 'node:http';

export interface HttpRequest {
  readonly url: string | URL;
  /** Default `GET`. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Largest body of the answer. */
  readonly maxBytes?: number;
  /** For everything together: redirects, retries, the body. Waiting for other requests does not count. */
  readonly deadlineMs?: number;
  /** Doing it twice does no harm: it may be retried. */
  readonly idempotent?: boolean;
  /** Sees each part of the body; true says that nothing more is needed. Not for streams. */
  readonly until?: (part: Uint8Array, headers: IncomingHttpHeaders) => boolean;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** Where the answer came from, after redirects. */
  readonly url: string;
}

export interface HttpStreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as it comes, no faster than it is read; fails where a limit is passed. Must be read or cancelled. */
  readonly body: ReadableStream<Uint8Array>;
  readonly url: string;
}

export interface HttpClient {
  /** The address as messages show it. Throws ADDRESS_BLOCKED or USAGE where it may not be fetched. */
  check(url: string | URL): string;
  /** The addresses that a request to this host would use, for programs that connect by themselves. Throws as a request does. */
  resolve(hostname: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** Any status is an answer; only what never became one throws. */
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** The same, but the body is read by the caller. */
  stream(request: Omit<HttpRequest, 'until'>): Promise<HttpStreamAnswer>;
  /** For libraries that want the Fetch API. Never retries. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Ends idle connections. Requests that run come to their end. */
  close(): void;
}
