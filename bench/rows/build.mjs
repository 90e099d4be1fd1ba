// `skillwire build` of a whole catalog into a new folder, and again without changes. It runs on a disk and in memory, because earlier deletions
// can make a new file on a disk four times as expensive. Nothing is deleted on the disk before the end: see add.mjs.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builds } from '../build.mjs';
import { median, rowOf } from '../samples.mjs';
import { costUntilLine, startBuild, startPlainSite, startWalk } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

const memory = '/dev/shm';

/** @typedef {import('../samples.mjs').Samples} Samples @typedef {import('../build.mjs').Build} Build */

/** @param {Build} build @param {string} root @param {string} out @param {string} home @returns {Promise<number>} */
async function buildOnce(build, root, out, home) {
  const running = startBuild(build, root, out, home);
  const { cpu } = JSON.parse(await running.line());
  await running.stop();
  return cpu;
}

/** @param {string} root @param {string} folder @param {Record<'cold' | 'warm', Samples>} seen */
async function roundIn(root, folder, seen) {
  for (const build of builds) {
    const [site, home] = [join(folder, `site-${build.name}`), join(folder, `home-${build.name}`)];
    for (const kind of /** @type {const} */ (['cold', 'warm']))
      seen[kind][build.name] = [...(seen[kind][build.name] ?? []), await buildOnce(build, root, site, home)];
  }
  return costUntilLine(startPlainSite(root, join(folder, 'plain')));
}

/** @param {import('../run.mjs').Options} options */
export default async function build({ quick, count }) {
  const root = treeOf(count);
  /** @type {Record<'cold' | 'warm', Samples>} */
  const disk = { cold: { ours: [] }, warm: { ours: [] } };
  /** @type {Record<'cold' | 'warm', Samples>} */
  const inMemory = { cold: { ours: [] }, warm: { ours: [] } };
  /** @type {Record<'walk' | 'disk' | 'memory', number[]>} */
  const floors = { walk: [], disk: [], memory: [] };
  /** @type {string[]} */
  const folders = [];
  await costUntilLine(startWalk(root));
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    floors.walk.push(await costUntilLine(startWalk(root)));
    const folder = mkdtempSync(join(tmpdir(), 'skillwire-bench-build-'));
    folders.push(folder);
    floors.disk.push(await roundIn(root, folder, disk));
    if (!existsSync(memory)) continue;
    const other = mkdtempSync(join(memory, 'skillwire-bench-build-'));
    try {
      floors.memory.push(await roundIn(root, other, inMemory));
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  /** @param {readonly number[]} costs */
  const over = (costs) => (/** @type {number} */ cpu, /** @type {number} */ round) => cpu / (costs[round] ?? 0);
  const walk = `walk ${median(floors.walk).toFixed(2)} s`;
  /** @param {readonly number[]} costs */
  const plain = (costs) => `${walk}; plain program ${median(costs).toFixed(2)} s`;
  const rows = [
    rowOf(disk.cold, {
      name: `build, ${count} skills, new site`,
      unit: 'x plain program',
      bar: 1.4,
      figure: over(floors.disk),
      floor: plain(floors.disk),
    }),
    rowOf(disk.warm, {
      name: `build, ${count} skills, nothing changed`,
      unit: 'x walk',
      bar: 0.8,
      figure: over(floors.walk),
      floor: walk,
    }),
  ];
  if (inMemory.cold.ours.length > 0)
    rows.push(
      rowOf(inMemory.cold, {
        name: `build, ${count} skills, new site in memory`,
        unit: 'x plain program',
        bar: 1.7,
        figure: over(floors.memory),
        floor: plain(floors.memory),
      }),
    );
  return rows;
}
