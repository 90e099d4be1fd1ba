/** The address of a server, and the host names and addresses in requests. */

import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import type { ServeLimits } from './server-caps.ts';

/** The address to listen on, and the hosts and web origins that may send requests. */
export interface ServeHttpOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Host names that clients may use, besides the address itself. */
  readonly allowedHosts?: readonly string[];
  /** Web origins whose pages may use this server. */
  readonly allowedOrigins?: readonly string[];
  /** Addresses or CIDR ranges of reverse proxies whose `X-Forwarded-For` names the client. Limits per address then count clients. */
  readonly trustedProxies?: readonly string[];
  /** Listen beyond loopback even though everybody who reaches the port can read everything. */
  readonly allowUnauthenticatedRemote?: boolean;
  /** The name of this server in metrics and `/status`. Default: the host name. */
  readonly replica?: string;
  /** Most connections, streams and sessions at a time. */
  readonly limits?: ServeLimits | undefined;
  /** Archive format of skills with several files at `/.well-known/agent-skills/`. Default `tar.gz`. */
  readonly archiveFormat?: ArchiveFormat;
}

export interface HostName {
  /** Lower case; IPv6 addresses in brackets. */
  readonly name: string;
  readonly port: string;
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];
const wildcards = ['0.0.0.0', '[::]'];

/** The address as written in a URL. */
export function urlHost(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').toLowerCase();
  return bare.includes(':') ? `[${bare}]` : bare;
}

export function isLoopback(address: string): boolean {
  const host = urlHost(address);
  return loopbackNames.includes(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** True for addresses that mean all addresses of a machine. */
export function isWildcard(address: string): boolean {
  return wildcards.includes(urlHost(address));
}

export function ownNames(address: string): readonly string[] {
  const bound = urlHost(address);
  return isLoopback(bound) || isWildcard(bound) ? [bound, ...loopbackNames] : [bound];
}

export function parseHost(text: string): HostName | undefined {
  if (!/^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/.test(text)) return undefined;
  const end = text.lastIndexOf(':');
  const hasPort = end > text.lastIndexOf(']') && end !== -1;
  const name = hasPort ? text.slice(0, end) : text;
  const port = hasPort ? text.slice(end + 1) : '';
  return Number(port) > 65_535 ? undefined : { name: name.toLowerCase(), port };
}

export function isAddress(name: string): boolean {
  return name.startsWith('[') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name);
}

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/**
 * `host:port` of a URL under which the server can be reached. If it listens on all addresses: the first allowed host, else the first external
 * address (IPv4 before IPv6), else loopback.
 */
export function reachableHost(
  { host, allowedHosts = [] }: Pick<ServeHttpOptions, 'host' | 'allowedHosts'>,
  port: number,
  interfaces: Interfaces = networkInterfaces(),
): string {
  if (!isWildcard(host)) return `${urlHost(host)}:${port}`;
  const [named] = allowedHosts;
  // A host that is allowed with a port is served on that port only.
  if (named !== undefined) return /:\d+$/.test(named) ? named : `${named}:${port}`;
  const acceptsIPv6 = urlHost(host) === '[::]';
  const outside = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal }) => !internal);
  const address =
    outside.find(({ family }) => family === 'IPv4') ??
    // Link-local addresses need a zone, which URLs cannot have.
    outside.find(({ family, address: text }) => acceptsIPv6 && family === 'IPv6' && !/^fe[89ab]/i.test(text));
  return `${urlHost(address?.address ?? (acceptsIPv6 ? '::1' : '127.0.0.1'))}:${port}`;
}
