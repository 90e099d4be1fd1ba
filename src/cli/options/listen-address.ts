/** Reads the value of `--http`: `[HOST:]PORT`. A port alone is on loopback; nothing opens to the network by omission. */
import { isIPv6 } from 'node:net';
import { SkillwireError } from '../../errors.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export const defaultListenAddress: ListenAddress = { host: '127.0.0.1', port: 4711 };

export function parseListenAddress(text: string): ListenAddress {
  const match = /^(?:(?<host>\[[^\]]*\]|[^:]+):)?(?<port>\d{1,5})$/.exec(text);
  const port = Number(match?.groups?.port);
  const host = hostOf(match?.groups?.host);
  if (match !== null && port <= 65_535 && host !== undefined) return { host, port };
  throw new SkillwireError('USAGE', `"${text}" is no address to listen on; ${remedyFor(text)}`, { data: { text } });
}

function hostOf(text: string | undefined): string | undefined {
  if (text === undefined) return defaultListenAddress.host;
  if (text.startsWith('[')) return isIPv6(text.slice(1, -1)) ? text.slice(1, -1) : undefined;
  return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) ? text : undefined;
}

function remedyFor(text: string): string {
  if (/^https?:/i.test(text)) return 'write HOST:PORT without the scheme, for example 127.0.0.1:4711';
  if (/^:\d+$/.test(text)) return `write ${text.slice(1)} for loopback, or 0.0.0.0${text} for all interfaces`;
  if (isIPv6(text) || (text.split(':').length > 2 && !text.startsWith('['))) {
    return 'write an IPv6 address in brackets, for example [::1]:4711';
  }
  return 'write PORT or HOST:PORT with a port from 0 to 65535, for example 127.0.0.1:4711';
}
