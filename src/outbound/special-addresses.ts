/**
 * Address blocks that no public skill server uses. Data only; `address-rules.ts` decides with it.
 *
 * Sources:
 * - every row of the IANA IPv4 and IPv6 Special-Purpose Address Registries, both as updated on 2025-10-09
 *   (https://www.iana.org/assignments/iana-ipv4-special-registry and …/iana-ipv6-special-registry)
 * - blocks of other registries and standards that lead to no public server
 * - services that clouds offer inside their network
 *
 * Some rows are "globally reachable" in the registry: anycast services such as AS112. They do not serve HTTP, so they
 * are blocked too.
 */

export interface SpecialAddresses {
  /** In CIDR notation. */
  readonly block: string;
  readonly name: string;
  readonly source: string;
}

const row = (block: string, name: string, source: string): SpecialAddresses => ({ block, name, source });

/** Every row of the IPv4 registry, in its order. */
const ipv4Registry = [
  row('0.0.0.0/8', 'This network', 'RFC 791, 3.2'),
  row('0.0.0.0/32', 'This host on this network', 'RFC 1122, 3.2.1.3'),
  row('10.0.0.0/8', 'Private use', 'RFC 1918'),
  row('100.64.0.0/10', 'Shared address space', 'RFC 6598'),
  row('127.0.0.0/8', 'Loopback', 'RFC 1122, 3.2.1.3'),
  row('169.254.0.0/16', 'Link local', 'RFC 3927'),
  row('172.16.0.0/12', 'Private use', 'RFC 1918'),
  row('192.0.0.0/24', 'IETF protocol assignments', 'RFC 6890, 2.1'),
  row('192.0.0.0/29', 'IPv4 service continuity prefix', 'RFC 7335'),
  row('192.0.0.8/32', 'IPv4 dummy address', 'RFC 7600'),
  row('192.0.0.9/32', 'Port Control Protocol anycast', 'RFC 7723'),
  row('192.0.0.10/32', 'TURN anycast', 'RFC 8155'),
  row('192.0.0.170/32', 'NAT64/DNS64 discovery', 'RFC 8880, RFC 7050, 2.2'),
  row('192.0.0.171/32', 'NAT64/DNS64 discovery', 'RFC 8880, RFC 7050, 2.2'),
  row('192.0.2.0/24', 'Documentation (TEST-NET-1)', 'RFC 5737'),
  row('192.31.196.0/24', 'AS112-v4', 'RFC 7535'),
  row('192.52.193.0/24', 'AMT', 'RFC 7450'),
  row('192.88.99.0/24', 'Deprecated (6to4 relay anycast)', 'RFC 7526'),
  row('192.88.99.2/32', '6a44 relay anycast', 'RFC 6751'),
  row('192.168.0.0/16', 'Private use', 'RFC 1918'),
  row('192.175.48.0/24', 'Direct delegation AS112 service', 'RFC 7534'),
  row('198.18.0.0/15', 'Benchmarking', 'RFC 2544'),
  row('198.51.100.0/24', 'Documentation (TEST-NET-2)', 'RFC 5737'),
  row('203.0.113.0/24', 'Documentation (TEST-NET-3)', 'RFC 5737'),
  row('240.0.0.0/4', 'Reserved', 'RFC 1112, 4'),
  row('255.255.255.255/32', 'Limited broadcast', 'RFC 8190, RFC 919, 7'),
];

/**
 * Every row of the IPv6 registry, in its order, except the two in `embeddingPrefixes`: IPv4-mapped addresses and the
 * well-known NAT64 prefix are judged by the IPv4 address inside.
 */
const ipv6Registry = [
  row('::1/128', 'Loopback address', 'RFC 4291'),
  row('::/128', 'Unspecified address', 'RFC 4291'),
  row('64:ff9b:1::/48', 'Local-use IPv4/IPv6 translation', 'RFC 8215'),
  row('100::/64', 'Discard-only address block', 'RFC 6666'),
  row('100:0:0:1::/64', 'Dummy IPv6 prefix', 'RFC 9780'),
  row('2001::/23', 'IETF protocol assignments', 'RFC 2928'),
  row('2001::/32', 'Teredo', 'RFC 4380, RFC 8190'),
  row('2001:1::1/128', 'Port Control Protocol anycast', 'RFC 7723'),
  row('2001:1::2/128', 'TURN anycast', 'RFC 8155'),
  row('2001:1::3/128', 'DNS-SD service registration protocol anycast', 'RFC 9665'),
  row('2001:2::/48', 'Benchmarking', 'RFC 5180'),
  row('2001:3::/32', 'AMT', 'RFC 7450'),
  row('2001:4:112::/48', 'AS112-v6', 'RFC 7535'),
  row('2001:10::/28', 'Deprecated (previously ORCHID)', 'RFC 4843'),
  row('2001:20::/28', 'ORCHIDv2', 'RFC 7343'),
  row('2001:30::/28', 'Drone remote ID protocol entity tags', 'RFC 9374'),
  row('2001:db8::/32', 'Documentation', 'RFC 3849'),
  row('2002::/16', '6to4', 'RFC 3056'),
  row('2620:4f:8000::/48', 'Direct delegation AS112 service', 'RFC 7534'),
  row('3fff::/20', 'Documentation', 'RFC 9637'),
  row('5f00::/16', 'Segment routing (SRv6) SIDs', 'RFC 9602'),
  row('fc00::/7', 'Unique local', 'RFC 4193, RFC 8190'),
  row('fe80::/10', 'Link-local unicast', 'RFC 4291'),
];

/** Blocks that are special by another registry or standard. */
const otherStandards = [
  row('224.0.0.0/4', 'Multicast', 'RFC 5771'),
  row('::/96', 'IPv4-compatible addresses, deprecated', 'RFC 4291, 2.5.5.1'),
  row('::ffff:0:0:0/96', 'IPv4-translated addresses (SIIT)', 'RFC 2765'),
  row('fec0::/10', 'Site local, deprecated', 'RFC 3879'),
  row('ff00::/8', 'Multicast', 'RFC 4291, 2.7'),
];

/**
 * Services that clouds offer to their machines; some return credentials. Most lie in blocks above. They are listed so
 * that a change to those blocks cannot open them.
 */
const cloudServices = [
  row('168.63.129.16/32', 'Azure wire server', 'Microsoft: What is IP address 168.63.129.16?'),
  row('169.254.169.254/32', 'Instance metadata of most clouds', 'AWS: Instance metadata service'),
  row('169.254.170.2/32', 'Task metadata and credentials', 'AWS: Amazon ECS task metadata'),
  row('169.254.170.23/32', 'Pod credentials', 'AWS: EKS Pod Identity'),
  row('100.100.100.200/32', 'Instance metadata', 'Alibaba Cloud: Instance metadata'),
  row('192.0.0.192/32', 'Instance metadata', 'Oracle Cloud Classic: Instance metadata'),
  row('fd00:ec2::254/128', 'Instance metadata', 'AWS: Instance metadata service'),
  row('fd00:ec2::23/128', 'Pod credentials', 'AWS: EKS Pod Identity'),
  row('fd20:ce::254/128', 'Instance metadata', 'Google Cloud: VM metadata'),
];

export const specialAddresses: readonly SpecialAddresses[] = [
  ...ipv4Registry,
  ...ipv6Registry,
  ...otherStandards,
  ...cloudServices,
];

/**
 * IPv6 addresses that are judged by the IPv4 address in their last 32 bits. IPv6-only networks reach the whole public IPv4 Internet through
 * NAT64, so that prefix cannot be blocked as a whole.
 */
export const embeddingPrefixes: readonly SpecialAddresses[] = [
  row('::ffff:0:0/96', 'IPv4-mapped address', 'RFC 4291'),
  row('64:ff9b::/96', 'IPv4/IPv6 translation (NAT64)', 'RFC 6052'),
];

/** All unicast addresses assigned so far (IANA IPv6 Address Space registry). Everything else is blocked. */
export const globalUnicast = '2000::/3';
