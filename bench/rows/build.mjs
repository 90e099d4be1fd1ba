// `skillwire build` of a whole catalog into a new folder, and again where nothing changed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../process-cost.mjs';
import { startBuild, startWalk } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

/** @param {string} root @param {string} out @param {string} home */
async function buildOnce(root, out, home) {
  const build = startBuild(root, out, home);
  const { cpu } = JSON.parse(await build.line());
  await build.stop();
  return cpu;
}

/** @param {string} root */
async function walkOnce(root) {
  const walk = startWalk(root);
  await walk.line();
  const cpu = walk.cpu();
  await walk.stop();
  return cpu;
}

/** @param {import('../run.mjs').Options} options */
export default async function build({ quick, count }) {
  const root = treeOf(count);
  /** @type {Record<'walk' | 'cold' | 'warm', number[]>} */
  const seen = { walk: [], cold: [], warm: [] };
  await walkOnce(root);
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    const home = mkdtempSync(join(tmpdir(), 'skillwire-bench-build-'));
    const out = join(home, 'site');
    seen.walk.push(await walkOnce(root));
    seen.cold.push(await buildOnce(root, out, home));
    seen.warm.push(await buildOnce(root, out, home));
    rmSync(home, { recursive: true, force: true });
  }
  const walk = median(seen.walk);
  const floor = `walk ${walk.toFixed(2)} s`;
  return [
    { name: `build, ${count} skills, new site`, value: median(seen.cold) / walk, unit: 'x walk', bar: 4, floor },
    { name: `build, ${count} skills, nothing changed`, value: median(seen.warm) / walk, unit: 'x walk', bar: 1, floor },
  ];
}
