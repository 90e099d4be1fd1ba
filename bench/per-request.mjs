// Processor time per request over HTTP of servers that are asked in turn.
import { load } from './http-load.mjs';
import { median } from './process-cost.mjs';
import { httpBytes } from './requests.mjs';

/** @typedef {Awaited<ReturnType<typeof import('./servers.mjs').startRawHttp>>} Server */

/**
 * Microseconds per request of each server, as the median of interleaved rounds. Each round goes on in the list of calls where
 * the one before ended, so a list that is long enough is never asked twice.
 * @template {string} Name
 * @param {Record<Name, Server>} servers @param {readonly (import('./requests.mjs').Call | import('./requests.mjs').Get)[]} calls
 * @param {{ total: number, inFlight: number, rounds: number, from?: number }} options
 * @returns {Promise<Record<Name, number>>}
 */
export async function perRequest(servers, calls, { total, inFlight, rounds, from = 0 }) {
  const names = /** @type {Name[]} */ (Object.keys(servers));
  const seen = /** @type {Record<Name, number[]>} */ (Object.fromEntries(names.map((name) => [name, []])));
  let next = from;
  // The first two rounds warm up.
  for (let round = -2; round < rounds; round++) {
    const part = Array.from({ length: Math.min(total, calls.length) }, () => calls[next++ % calls.length]);
    for (const name of names) {
      const server = servers[name];
      const requests = part.map((call) =>
        httpBytes(/** @type {import('./requests.mjs').Call | import('./requests.mjs').Get} */ (call), server.port),
      );
      const before = server.cpu();
      const answers = await load(server.port, requests, { total, inFlight });
      if (round >= 0) seen[name].push(((server.cpu() - before) / answers) * 1e6);
    }
  }
  return /** @type {Record<Name, number>} */ (Object.fromEntries(names.map((name) => [name, median(seen[name])])));
}
