/**
 * Who sent a request: the one place that decides who is local and which page is our own. All surfaces use its answer.
 *
 * A sender is local if the server listens on loopback, the connection comes from loopback, the request names a loopback host, and
 * nothing shows a proxy. A proxy that changes the host, adds no header and speaks HTTP/1.1 looks like a local program.
 */
import type { IncomingMessage } from 'node:http';
import type { Sender } from '../../surfaces/sender.ts';
import { networkOf } from './address-caps.ts';
import { isAddress, isLoopback, isWildcard, ownNames, parseHost } from './host-names.ts';

export interface SenderOptions {
  /** The address that is listened on. */
  readonly host: string;
  /** Scheme and host under which clients reach the server, if the operator says so: `https://skills.example.com`. */
  readonly publicUrl?: (() => string | undefined) | undefined;
}

export interface SenderReader {
  sender(message: IncomingMessage): Sender;
  /** Whether the origin is the one under which the client addresses this server. The scheme counts. */
  isOwnOrigin(message: IncomingMessage, origin: string): boolean;
}

/** Headers that reverse proxies, load balancers and delivery networks add. Clients have no use for them. */
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
  // nginx speaks this to servers unless it is told otherwise, and adds no header. Clients of today do not.
  if (httpVersion === '1.0') return true;
  for (const name in headers)
    if (proxyHeaders.has(name) || proxyPrefixes.some((prefix) => name.startsWith(prefix))) return true;
  return false;
}

/** The scheme that the client used, as the proxy before us says. */
function forwardedScheme({ headers }: IncomingMessage): string | undefined {
  const [proto] = [headers['x-forwarded-proto'] ?? []].flat();
  const said = proto?.split(',', 1)[0] ?? /(?:^|[;,\s])proto="?(https?)\b/i.exec(headers.forwarded ?? '')?.[1];
  const scheme = said?.trim().toLowerCase();
  return scheme === 'http' || scheme === 'https' ? scheme : undefined;
}

function originOf(scheme: string, host: string): string | undefined {
  const text = `${scheme}://${host}`;
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

function isFromLoopback({ socket }: IncomingMessage): boolean {
  return isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, ''));
}

export function createSenderReader({ host: bound, publicUrl }: SenderOptions): SenderReader {
  const listensLocally = isLoopback(bound);
  const names = new Set(ownNames(bound));

  /** Whether the host names our address, and not a name under which a proxy may stand. */
  function isDirect(host: string): boolean {
    const name = parseHost(host)?.name;
    return name !== undefined && (names.has(name) || (isWildcard(bound) && isAddress(name)));
  }

  /** We serve no TLS ourselves. A proxy may, for a name that is not that of our address; if it says nothing, both are possible. */
  function ownOrigins(message: IncomingMessage, host: string): readonly (string | undefined)[] {
    const announced = publicUrl?.();
    const known = announced === undefined || !URL.canParse(announced) ? undefined : new URL(announced);
    if (known !== undefined && originOf(known.protocol.slice(0, -1), host) === known.origin) return [known.origin];
    const scheme = forwardedScheme(message) ?? (isDirect(host) ? 'http' : undefined);
    return (scheme === undefined ? ['http', 'https'] : [scheme]).map((one) => originOf(one, host));
  }

  function isOwnOrigin(message: IncomingMessage, origin: string): boolean {
    const { host } = message.headers;
    return host !== undefined && ownOrigins(message, host).includes(origin);
  }

  return {
    isOwnOrigin,
    sender(message) {
      const { host = '', origin } = message.headers;
      const named = isLoopback(parseHost(host)?.name ?? '');
      const fromLoopback = isFromLoopback(message);
      const proxied = showsProxy(message) || (fromLoopback && !named);
      return {
        client: proxied ? undefined : networkOf(message.socket.remoteAddress),
        local: listensLocally && fromLoopback && named && !proxied,
        page: origin === undefined ? 'none' : isOwnOrigin(message, origin) ? 'own' : 'other',
      };
    },
  };
}
