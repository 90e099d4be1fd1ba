// A host loads a skill whose files are cached: it checks the approval, hashes the bytes, writes the audit and opens the window. Then the same
// with a request for the entry at each load. The value is that of a young process, which is still compiling.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildEnv, builds } from '../build.mjs';
import { median, rowOf } from '../samples.mjs';
import { start, startBuilds, startHttp, stopAll } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

const script = fileURLToPath(new URL('../servers/load-skill.mjs', import.meta.url));

/** @param {import('../run.mjs').Options} options */
export default async function load({ quick }) {
  const servers = await startBuilds((build) => startHttp(build, treeOf(200)));
  const loads = quick ? 50 : 2000;
  /** @type {Record<'young' | 'warm' | 'requested' | 'requestedWarm', import('../samples.mjs').Samples>} */
  const seen = { young: { ours: [] }, warm: { ours: [] }, requested: { ours: [] }, requestedWarm: { ours: [] } };
  for (let round = 0; round < (quick ? 1 : 5); round++)
    for (const build of builds) {
      const port = servers[build.name]?.port ?? 0;
      const figures = [...(await measure(build, port, loads)), ...(await measure(build, port, loads, 'fresh'))];
      for (const [at, name] of /** @type {const} */ (['young', 'warm', 'requested', 'requestedWarm']).entries())
        seen[name][build.name] = [...(seen[name][build.name] ?? []), figures[at] ?? Number.NaN];
    }
  await stopAll(servers);
  /** @param {import('../samples.mjs').Samples} samples */
  const ms = ({ ours }) => median(ours).toFixed(2);
  return [
    rowOf(seen.young, {
      name: 'load a skill from a warm cache, loads 51 to 550 of a process',
      unit: 'ms CPU',
      bar: 2,
      floor: `after ${loads} more ${ms(seen.warm)} ms; asking for the entry each time ${ms(seen.requested)} and ${ms(seen.requestedWarm)} ms`,
    }),
  ];
}

/**
 * @param {import('../build.mjs').Build} build
 * @param {number} port
 * @param {number} loads
 * @param {string[]} mode
 */
async function measure(build, port, loads, ...mode) {
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-bench-'));
  const args = [script, `http://127.0.0.1:${port}/mcp`, folder, String(loads), ...mode];
  const figures = (await start(args, { env: buildEnv(build) }).line()).split(' ').map(Number);
  rmSync(folder, { recursive: true, force: true });
  return figures;
}
