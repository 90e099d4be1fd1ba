/** The names and addresses of a server, as requests write them. */

export interface HostName {
  /** Lower case; IPv6 addresses in brackets. */
  readonly name: string;
  readonly port: string;
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];
const wildcards = ['0.0.0.0', '[::]'];

/** The address as it stands in a URL. */
export function urlHost(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').toLowerCase();
  return bare.includes(':') ? `[${bare}]` : bare;
}

export function isLoopback(address: string): boolean {
  const host = urlHost(address);
  return loopbackNames.includes(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** True for the addresses that stand for all addresses of a machine. */
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
