// `skillwire build` of a whole catalog into a new folder, and again where nothing changed. Nothing is deleted before the end: see add.mjs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../process-cost.mjs';
import { startBuild, startPlainSite, startWalk } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

/** @param {string} root @param {string} out @param {string} home */
async function buildOnce(root, out, home) {
  const build = startBuild(root, out, home);
  const { cpu } = JSON.parse(await build.line());
  await build.stop();
  return cpu;
}

/** What a program costs until its first line. @param {import('../servers.mjs').Running} program */
async function costOf(program) {
  await program.line();
  const cpu = program.cpu();
  await program.stop();
  return cpu;
}

/** @param {import('../run.mjs').Options} options */
export default async function build({ quick, count }) {
  const root = treeOf(count);
  /** @type {Record<'walk' | 'plain' | 'cold' | 'warm', number[]>} */
  const seen = { walk: [], plain: [], cold: [], warm: [] };
  /** @type {string[]} */
  const homes = [];
  await costOf(startWalk(root));
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    const home = mkdtempSync(join(tmpdir(), 'skillwire-bench-build-'));
    const out = join(home, 'site');
    seen.walk.push(await costOf(startWalk(root)));
    seen.plain.push(await costOf(startPlainSite(root, join(home, 'plain'))));
    seen.cold.push(await buildOnce(root, out, home));
    seen.warm.push(await buildOnce(root, out, home));
    homes.push(home);
  }
  for (const home of homes) rmSync(home, { recursive: true, force: true });
  const walk = median(seen.walk);
  const floor = `walk ${walk.toFixed(2)} s`;
  const plain = `the same files and folders without packing ${(median(seen.plain) / walk).toFixed(2)} x`;
  return [
    {
      name: `build, ${count} skills, new site`,
      value: median(seen.cold) / walk,
      unit: 'x walk',
      bar: 4,
      floor: `${floor}; ${plain}`,
    },
    { name: `build, ${count} skills, nothing changed`, value: median(seen.warm) / walk, unit: 'x walk', bar: 1, floor },
  ];
}
