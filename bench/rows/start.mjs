// Cost from start to the first answer of `skills/list` over stdio, and memory after it. Trees of two sizes, and one with one file per skill,
// give bytes per skill and per file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builds } from '../build.mjs';
import { median, rowOf } from '../samples.mjs';
import { costUntilLine, startPeerStdio, startStdio, startWalk } from '../servers.mjs';
import { askLine } from '../stdio-load.mjs';
import { treeOf } from '../tree.mjs';

const first = { method: 'skills/list', params: {} };

/** @param {import('../servers.mjs').Running} server @param {boolean} [keeps] true ends the server as hosts do, so it stores its digest cache */
async function firstAnswer(server, keeps = false) {
  await askLine(server, first, 1);
  const cost = { cpu: server.cpu(), rss: server.rss() };
  await (keeps ? server.finish() : server.stop());
  return cost;
}

/** @typedef {import('../samples.mjs').Samples} Samples */

/** @param {Samples} samples @param {string} name @param {number} value */
function note(samples, name, value) {
  samples[name] = [...(samples[name] ?? []), value];
}

/** @param {string} root @param {number} rounds @param {boolean} peers */
async function measure(root, rounds, peers) {
  /** @type {Record<'cold' | 'warm' | 'rss' | 'watching', Samples>} */
  const seen = { cold: { ours: [] }, warm: { ours: [] }, rss: { ours: [] }, watching: { ours: [] } };
  /** @type {number[]} */
  const walks = [];
  await costUntilLine(startWalk(root));
  for (let round = 0; round < rounds; round++) {
    walks.push(await costUntilLine(startWalk(root)));
    for (const build of builds) {
      const home = mkdtempSync(join(tmpdir(), 'skillwire-bench-home-'));
      const cold = await firstAnswer(startStdio(build, root, { home }), true);
      note(seen.cold, build.name, cold.cpu);
      note(seen.rss, build.name, cold.rss);
      note(seen.warm, build.name, (await firstAnswer(startStdio(build, root, { home }), true)).cpu);
      note(seen.watching, build.name, (await firstAnswer(startStdio(build, root, { home, watch: true }), true)).rss);
      rmSync(home, { recursive: true, force: true });
    }
    for (const peer of peers ? /** @type {const} */ (['sdk', 'ext']) : []) {
      const { cpu, rss } = await firstAnswer(startPeerStdio(peer, root));
      note(seen.cold, peer, cpu);
      note(seen.rss, peer, rss);
    }
  }
  return { ...seen, walks };
}

/** @param {import('../run.mjs').Options} options */
export default async function start({ quick, count }) {
  const rounds = quick ? 1 : 5;
  const { cold, warm, rss, watching, walks } = await measure(treeOf(count), rounds, true);
  const simple = await measure(treeOf(count, 'simple'), rounds, false);
  const walk = median(walks);
  /** @param {Samples} samples @param {'sdk' | 'ext'} peer */
  const peer = (samples, peer) => median(samples[peer] ?? []);
  const peers = `SDK ${(peer(cold, 'sdk') / walk).toFixed(1)} x, ext-skills ${(peer(cold, 'ext') / walk).toFixed(1)} x`;
  const peersMb = `SDK ${peer(rss, 'sdk').toFixed(0)} MB, ext-skills ${peer(rss, 'ext').toFixed(0)} MB`;
  const floor = `walk ${walk.toFixed(2)} s`;
  const ofWalk = {
    unit: 'x walk',
    floor,
    figure: (/** @type {number} */ cpu, /** @type {number} */ round) => cpu / (walks[round] ?? 0),
  };
  const simpleOfWalk = {
    unit: 'x walk',
    floor: `walk ${median(simple.walks).toFixed(2)} s`,
    figure: (/** @type {number} */ cpu, /** @type {number} */ round) => cpu / (simple.walks[round] ?? 0),
  };
  const half = Math.floor(peer(rss, 'sdk') / 2);
  return [
    rowOf(cold, { ...ofWalk, name: `start, ${count} skills, cold cache`, bar: 2.2, peers }),
    rowOf(warm, { ...ofWalk, name: `start, ${count} skills, warm cache`, bar: 0.8, peers: 'none has one' }),
    rowOf(rss, { name: `memory after start, ${count} skills`, unit: 'MB', bar: half, peers: peersMb }),
    rowOf(watching, { name: `memory after start, ${count} skills, watching`, unit: 'MB', bar: half, peers: peersMb }),
    rowOf(simple.cold, { ...simpleOfWalk, name: `start, ${count} simple skills, cold cache`, bar: 2 }),
    rowOf(simple.warm, { ...simpleOfWalk, name: `start, ${count} simple skills, warm cache`, bar: 0.8 }),
    rowOf(simple.rss, { name: `memory after start, ${count} simple skills`, unit: 'MB', bar: 150 }),
  ];
}
