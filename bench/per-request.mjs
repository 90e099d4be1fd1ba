// Measures processor time per HTTP request of several servers in turn.
import { load } from './http-load.mjs';
import { httpBytes } from './requests.mjs';

/** @typedef {Awaited<ReturnType<typeof import('./servers.mjs').startRawHttp>>} Server */
/** @typedef {import('./requests.mjs').Call | import('./requests.mjs').Get} Request */

/**
 * Microseconds per request of each server, round by round. Each round continues in the list of calls where the last round ended, so a long list
 * is never sent twice.
 * @param {Record<string, Server>} servers one of them is `ours`
 * @param {readonly Request[]} calls
 * @param {{ total: number, inFlight: number, rounds: number, from?: number }} options
 * @returns {Promise<import('./samples.mjs').Samples>}
 */
export async function perRequest(servers, calls, { total, inFlight, rounds, from = 0 }) {
  const names = Object.keys(servers);
  /** @type {Record<string, number[]>} */
  const seen = Object.fromEntries(names.map((name) => [name, []]));
  let next = from;
  // The first two rounds warm up.
  for (let round = -2; round < rounds; round++) {
    const part = Array.from({ length: Math.min(total, calls.length) }, () => calls[next++ % calls.length]);
    // Reverses the order each round, so that no server is always the first after a pause.
    const turns = round % 2 === 0 ? names : [...names].reverse();
    for (const name of turns) {
      const server = /** @type {Server} */ (servers[name]);
      const requests = part.map((call) => httpBytes(/** @type {Request} */ (call), server.port));
      const before = server.cpu();
      const answers = await load(server.port, requests, { total, inFlight });
      if (round >= 0) seen[name]?.push(((server.cpu() - before) / answers) * 1e6);
    }
  }
  return /** @type {import('./samples.mjs').Samples} */ (seen);
}
