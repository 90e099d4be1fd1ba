/** Reads the value of `--http`: `[HOST:]PORT`. A port alone means loopback, so nothing opens to the network by omission. */
import { isIPv6 } from 'node:net';
import { usageError } from '../cli.ts';

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
  throw usageError(`"${text}" is not an address to listen on. ${remedyFor(text)}`, { text });
}

function hostOf(text: string | undefined): string | undefined {
  if (text === undefined) return defaultListenAddress.host;
  if (text.startsWith('[')) return isIPv6(text.slice(1, -1)) ? text.slice(1, -1) : undefined;
  return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) ? text : undefined;
}

function remedyFor(text: string): string {
  if (/^https?:/i.test(text)) return 'Use HOST:PORT without the scheme, for example 127.0.0.1:4711.';
  if (/^:\d+$/.test(text)) return `Use ${text.slice(1)} for loopback, or 0.0.0.0${text} for all interfaces.`;
  if (isIPv6(text) || (text.split(':').length > 2 && !text.startsWith('[')))
    return 'Put an IPv6 address in brackets, for example [::1]:4711.';
  return 'Use PORT or HOST:PORT with a port from 0 to 65535, for example 127.0.0.1:4711.';
}
