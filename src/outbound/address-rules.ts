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
import { embeddingPrefixes, globalUnicast, specialAddresses } from './special-addresses.ts';

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
  /** The addresses of a host, as `lookup` gives them. Fails with ADDRESS_BLOCKED or the error of the lookup. */
  resolve(hostname: string): Promise<readonly string[]>;
  /** Why a socket to this host must not be used, once its other end is known. */
  socketFault(hostname: string, remoteAddress: string | undefined): SkillwireError | undefined;
}

const special = blockList(specialAddresses.map(({ block }) => block));
const embedding = blockList(embeddingPrefixes.map(({ block }) => block));
const assigned = blockList([globalUnicast]);

function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = '', length] = block.split('/');
    list.addSubnet(network, Number(length), isIP(network) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** True for addresses of this machine, of private networks, and for those that no public server has. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  const family = isIP(plain);
  if (family === 0) return true;
  if (family === 4) return special.check(plain, 'ipv4');
  if (embedding.check(plain, 'ipv6')) return special.check(embeddedAddress(plain), 'ipv4');
  return !assigned.check(plain, 'ipv6') || special.check(plain, 'ipv6');
}

/** The last 32 bits of an IPv6 address as an IPv4 address. */
function embeddedAddress(address: string): string {
  // A URL writes every spelling in one way: hexadecimal, with at most one "::".
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':');
  const bytes = groups.slice(-2).flatMap((group) => {
    const value = Number.parseInt(group === '' ? '0' : group, 16);
    return [value >> 8, value & 255];
  });
  return bytes.join('.');
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

  const lookup: LookupFunction = (hostname, lookupOptions, callback) => {
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
  };

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

    lookup,

    resolve: (hostname) =>
      new Promise((settle, reject) => {
        const host = bareHost(hostname);
        if (isIP(host) !== 0) {
          const fault = addressFault(host, host);
          return fault === undefined ? settle([host]) : reject(fault);
        }
        lookup(host, { all: true }, (error, answers) => {
          const found = Array.isArray(answers) ? answers.map(({ address }) => address) : [];
          if (error !== null) reject(error);
          else if (found.length === 0) reject(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }));
          else settle(found);
        });
      }),

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
