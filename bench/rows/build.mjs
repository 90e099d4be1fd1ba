// `skillwire build` of a whole catalog into a new folder, and again where nothing changed. On a disk, and in memory: what the system spends on a new file of a
// disk depends on what was deleted there before, up to four times as much. Nothing is deleted on the disk before the end: see add.mjs.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../process-cost.mjs';
import { startBuild, startPlainSite, startWalk } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

const memory = '/dev/shm';

/** @param {string} root @param {string} out @param {string} home */
async function buildOnce(root, out, home) {
  const build = startBuild(root, out, home);
  const { cpu } = JSON.parse(await build.line());
  await build.stop();
  return cpu;
}

/** The cost of a program until its first line. @param {import('../servers.mjs').Running} program */
async function costOf(program) {
  await program.line();
  const cpu = program.cpu();
  await program.stop();
  return cpu;
}

/** @param {string} root @param {string} home */
async function roundIn(root, home) {
  const plain = await costOf(startPlainSite(root, join(home, 'plain')));
  const cold = await buildOnce(root, join(home, 'site'), home);
  const warm = await buildOnce(root, join(home, 'site'), home);
  return { plain, cold, warm };
}

/** @param {import('../run.mjs').Options} options */
export default async function build({ quick, count }) {
  const root = treeOf(count);
  /** @type {Record<'walk' | 'plain' | 'cold' | 'warm' | 'plainInMemory' | 'coldInMemory', number[]>} */
  const seen = { walk: [], plain: [], cold: [], warm: [], plainInMemory: [], coldInMemory: [] };
  /** @type {string[]} */
  const homes = [];
  await costOf(startWalk(root));
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    seen.walk.push(await costOf(startWalk(root)));
    const home = mkdtempSync(join(tmpdir(), 'skillwire-bench-build-'));
    homes.push(home);
    const { plain, cold, warm } = await roundIn(root, home);
    seen.plain.push(plain);
    seen.cold.push(cold);
    seen.warm.push(warm);
    if (!existsSync(memory)) continue;
    const other = mkdtempSync(join(memory, 'skillwire-bench-build-'));
    try {
      const { plain, cold } = await roundIn(root, other);
      seen.plainInMemory.push(plain);
      seen.coldInMemory.push(cold);
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  }
  for (const home of homes) rmSync(home, { recursive: true, force: true });
  const walk = median(seen.walk);
  const floor = `walk ${walk.toFixed(2)} s`;
  /** @param {readonly number[]} costs */
  const plain = (costs) => `${floor}; the same by a plain program ${(median(costs) / walk).toFixed(2)} x`;
  const row = { unit: 'x walk', bar: 4 };
  const rows = [
    { ...row, name: `build, ${count} skills, new site`, value: median(seen.cold) / walk, floor: plain(seen.plain) },
    { ...row, name: `build, ${count} skills, nothing changed`, value: median(seen.warm) / walk, bar: 1, floor },
  ];
  if (seen.coldInMemory.length > 0)
    rows.push({
      ...row,
      name: `build, ${count} skills, new site in memory`,
      value: median(seen.coldInMemory) / walk,
      floor: plain(seen.plainInMemory),
    });
  return rows;
}
