// A host loads a skill of a server whose files are in its cache: approval checked, bytes hashed, audit written, window opened. Then the same
// with a request for the entry at each load. The value is that of a young process, in which the compiler is still at work.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start, startHttp } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

const script = fileURLToPath(new URL('../servers/load-skill.mjs', import.meta.url));

/** @param {import('../run.mjs').Options} options */
export default async function load({ quick }) {
  const server = await startHttp('skillwire', treeOf(200));
  const rounds = quick ? 50 : 2000;
  const [young = Number.NaN, warm = Number.NaN] = await measure(server.port, rounds);
  const [asked = Number.NaN, askedWarm = Number.NaN] = await measure(server.port, rounds, 'fresh');
  await server.stop();
  return [
    {
      name: 'load a skill from a warm cache, loads 51 to 550 of a process',
      value: young,
      unit: 'ms CPU',
      bar: 2,
      floor: `after ${rounds} more ${warm.toFixed(2)} ms; asking for the entry each time ${asked.toFixed(2)} and ${askedWarm.toFixed(2)} ms`,
    },
  ];
}

/**
 * @param {number} port
 * @param {number} rounds
 * @param {string[]} mode
 */
async function measure(port, rounds, ...mode) {
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-bench-'));
  const running = start([script, `http://127.0.0.1:${port}/mcp`, folder, String(rounds), ...mode]);
  const figures = (await running.line()).split(' ').map(Number);
  rmSync(folder, { recursive: true, force: true });
  return figures;
}
