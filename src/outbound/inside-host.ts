/** Whether the name of a host alone tells that it is this machine or in a private network. What a name leads to is checked when it is connected to. */
import { isIP } from 'node:net';
import { bareHost, isLoopbackHost, isPrivateAddress } from './address-rules.ts';

/** Names that no public server has (RFC 6761, 6762, 8375, 9476 and what routers and companies use). */
const insideSuffixes = [
  'local',
  'localhost',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'alt',
];

export function isInsideHost(hostname: string): boolean {
  const host = bareHost(hostname).toLowerCase().replace(/\.$/, '');
  if (isIP(host) !== 0) return isPrivateAddress(host);
  if (isLoopbackHost(host) || !host.includes('.')) return true;
  return insideSuffixes.some((suffix) => host.endsWith(`.${suffix}`));
}
