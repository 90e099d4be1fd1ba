/**
 * Who may talk to a server that listens on this machine. A page in a browser can send requests to any address, also to
 * loopback, and a name that its owner points at this machine makes them look as if they were for us. So a request must name
 * a host that is ours, and one that a page sent must come from a page that we allow. Nothing else is done before.
 *
 * Requests without `Origin` are not from pages. Hosts are compared without port unless the allowed one has a port.
 */
import type { IncomingMessage } from 'node:http';
import { isForOwnPages, rootPath, runtimesPath } from '../../surfaces/routes.ts';
import { type HostName, isAddress, isWildcard, ownNames, parseHost } from './host-names.ts';
import { createSenderReader, type SenderOptions } from './senders.ts';

export interface GuardOptions extends SenderOptions {
  /** More names, with or without port: `skills.example.com`, `intranet:8080`. */
  readonly allowedHosts?: readonly string[];
  /** More web origins, exactly: `https://inspector.example.com`. */
  readonly allowedOrigins?: readonly string[];
}

export type Verdict =
  /** `origin` where a page asks that may read the answer. */
  | { readonly allowed: true; readonly host: string; readonly origin?: string }
  | { readonly allowed: false; readonly reason: string };

const anyAddress = 'any IP address';

/** The hosts that requests may name, in words for a person. */
export function answeredHosts({ host, allowedHosts = [] }: GuardOptions): readonly string[] {
  const own = isWildcard(host) ? [anyAddress, 'localhost'] : ownNames(host);
  return [...new Set([...own, ...allowedHosts])];
}

function matches(host: HostName, allowed: HostName): boolean {
  return host.name === allowed.name && (allowed.port === '' || allowed.port === host.port);
}

/** How often a header was sent. Of some the system keeps only the first. */
export function timesSent({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] as string;
    if (sent.length === name.length && sent.toLowerCase() === name) count++;
  }
  return count;
}

/** A WebSocket is always a runtime's. */
export type Purpose = 'request' | 'socket';

export type Guard = (message: IncomingMessage, purpose?: Purpose) => Verdict;

/**
 * Whether only our own pages, and those of `--allowed-origin`, may ask for this: the data of the page, the state of the server, and
 * lists of runtimes. Runtimes that live in pages of this machine still connect.
 */
function asksForOwnPages(target = rootPath): boolean {
  const text = `http://localhost${target}`;
  // As the routes read it: dots and backslashes are resolved.
  const pathname = URL.canParse(text) ? new URL(text).pathname : undefined;
  return pathname === undefined || isForOwnPages(pathname);
}

export function createGuard(options: GuardOptions): Guard {
  const { isOwnOrigin } = createSenderReader(options);
  const wildcard = isWildcard(options.host);
  const names = [...ownNames(options.host), ...(options.allowedHosts ?? [])];
  const allowedHosts = names.map(parseHost).filter((host) => host !== undefined);
  const allowedOrigins = new Set(options.allowedOrigins ?? []);
  const named = (host: HostName): boolean => allowedHosts.some((allowed) => matches(host, allowed));

  function isOurs(host: HostName): boolean {
    // Listening everywhere, we cannot know all our addresses; but only names can be pointed at us by others.
    return named(host) || (wildcard && isAddress(host.name));
  }

  /** Pages of other ports of our names may use what programs use, and nothing that shows the server itself. */
  function allowsOrigin(message: IncomingMessage, origin: string, purpose: Purpose): boolean {
    if (allowedOrigins.has(origin) || isOwnOrigin(message, origin)) return true;
    if (!URL.canParse(origin)) return false;
    const url = new URL(origin);
    if (url.origin !== origin || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
    const from = parseHost(url.host);
    if (from === undefined || !named(from)) return false;
    return purpose === 'socket' || !asksForOwnPages(message.url);
  }

  /** The last Host header that was found to be ours: nearly all clients send the same. */
  let known: string | undefined;

  return (message, purpose = 'request') => {
    const { host: text } = message.headers;
    if (text === undefined || timesSent(message, 'host') > 1)
      return { allowed: false, reason: 'the request must have one Host header' };
    if (text !== known) {
      const host = parseHost(text);
      if (host === undefined || !isOurs(host))
        return { allowed: false, reason: `the host "${text}" is not served here; allow it with --allowed-host` };
      known = text;
    }
    if (message.url?.startsWith('/') !== true && message.url !== '*')
      return { allowed: false, reason: 'the request target must be a path' };
    if (message.headers.origin === undefined) return { allowed: true, host: text };
    const origins = message.headersDistinct.origin ?? [];
    const [origin = ''] = origins;
    if (origins.length > 1 || !allowsOrigin(message, origin, purpose))
      return {
        allowed: false,
        reason: `pages of the origin "${origin}" may not use this server; allow it with --allowed-origin`,
      };
    return { allowed: true, host: text, origin };
  };
}

const requestHeaders = [
  'accept',
  'authorization',
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'x-mdp-session-id',
].join(', ');

/** What lets an allowed page read our answers. Never `*`: the list of allowed origins is the point. */
export function corsHeaders(origin: string | undefined): Record<string, string> {
  if (origin === undefined) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate',
  };
}

/** The answer to a browser that asks beforehand, or undefined where the request is none of that kind. */
export function preflightResponse(
  method: string | undefined,
  requested: string | undefined,
  path = rootPath,
): Response | undefined {
  if (method !== 'OPTIONS' || requested === undefined) return undefined;
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': requestHeaders,
      'access-control-max-age': '600',
      // The only cookie of this server is the ticket of `/mdp/auth`.
      ...(path.startsWith(runtimesPath) ? { 'access-control-allow-credentials': 'true' } : {}),
    },
  });
}
