// A client over stdio: a fixed number of requests in flight.
import { message } from './requests.mjs';

/** @param {import('./servers.mjs').Running} server @param {import('./requests.mjs').Call} call @param {number} id */
export async function askLine(server, call, id) {
  server.send(`${message(call, id)}\n`);
  const answer = JSON.parse(await server.line());
  if (answer.error !== undefined) throw new Error(`the server refused: ${JSON.stringify(answer.error)}`);
  return answer.result;
}

/**
 * @param {import('./servers.mjs').Running} server @param {readonly import('./requests.mjs').Call[]} calls
 * @param {{ total: number, inFlight: number }} options
 */
export async function loadLines(server, calls, { total, inFlight }) {
  const lines = calls.map((call, index) => `${message(call, index + 1)}\n`);
  let sent = 0;
  const sendNext = () => server.send(/** @type {string} */ (lines[sent++ % lines.length]));
  for (let index = 0; index < Math.min(inFlight, total); index++) sendNext();
  for (let received = 0; received < total; received++) {
    await server.line();
    if (sent < total) sendNext();
  }
}
