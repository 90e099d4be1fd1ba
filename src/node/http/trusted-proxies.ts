/**
 * Finds the client behind reverse proxies that the operator trusts. `X-Forwarded-For` is read from its end. Each proxy appends the address
 * that it saw, so only addresses to the right of the first untrusted one are known. Headers of other senders never count.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';

/** @param ranges addresses, or CIDR ranges such as `10.0.0.0/8`. @throws SkillwireError USAGE */
export function createTrustedProxies(ranges: readonly string[]) {
  const list = new BlockList();
  for (const range of ranges) addRange(list, range);

  function has(address: string | undefined): boolean {
    const plain = plainAddress(address ?? '');
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  }

  return {
    has,
    /** The address of the client; `undefined` if the proxies do not name one. */
    clientOf({ socket, headers }: IncomingMessage): string | undefined {
      if (!has(socket.remoteAddress)) return socket.remoteAddress;
      const hops = [headers['x-forwarded-for'] ?? []].flat().flatMap((value) => value.split(','));
      for (const hop of hops.slice(-limits.http.proxyHops).reverse()) {
        const address = plainAddress(withoutPort(hop.trim()));
        if (isIP(address) === 0) return undefined;
        if (!has(address)) return address;
      }
      return undefined;
    },
  };
}

function addRange(list: BlockList, range: string): void {
  const [address = '', bits, ...rest] = range.split('/');
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  const width = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (family === 0 || rest.length > 0 || !(width <= most))
    throw new SkillwireError(
      'USAGE',
      `"${range}" is not an address range. Use an address such as 10.0.0.7, or a range such as 10.0.0.0/8.`,
      { data: { range } },
    );
  list.addSubnet(address, width, family === 6 ? 'ipv6' : 'ipv4');
}

/** IPv4 addresses of IPv6 sockets as IPv4. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** Some proxies append the port: `192.0.2.7:4711`, `[2001:db8::7]:4711`. */
function withoutPort(hop: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? [];
  return bracketed ?? plain ?? hop;
}
