// A gateway: node gateway.mjs URL... Prints one line of JSON: its port, the time of the first complete listing, and that of the slowest upstream
// alone.
import { buildModule } from '../build.mjs';

const { openGateway } = await buildModule('node/entries/gateway.js');
const { mcpServerSource } = await buildModule('node/entries/host.js');
const { serve } = await buildModule('node/entries/index.js');
const urls = process.argv.slice(2);
const origins = urls.map((url, index) => ({ label: `origin-${index}`, url }));

/** @param {AsyncIterable<{ skills: readonly unknown[] }>} pages */
async function countOf(pages) {
  let count = 0;
  for await (const { skills } of pages) count += skills.length;
  return count;
}

// Loads and warms up the modules before the timing starts.
const first = mcpServerSource({ url: urls[0] ?? '' });
await countOf(first.list({}));
await first.close();

const alone = mcpServerSource({ url: urls.at(-1) ?? '' });
const before = performance.now();
await countOf(alone.list({}));
const slowest = performance.now() - before;
await alone.close();

const started = performance.now();
const gateway = await openGateway({ origins, rules: [] }, { firstListingMs: 60_000 });
const handle = await serve({ source: gateway.source, gateway, http: { host: '127.0.0.1', port: 0 } });
const { skills } = await handle.catalog.snapshot();
const ms = performance.now() - started;
console.log(JSON.stringify({ port: Number(new URL(handle.url ?? '').port), skills: skills.length, ms, slowest }));
