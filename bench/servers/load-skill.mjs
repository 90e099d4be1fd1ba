// Loads one skill again and again from a warm cache. `node load-skill.mjs URL FOLDER ROUNDS`; prints milliseconds of CPU per load.
import { join } from 'node:path';
import { openHost } from '../../dist/node/host.js';

const [, , url, folder = '', rounds] = process.argv;
const host = await openHost([`bench=mcp:${url}`], {
  state: join(folder, 'state'),
  cache: join(folder, 'cache'),
  decide: async () => ({ allow: true, reason: 'a measurement' }),
});
const { skills } = await host.discover();
const uri = skills[0]?.uri ?? '';
const load = async () => (await host.load({ label: 'bench', uri })).release();
// As many again warm up, as in the other rows: what is measured is loading, not the compiler.
for (let warm = 0; warm < Number(rounds); warm++) await load();
const before = process.cpuUsage();
for (let round = 0; round < Number(rounds); round++) await load();
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1e3 / Number(rounds));
await host.close();
