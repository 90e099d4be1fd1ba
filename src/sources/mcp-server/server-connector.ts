/**
 * Connects to an MCP server: at an address, or as a program that it starts. Over HTTP, the modern revision is tried
 * first and the older ones are the fallback.
 */

import { limits } from '../../limits.ts';
import { createHttpClient, type HttpClientOptions } from '../../outbound/http-client.ts';
import { createRequestSlots } from '../../outbound/request-slots.ts';
import type { ChildCommand, StartChild } from './child-session.ts';
import { type CredentialOptions, createCredentials } from './http-credentials.ts';
import { modernRefused } from './introduction.ts';
import { connectLegacyHttp } from './legacy-http-wire.ts';
import { connectModernHttp, type HttpEndpoint } from './modern-http-wire.ts';
import { type ClientProfile, clientInfo, declaringClient, type EraOption, withExtension } from './protocol.ts';
import { connectStdio } from './stdio-wire.ts';
import type { Wire } from './wire.ts';

export interface CommandOriginOptions {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the few variables that every program needs. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Starts the process; sources cannot do that themselves. */
  readonly startChild: StartChild;
}

export type ServerLocation = HttpOriginOptions | CommandOriginOptions;

export interface ServerConnectOptions {
  /** Per step of connecting. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

/**
 * @param deadlineMs for requests without their own deadline
 * @param profile what this client declares about itself
 * @throws SkillwireError ADDRESS_BLOCKED or USAGE if the address may not be used
 */
export function serverConnector(place: ServerLocation, deadlineMs: number, manner: ClientProfile = declaringClient) {
  if (!('command' in place)) return { ...httpOrigin(place, deadlineMs, manner), startsProcess: false };
  const { command, args = [], env, cwd, startChild } = place;
  const child: ChildCommand = { command, args, env, cwd };
  return {
    /** The address without its query, or the command, for messages. */
    name: [command, ...args].join(' '),
    startsProcess: true,
    connect: (era: EraOption, options: ServerConnectOptions): Promise<Wire> =>
      connectStdio(child, startChild, { era, profile: manner, ...options }),
    /** Closes idle connections. Wires are closed by their owners. */
    close: (): void => {},
  };
}

export interface HttpOriginOptions extends CredentialOptions {
  readonly url: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Allow plain http to other machines. */
  readonly insecureHttp?: boolean;
  /** Whether the host may be on a private network, because the user named it. Default true. */
  readonly namedByUser?: boolean;
  /** Concurrent requests. Default: the limits of the process, four per origin. */
  readonly concurrency?: number;
  readonly lookup?: NonNullable<HttpClientOptions['lookup']>;
  /**
   * Sent as `traceparent` with each request.
   * @internal
   */
  readonly traceParent?: () => string | undefined;
}

export interface HttpOrigin {
  /** The address without its query, for messages. */
  readonly name: string;
  connect(era: EraOption, options: { readonly deadlineMs: number; readonly signal?: AbortSignal }): Promise<Wire>;
  close(): void;
}

/** Throws ADDRESS_BLOCKED or USAGE if the address may not be used. */
export function httpOrigin(options: HttpOriginOptions, deadlineMs: number, manner: ClientProfile): HttpOrigin {
  const typed = String(options.url);
  const { concurrency, insecureHttp, lookup, namedByUser = true, traceParent } = options;
  const client = createHttpClient({
    ...(namedByUser && URL.canParse(typed) ? { trustedHost: new URL(typed).hostname } : {}),
    insecureHttp,
    lookup,
    traceParent,
    slots: concurrency === undefined ? undefined : createRequestSlots(concurrency, concurrency),
    userAgent: `${clientInfo.name}/${clientInfo.version}`,
    maxBytes: limits.origin.lineBytes,
    deadlineMs,
  });
  const name = client.check(typed);
  const headers = Object.fromEntries(
    Object.entries(options.headers ?? {}).map(([key, value]) => [key.toLowerCase(), value]),
  );
  const credentials = createCredentials(options);
  const profile = credentials.extension === undefined ? manner : withExtension(manner, credentials.extension);
  const place: HttpEndpoint = { url: typed, client, credentials, headers, profile };
  return {
    name,
    async connect(era, options) {
      if (era === 'legacy') return connectLegacyHttp(place, options);
      const found = await connectModernHttp(place, { ...options, maxBytes: limits.origin.pageBytes });
      if (found !== 'legacy') return found;
      if (era === 'modern') throw modernRefused();
      return connectLegacyHttp(place, options);
    },
    close: () => client.close(),
  };
}
