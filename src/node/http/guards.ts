/**
 * Checks the `Host` and `Origin` headers before anything else. A web page can send requests to any address, even loopback, and an attacker
 * can point a host name at this machine (DNS rebinding). So a request must name an allowed host, and a request from a page must have an
 * allowed Origin header.
 *
 * Requests without an Origin header do not come from pages. Hosts are compared without port, unless the allowed host has a port.
 */
import type { IncomingMessage } from 'node:http';
import { isForOwnPages, rootPath, runtimesPath } from '../../surfaces/routes.ts';
import { type HostName, isAddress, isWildcard, ownNames, parseHost } from './host-names.ts';
import { createSenderReader, type SenderOptions } from './senders.ts';

export interface HttpGuardOptions extends SenderOptions {
  /** Additional hosts, with or without port: `skills.example.com`, `intranet:8080`. */
  readonly allowedHosts?: readonly string[];
  /** Additional web origins, exact: `https://inspector.example.com`. */
  readonly allowedOrigins?: readonly string[];
}

export type GuardVerdict =
  /** `webOrigin`: the page that may read the answer. */
  | { readonly allowed: true; readonly host: string; readonly webOrigin?: string }
  | { readonly allowed: false; readonly reason: string };

const anyAddress = 'any IP address';

/** The allowed hosts, as text for people. */
export function answeredHosts({ host, allowedHosts = [] }: HttpGuardOptions): readonly string[] {
  const own = isWildcard(host) ? [anyAddress, 'localhost'] : ownNames(host);
  return [...new Set([...own, ...allowedHosts])];
}

function matches(host: HostName, allowed: HostName): boolean {
  return host.name === allowed.name && (allowed.port === '' || allowed.port === host.port);
}

/** How often a header was sent. Node keeps only the first value of some headers. */
export function timesSent({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] as string;
    if (sent.length === name.length && sent.toLowerCase() === name) count++;
  }
  return count;
}

/** WebSockets are used by runtimes only. */
export type Purpose = 'request' | 'socket';

export type Guard = (message: IncomingMessage, purpose?: Purpose) => GuardVerdict;

/**
 * True if only our own pages and those of `--allowed-origin` may request the target: page data, server state and lists of runtimes.
 * Runtimes in pages of this machine can still connect.
 */
function asksForOwnPages(target = rootPath): boolean {
  const text = `http://localhost${target}`;
  // Resolves dots and backslashes as the routes do.
  const pathname = URL.canParse(text) ? new URL(text).pathname : undefined;
  return pathname === undefined || isForOwnPages(pathname);
}

export function createGuard(options: HttpGuardOptions): Guard {
  const { isOwnOrigin } = createSenderReader(options);
  const wildcard = isWildcard(options.host);
  const names = [...ownNames(options.host), ...(options.allowedHosts ?? [])];
  const allowedHosts = names.map(parseHost).filter((host) => host !== undefined);
  const allowedOrigins = new Set(options.allowedOrigins ?? []);
  const named = (host: HostName): boolean => allowedHosts.some((allowed) => matches(host, allowed));

  function isOurs(host: HostName): boolean {
    // On a wildcard address we cannot know all our addresses. Only host names can be pointed at us, so any address is fine.
    return named(host) || (wildcard && isAddress(host.name));
  }

  /** Pages on other ports of our hosts may use the routes for programs, but none that shows the server itself. */
  function allowsOrigin(message: IncomingMessage, webOrigin: string, purpose: Purpose): boolean {
    if (allowedOrigins.has(webOrigin) || isOwnOrigin(message, webOrigin)) return true;
    if (!URL.canParse(webOrigin)) return false;
    const url = new URL(webOrigin);
    if (url.origin !== webOrigin || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
    const from = parseHost(url.host);
    if (from === undefined || !named(from)) return false;
    return purpose === 'socket' || !asksForOwnPages(message.url);
  }

  /** The last accepted Host header; nearly all clients send the same one. */
  let known: string | undefined;

  return (message, purpose = 'request') => {
    const { host: text } = message.headers;
    if (text === undefined || timesSent(message, 'host') > 1)
      return { allowed: false, reason: 'The request must have exactly one Host header.' };
    if (text !== known) {
      const host = parseHost(text);
      if (host === undefined || !isOurs(host))
        return { allowed: false, reason: `The host "${text}" is not allowed. Allow it with --allowed-host.` };
      known = text;
    }
    if (message.url?.startsWith('/') !== true && message.url !== '*')
      return { allowed: false, reason: 'The request target must be a path.' };
    if (message.headers.origin === undefined) return { allowed: true, host: text };
    const origins = message.headersDistinct.origin ?? [];
    const [webOrigin = ''] = origins;
    if (origins.length > 1 || !allowsOrigin(message, webOrigin, purpose))
      return {
        allowed: false,
        reason: `Pages of "${webOrigin}" may not use this server. Allow them with --allowed-origin.`,
      };
    return { allowed: true, host: text, webOrigin };
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

/** CORS headers for an allowed page. Never `*`, which would allow every page. */
export function corsHeaders(webOrigin: string | undefined): Record<string, string> & { readonly vary: string } {
  if (webOrigin === undefined) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': webOrigin,
    'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate',
  };
}

/** The answer to a CORS preflight request; `undefined` for other requests. */
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
      // The only cookie for other sites is the ticket of `/mdp/auth`.
      ...(path.startsWith(runtimesPath) ? { 'access-control-allow-credentials': 'true' } : {}),
    },
  });
}
