/**
 * The host and port under which a server can be reached, for its address to be shown and used. Where all addresses are
 * listened on there is none of its own: then the first host that was allowed, else the first address that others reach
 * (IPv4 before IPv6), else loopback.
 */
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import type { GuardOptions } from './guards.ts';
import { isWildcard, urlHost } from './host-names.ts';

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** `host:port` as it stands in a URL. */
export function reachableHost(
  { host, allowedHosts = [] }: GuardOptions,
  port: number,
  interfaces: Interfaces = networkInterfaces(),
): string {
  if (!isWildcard(host)) return `${urlHost(host)}:${port}`;
  const [named] = allowedHosts;
  // A host that is allowed with a port is answered with that port only.
  if (named !== undefined) return /:\d+$/.test(named) ? named : `${named}:${port}`;
  const acceptsIPv6 = urlHost(host) === '[::]';
  const outside = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal }) => !internal);
  const address =
    outside.find(({ family }) => family === 'IPv4') ??
    // Link-local addresses need a zone, which URLs do not have.
    outside.find(({ family, address: text }) => acceptsIPv6 && family === 'IPv6' && !/^fe[89ab]/i.test(text));
  return `${urlHost(address?.address ?? (acceptsIPv6 ? '::1' : '127.0.0.1'))}:${port}`;
}
