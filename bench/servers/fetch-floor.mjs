// The floor of verifying: fetches the same bytes over bare node:http and hashes each answer. `node fetch-floor.mjs PORT COUNT`.
import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';

const [, , port, count] = process.argv;
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
let left = Number(count);

/** @returns {Promise<Buffer>} */
function fetchOne() {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, agent, method: 'POST' }, (response) => {
      /** @type {Buffer[]} */
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => resolve(Buffer.concat(parts)));
    });
    outgoing.on('error', reject);
    outgoing.end('{}');
  });
}

async function worker() {
  while (left-- > 0)
    createHash('sha256')
      .update(await fetchOne())
      .digest('hex');
}

await Promise.all(Array.from({ length: 16 }, worker));
agent.destroy();
