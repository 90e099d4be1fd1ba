// Loads one skill repeatedly from a warm cache. `node load-skill.mjs URL FOLDER ROUNDS [fresh]`; prints milliseconds of CPU per load, young and
// warm. With `fresh` each load requests the entry from its origin; without it, only when the cached entry has expired, as in a host.
import { buildModule } from '../build.mjs';

const { openHost } = await buildModule('node/entries/host.js');
const [, , url, folder = '', rounds, mode] = process.argv;
const fresh = mode === 'fresh';
const host = await openHost([`bench=mcp:${url}`], {
  state: folder,
  decide: async () => ({ allow: true, reason: 'a measurement' }),
});
const { skills } = await host.discover();
const uri = skills[0]?.uri ?? '';
const load = async () => (await host.load({ label: 'bench', uri }, { fresh })).release();
/** @param {number} count */
async function cpuPerLoad(count) {
  const before = process.cpuUsage();
  for (let round = 0; round < count; round++) await load();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3 / count;
}
await cpuPerLoad(50);
const young = await cpuPerLoad(Math.min(500, Number(rounds)));
await cpuPerLoad(Number(rounds));
console.log(young, await cpuPerLoad(Number(rounds)));
await host.close();
