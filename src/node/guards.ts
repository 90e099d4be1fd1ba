/**
 * Who may talk to a server that listens on this machine. A page in a browser can send requests to any address, also to
 * loopback, and a name that its owner points at this machine makes them look as if they were for us. So a request must name
 * a host that is ours, and one that a page sent must come from a page that we allow. Nothing else is done before.
 *
 * Requests without `Origin` are not from pages. Hosts are compared without port unless the allowed one has a port.
 */
import type { IncomingMessage } from 'node:http';

export interface GuardOptions {
  /** The address that is listened on. */
  readonly host: string;
  /** More names, with or without port: `skills.example.com`, `intranet:8080`. */
  readonly allowedHosts?: readonly string[];
  /** More web origins, exactly: `https://inspector.example.com`. */
  readonly allowedOrigins?: readonly string[];
}

export type Verdict =
  /** `origin` where a page asks that may read the answer. */
  | { readonly allowed: true; readonly host: string; readonly origin?: string }
  | { readonly allowed: false; readonly reason: string };

interface HostName {
  /** Lower case; IPv6 addresses in brackets. */
  readonly name: string;
  readonly port: string;
}

const anyAddress = 'any IP address';
const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];
const wildcards = ['0.0.0.0', '[::]'];

/** The address as it stands in a URL. */
export function urlHost(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').toLowerCase();
  return bare.includes(':') ? `[${bare}]` : bare;
}

export function isLoopback(address: string): boolean {
  const host = urlHost(address);
  return loopbackNames.includes(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** True for the addresses that stand for all addresses of a machine. */
export function isWildcard(address: string): boolean {
  return wildcards.includes(urlHost(address));
}

/** The hosts that requests may name, in words for a person. */
export function answeredHosts({ host, allowedHosts = [] }: GuardOptions): readonly string[] {
  const own = isWildcard(host) ? [anyAddress, 'localhost'] : ownNames(host);
  return [...new Set([...own, ...allowedHosts])];
}

function ownNames(address: string): readonly string[] {
  const bound = urlHost(address);
  return isLoopback(bound) || isWildcard(bound) ? [bound, ...loopbackNames] : [bound];
}

function parseHost(text: string): HostName | undefined {
  if (!/^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/.test(text)) return undefined;
  const end = text.lastIndexOf(':');
  const hasPort = end > text.lastIndexOf(']') && end !== -1;
  const name = hasPort ? text.slice(0, end) : text;
  const port = hasPort ? text.slice(end + 1) : '';
  return Number(port) > 65_535 ? undefined : { name: name.toLowerCase(), port };
}

function isAddress(name: string): boolean {
  return name.startsWith('[') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name);
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

export function createGuard(options: GuardOptions): (message: IncomingMessage) => Verdict {
  const wildcard = isWildcard(options.host);
  const names = [...ownNames(options.host), ...(options.allowedHosts ?? [])];
  const allowedHosts = names.map(parseHost).filter((host) => host !== undefined);
  const allowedOrigins = new Set(options.allowedOrigins ?? []);
  const named = (host: HostName): boolean => allowedHosts.some((allowed) => matches(host, allowed));

  function isOurs(host: HostName): boolean {
    // Listening everywhere, we cannot know all our addresses; but only names can be pointed at us by others.
    return named(host) || (wildcard && isAddress(host.name));
  }

  function allowsOrigin(origin: string, host: string): boolean {
    if (allowedOrigins.has(origin)) return true;
    if (!URL.canParse(origin)) return false;
    const url = new URL(origin);
    if (url.origin !== origin || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
    const from = parseHost(url.host);
    return from !== undefined && (named(from) || url.host === host.toLowerCase());
  }

  /** The last Host header that was found to be ours: nearly all clients send the same. */
  let known: string | undefined;

  return (message) => {
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
    if (origins.length > 1 || !allowsOrigin(origin, text))
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
  path = '/',
): Response | undefined {
  if (method !== 'OPTIONS' || requested === undefined) return undefined;
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': requestHeaders,
      'access-control-max-age': '600',
      // The only cookie of this server is the ticket of `/mdp/auth`.
      ...(path.startsWith('/mdp/') ? { 'access-control-allow-credentials': 'true' } : {}),
    },
  });
}
