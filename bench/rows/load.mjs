// A host loads a skill of a server whose files are in its cache: entry asked, approval checked, bytes hashed, window opened.
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
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-bench-'));
  const running = start([script, `http://127.0.0.1:${server.port}/mcp`, folder, quick ? '50' : '2000']);
  const [young = Number.NaN, value = Number.NaN] = (await running.line()).split(' ').map(Number);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  return [
    {
      name: 'load a skill from a warm cache, after as many loads to warm up',
      value,
      unit: 'ms CPU',
      bar: 2,
      floor: `while the compiler is still at work, loads 51 to 550: ${young.toFixed(2)} ms`,
    },
  ];
}
