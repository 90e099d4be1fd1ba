/** Types of the guarded client: requests and responses. */
import type { IncomingHttpHeaders } from 'node:http';

export interface HttpRequest {
  readonly url: string | URL;
  /** Default `GET`. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Largest accepted response body. */
  readonly maxBytes?: number;
  /** Covers redirects, retries and the body. Waiting for a request slot does not count. */
  readonly deadlineMs?: number;
  /** The request may be retried: repeating it does no harm. */
  readonly idempotent?: boolean;
  /** Receives each part of the body and returns true if no more is needed. Not for streams. */
  readonly until?: (part: Uint8Array, headers: IncomingHttpHeaders) => boolean;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** The final URL, after redirects. */
  readonly url: string;
}

export interface HttpStreamAnswer extends Omit<HttpAnswer, 'body'> {
  /**
   * The body, read from the network no faster than the caller reads it. Errors when a limit is exceeded. Must be read
   * or canceled.
   */
  readonly body: ReadableStream<Uint8Array>;
}

export interface HttpClient {
  /** Returns the address as messages show it. Throws ADDRESS_BLOCKED or USAGE if it may not be fetched. */
  check(url: string | URL): string;
  /**
   * The addresses that a request to this host would use, for programs that connect by themselves. Throws as a request
   * does.
   */
  resolve(hostname: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** Resolves for any HTTP status. Throws only if no response arrives. */
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** Like `request`, but the caller reads the body. */
  stream(request: Omit<HttpRequest, 'until'>): Promise<HttpStreamAnswer>;
  /** For libraries that use the Fetch API. Never retries. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Closes idle connections. Running requests finish. */
  close(): void;
}
