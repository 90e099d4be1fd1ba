/**
 * A gateway that reads itself (sec:X-9). It sends its id with everything that it asks over HTTP, and refuses requests that carry it:
 * so it notices itself also where nothing else would tell, as a site does not. What comes back through other gateways is noticed by
 * the provenance of entries.
 */
import type { IncomingMessage } from 'node:http';
import { viaHeader } from '../../origins/started-by.ts';

/** Whether a request comes from the gateway with this id. */
function comesFrom(id: string, header: string | readonly string[] | undefined): boolean {
  if (header === undefined) return false;
  const given = typeof header === 'string' ? header : header.join(',');
  return given.split(',').some((one) => one.trim() === id);
}

/** For a server: why a request is refused, where it comes from itself. */
export function refuseSelf(id: () => string): (message: IncomingMessage) => readonly [number, string] | undefined {
  return ({ headers }) =>
    comesFrom(id(), headers[viaHeader]) ? [508, 'loop detected: this gateway was asked by itself'] : undefined;
}
