/**
 * Which addresses may be fetched (sec:N-1 to N-5). Only http and https; plain http only to this machine, or where the user said
 * so; no credentials in URLs. Addresses that lead into this machine or its network are blocked as literals, in each answer
 * of a name lookup, and once more on the connected socket; except for the one host that the user typed, and for that host
 * only as long as it stays what it was at first: a public name that begins to lead into the private network is blocked.
 */
import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';

export interface AddressRulesOptions {
  /** The host that the user typed, as it stands in the URL; it may be private. */
  readonly trustedHost?: string;
  /** Allow http to other machines. */
  readonly insecureHttp?: boolean;
  /** Replaces the system's name lookup. */
  readonly lookup?: LookupFunction;
}

export interface AddressRules {
  /** The parsed URL. Throws ADDRESS_BLOCKED or USAGE. */
  check(url: string | URL): URL;
  /** A lookup that answers only with addresses that may be connected to. */
  readonly lookup: LookupFunction;
  /** Why a socket to this host must not be used, once its other end is known. */
  socketFault(hostname: string, remoteAddress: string | undefined): SkillwireError | undefined;
}

const privateRanges: readonly (readonly [network: string, prefix: number, family: 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 4, 'ipv4'],
  ['240.0.0.0', 4, 'ipv4'],
  // All of ::/96, which includes :: and ::1 and the old way to write IPv4 addresses.
  ['::', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['100::', 64, 'ipv6'],
  ['2001::', 23, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
];

const blocked = new BlockList();
for (const [network, prefix, family] of privateRanges) blocked.addSubnet(network, prefix, family);

/** True for addresses of this machine, of private networks, and for those that no public server has. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  const family = isIP(plain);
  if (family === 0) return true;
  const mapped = family === 6 ? /^(?:0{0,4}:){1,5}ffff:(.+)$/i.exec(plain)?.[1] : undefined;
  if (mapped !== undefined && isIP(mapped) === 4) return blocked.check(mapped, 'ipv4');
  return blocked.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

/** The host of a URL without the brackets of IPv6. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** True for hosts that are this machine by definition. */
export function isLoopbackHost(hostname: string): boolean {
  const host = bareHost(hostname).toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** A URL for messages: never credentials, never a query, which may hold some. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : '?...'}`;
}

export function createAddressRules(options: AddressRulesOptions = {}): AddressRules {
  const trusted = options.trustedHost === undefined ? undefined : bareHost(options.trustedHost).toLowerCase();
  const resolve = options.lookup ?? systemLookup;
  /** Whether the trusted host was private when it was first looked up. */
  let trustedIsPrivate: boolean | undefined;

  const isTrusted = (hostname: string): boolean => bareHost(hostname).toLowerCase() === trusted;

  function addressFault(hostname: string, address: string): SkillwireError | undefined {
    const isPrivate = isPrivateAddress(address);
    if (isTrusted(hostname)) {
      trustedIsPrivate ??= isPrivate;
      if (!isPrivate || trustedIsPrivate) return undefined;
    } else if (!isPrivate) return undefined;
    return new SkillwireError(
      'ADDRESS_BLOCKED',
      `cannot connect to ${quoteText(hostname)}: it leads to ${address}, an address of this machine or a private network; name that host yourself if you trust it`,
      { data: { host: hostname, address } },
    );
  }

  return {
    check(given) {
      const url = parse(given);
      if (url.protocol !== 'http:' && url.protocol !== 'https:')
        throw new SkillwireError('ADDRESS_BLOCKED', `cannot fetch a "${url.protocol}" URL: only http and https are`, {
          data: { protocol: url.protocol },
        });
      if (url.username !== '' || url.password !== '')
        throw new SkillwireError(
          'ADDRESS_BLOCKED',
          `cannot fetch ${quoteText(shownUrl(url))}: the URL holds a user name or password; give credentials as a token or header`,
        );
      if (url.protocol === 'http:' && options.insecureHttp !== true && !isLoopbackHost(url.hostname))
        throw new SkillwireError(
          'ADDRESS_BLOCKED',
          `cannot fetch ${quoteText(shownUrl(url))}: plain http to another machine can be read and changed on the way; use https, or allow it with --insecure-http`,
        );
      const host = bareHost(url.hostname);
      const fault = isIP(host) === 0 ? undefined : addressFault(host, host);
      if (fault !== undefined) throw fault;
      return url;
    },

    lookup(hostname, lookupOptions, callback) {
      resolve(hostname, { ...lookupOptions, all: true }, (error, answers) => {
        if (error !== null) return callback(error, '');
        const all = Array.isArray(answers) ? answers : [];
        for (const { address } of all) {
          const fault = addressFault(hostname, address);
          if (fault !== undefined) return callback(fault, '');
        }
        const [first] = all;
        if (lookupOptions.all === true) return callback(null, all);
        return first === undefined ? callback(null, '') : callback(null, first.address, first.family);
      });
    },

    socketFault: (hostname, remoteAddress) =>
      remoteAddress === undefined ? undefined : addressFault(hostname, remoteAddress),
  };
}

function parse(given: string | URL): URL {
  if (given instanceof URL) return given;
  if (URL.canParse(given)) return new URL(given);
  throw new SkillwireError(
    'USAGE',
    `cannot fetch ${quoteText(given)}: it is not a URL such as "https://example.com/mcp"`,
  );
}
