/**
 * Identifies the sender of a request: whether it is local, and whether it comes from our own page. All surfaces use this answer.
 *
 * A sender is local if server, connection and requested host are all loopback, and nothing indicates a proxy. A proxy that rewrites the
 * host, adds no header and speaks HTTP/1.1 looks like a local program, unless it is trusted.
 */
import type { IncomingMessage } from 'node:http';
import type { Sender } from '../../surfaces/sender.ts';
import { networkOf } from './address-caps.ts';
import { isAddress, isLoopback, isWildcard, ownNames, parseHost } from './host-names.ts';
import { createTrustedProxies } from './trusted-proxies.ts';

export interface SenderOptions {
  /** The address on which the server listens. */
  readonly host: string;
  /** Public scheme and host, if configured: `https://skills.example.com`. */
  readonly publicUrl?: (() => string | undefined) | undefined;
  /** Addresses or CIDR ranges of trusted reverse proxies. */
  readonly trustedProxies?: readonly string[] | undefined;
}

/** Headers that reverse proxies, load balancers and CDNs add, and clients do not. */
const proxyHeaders: ReadonlySet<string> = new Set([
  'cdn-loop',
  'client-ip',
  'fastly-client-ip',
  'forwarded',
  'true-client-ip',
  'via',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-forwarded',
  'x-original-host',
  'x-real-ip',
]);
const proxyPrefixes = ['x-forwarded-', 'x-original-forwarded-', 'x-envoy-', 'cf-'];

function showsProxy({ headers, httpVersion }: IncomingMessage): boolean {
  // nginx uses HTTP/1.0 by default and adds no header. Current clients do not use it.
  if (httpVersion === '1.0') return true;
  for (const name in headers)
    if (proxyHeaders.has(name) || proxyPrefixes.some((prefix) => name.startsWith(prefix))) return true;
  return false;
}

/** The scheme that the client used, according to the proxy. */
function forwardedScheme({ headers }: IncomingMessage): string | undefined {
  const [proto] = [headers['x-forwarded-proto'] ?? []].flat();
  const stated = proto?.split(',', 1)[0] ?? /(?:^|[;,\s])proto="?(https?)\b/i.exec(headers.forwarded ?? '')?.[1];
  const scheme = stated?.trim().toLowerCase();
  return scheme === 'http' || scheme === 'https' ? scheme : undefined;
}

function originOf(scheme: string, host: string): string | undefined {
  const text = `${scheme}://${host}`;
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

function isFromLoopback({ socket }: IncomingMessage): boolean {
  return isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, ''));
}

export function createSenderReader({ host: bound, publicUrl, trustedProxies = [] }: SenderOptions) {
  const proxies = createTrustedProxies(trustedProxies);
  const listensLocally = isLoopback(bound);
  const names = new Set(ownNames(bound));

  /** True if the host is our own address, not a name that may belong to a proxy. */
  function isDirect(host: string): boolean {
    const name = parseHost(host)?.name;
    return name !== undefined && (names.has(name) || (isWildcard(bound) && isAddress(name)));
  }

  /** We serve no TLS, but a proxy may do so under another name. If it sends no scheme, both are possible. */
  function ownOrigins(message: IncomingMessage, host: string): readonly (string | undefined)[] {
    const announced = publicUrl?.();
    const known = announced === undefined || !URL.canParse(announced) ? undefined : new URL(announced);
    if (known !== undefined && originOf(known.protocol.slice(0, -1), host) === known.origin) return [known.origin];
    const scheme = forwardedScheme(message) ?? (isDirect(host) ? 'http' : undefined);
    return (scheme === undefined ? ['http', 'https'] : [scheme]).map((one) => originOf(one, host));
  }

  function isOwnOrigin(message: IncomingMessage, webOrigin: string): boolean {
    const { host } = message.headers;
    return host !== undefined && ownOrigins(message, host).includes(webOrigin);
  }

  return {
    /** True if the Origin header names the address that the client uses for this server. The scheme counts. */
    isOwnOrigin,
    /** True if the address belongs to a trusted proxy, which speaks for many clients. */
    isTrustedProxy: proxies.has,
    /** The address that limits count: of the client if a trusted proxy names it, else of the connection. */
    countedAddress: (message: IncomingMessage) => proxies.clientOf(message) ?? message.socket.remoteAddress,
    sender(message: IncomingMessage): Sender {
      const { host = '', origin: webOrigin } = message.headers;
      const named = isLoopback(parseHost(host)?.name ?? '');
      const fromLoopback = isFromLoopback(message);
      const trusted = proxies.has(message.socket.remoteAddress);
      const proxied = trusted || showsProxy(message) || (fromLoopback && !named);
      const client = trusted ? proxies.clientOf(message) : proxied ? undefined : message.socket.remoteAddress;
      return {
        client: client === undefined ? undefined : networkOf(client),
        local: listensLocally && fromLoopback && named && !proxied,
        page: webOrigin === undefined ? 'none' : isOwnOrigin(message, webOrigin) ? 'own' : 'other',
      };
    },
  };
}
