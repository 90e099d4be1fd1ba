/**
 * Decides which addresses may be fetched (sec:N-1 to N-5). Only http and https; plain http only to this machine, unless
 * the user allows it; no credentials in URLs.
 *
 * Addresses of this machine or its network are blocked as literals, in each lookup answer, and once more on the
 * connected socket. The host that the user typed is exempt, but a public name that starts to resolve to a private
 * address is blocked.
 */
import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';
import { embeddingPrefixes, globalUnicast, specialAddresses } from './special-addresses.ts';

export interface AddressRulesOptions {
  /** The host that the user typed, spelled as in the URL. It may be private. */
  readonly trustedHost?: string;
  /** Allow http to other machines. */
  readonly insecureHttp?: boolean;
  readonly lookup?: LookupFunction;
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

/** True for addresses of this machine and of private networks, and for addresses that no public server has. */
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
  // `URL` normalizes every spelling to hexadecimal with at most one "::".
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':');
  const bytes = groups.slice(-2).flatMap((group) => {
    const value = Number.parseInt(group === '' ? '0' : group, 16);
    return [value >> 8, value & 255];
  });
  return bytes.join('.');
}

/** Removes the brackets of an IPv6 host. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** True for names and addresses that mean this machine by definition. */
export function isLoopbackHost(hostname: string): boolean {
  const host = bareHost(hostname).toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** A URL for messages: without credentials and without the query, which may contain some. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : '?...'}`;
}

export function createAddressRules(options: AddressRulesOptions = {}) {
  const trusted = options.trustedHost === undefined ? undefined : bareHost(options.trustedHost).toLowerCase();
  const rawLookup = options.lookup ?? systemLookup;
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
      `Cannot connect to ${quoteText(hostname)}: it resolves to ${address}, which is on this machine or a private network. If you trust that host, name it yourself.`,
      { data: { host: hostname, address } },
    );
  }

  const lookup: LookupFunction = (hostname, lookupOptions, callback) => {
    rawLookup(hostname, { ...lookupOptions, all: true }, (error, answers) => {
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
    /** Returns the parsed URL. Throws ADDRESS_BLOCKED or USAGE. */
    check(address: string | URL): URL {
      const url = parse(address);
      if (url.protocol !== 'http:' && url.protocol !== 'https:')
        throw new SkillwireError('ADDRESS_BLOCKED', `Cannot fetch a "${url.protocol}" URL. Use http or https.`, {
          data: { protocol: url.protocol },
        });
      if (url.username !== '' || url.password !== '')
        throw new SkillwireError(
          'ADDRESS_BLOCKED',
          `Cannot fetch ${quoteText(shownUrl(url))}: the URL contains a user name or password. Pass credentials as a token or header.`,
        );
      if (url.protocol === 'http:' && options.insecureHttp !== true && !isLoopbackHost(url.hostname))
        throw new SkillwireError(
          'ADDRESS_BLOCKED',
          `Cannot fetch ${quoteText(shownUrl(url))}: plain http to another machine is not secure. Use https, or allow it with --insecure-http.`,
        );
      const host = bareHost(url.hostname);
      const fault = isIP(host) === 0 ? undefined : addressFault(host, host);
      if (fault !== undefined) throw fault;
      return url;
    },

    /** A lookup that returns only addresses that may be connected to. */
    lookup,

    /** The addresses that `lookup` returns for a host. Rejects with ADDRESS_BLOCKED or the lookup's error. */
    resolve: (hostname: string): Promise<readonly string[]> =>
      new Promise((resolve, reject) => {
        const host = bareHost(hostname);
        if (isIP(host) !== 0) {
          const fault = addressFault(host, host);
          return fault === undefined ? resolve([host]) : reject(fault);
        }
        lookup(host, { all: true }, (error, answers) => {
          const found = Array.isArray(answers) ? answers.map(({ address }) => address) : [];
          if (error !== null) reject(error);
          else if (found.length === 0) reject(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }));
          else resolve(found);
        });
      }),

    /** The reason not to use a connected socket, given its remote address. */
    socketFault: (hostname: string, remoteAddress: string | undefined): SkillwireError | undefined =>
      remoteAddress === undefined ? undefined : addressFault(hostname, remoteAddress),
  };
}

export type AddressRules = ReturnType<typeof createAddressRules>;

function parse(url: string | URL): URL {
  if (url instanceof URL) return url;
  if (URL.canParse(url)) return new URL(url);
  throw new SkillwireError('USAGE', `${quoteText(url)} is not a URL. Use one such as "https://example.com/mcp".`);
}

/** Suffixes that no public server has (RFC 6761, 6762, 8375, 9476, and those that routers and companies use). */
const insideSuffixes = 'local localhost internal intranet private corp home lan home.arpa alt'.split(' ');

/**
 * True if the name alone shows that a host is this machine or on a private network. The address that a name resolves to is checked
 * on connection.
 */
export function isInsideHost(hostname: string): boolean {
  const host = bareHost(hostname).toLowerCase().replace(/\.$/, '');
  if (isIP(host) !== 0) return isPrivateAddress(host);
  if (isLoopbackHost(host) || !host.includes('.')) return true;
  return insideSuffixes.some((suffix) => host.endsWith(`.${suffix}`));
}
