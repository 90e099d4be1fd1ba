// Skill servers of one kind in one process, for a gateway: node upstreams.mjs COUNT SKILLS SLOW_MS. Prints one line of JSON: their addresses.
import { createServer, request } from 'node:http';
import { buildModule } from '../build.mjs';
import { treeSkill } from '../tree.mjs';

const { memorySource } = await buildModule('index.js');
const { serve } = await buildModule('node/entries/index.js');
const [count = 1, skills = 1, slowMs = 0] = process.argv.slice(2).map(Number);

/** @param {number} server */
function sourceOf(server) {
  /** @type {Record<string, Record<string, Uint8Array>>} */
  const all = {};
  for (let index = 0; index < skills; index++) {
    const { folder, files } = treeSkill('sound', server * skills + index);
    all[folder] = Object.fromEntries(files.map(({ path, bytes }) => [path, bytes]));
  }
  return memorySource(all);
}

/** A server that answers each listing late. @param {string} url */
async function late(url) {
  const { hostname, port } = new URL(url);
  const server = createServer((incoming, answer) => {
    const { method, headers, url: path } = incoming;
    const wait = headers['mcp-method'] === 'skills/list' ? slowMs : 0;
    setTimeout(() => {
      const passed = request({ hostname, port, path, method, headers }, (answered) => {
        answer.writeHead(answered.statusCode ?? 500, answered.headers);
        answered.pipe(answer);
      });
      incoming.pipe(passed);
    }, wait);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return `http://127.0.0.1:${address.port}/mcp`;
}

const handles = await Promise.all(
  Array.from({ length: count }, (_, server) =>
    serve({ source: sourceOf(server), http: { host: '127.0.0.1', port: 0 } }),
  ),
);
// They start before the gateway, so that their own start does not count. They all share this process.
await Promise.all(handles.map(({ catalog }) => catalog.snapshot()));
const urls = handles.map(({ mcp = '' }) => mcp);
// The last one is the slowest.
const last = urls.pop() ?? '';
console.log(JSON.stringify([...urls, slowMs === 0 ? last : await late(last)]));
