// Start to the first answer of `skills/list` over stdio, and memory after it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../process-cost.mjs';
import { startStdio, startWalk } from '../servers.mjs';
import { askLine } from '../stdio-load.mjs';
import { treeOf } from '../tree.mjs';

const first = { method: 'skills/list', params: {} };

/**
 * @param {import('../servers.mjs').Implementation} implementation @param {string} root
 * @param {{ watch?: boolean, home?: string }} [options]
 */
async function startOnce(implementation, root, options) {
  const server = startStdio(implementation, root, options);
  await askLine(server, first, 1);
  const cost = { cpu: server.cpu(), rss: server.rss() };
  // A server that is ended as hosts do it keeps what it read for the next start.
  await (implementation === 'skillwire' ? server.finish() : server.stop());
  return cost;
}

/** @param {string} root */
async function walkOnce(root) {
  const floor = startWalk(root);
  await floor.line();
  const cpu = floor.cpu();
  await floor.stop();
  return cpu;
}

/** @param {import('../run.mjs').Options} options */
export default async function start({ quick, count }) {
  const root = treeOf(count);
  const rounds = quick ? 1 : 3;
  /** @type {Record<'walk' | 'cold' | 'warm' | 'sdk' | 'ext' | 'rss' | 'watchRss' | 'sdkRss' | 'extRss', number[]>} */
  const seen = { walk: [], cold: [], warm: [], sdk: [], ext: [], rss: [], watchRss: [], sdkRss: [], extRss: [] };
  await walkOnce(root);
  for (let round = 0; round < rounds; round++) {
    const home = mkdtempSync(join(tmpdir(), 'skillwire-bench-home-'));
    seen.walk.push(await walkOnce(root));
    const cold = await startOnce('skillwire', root, { home });
    seen.cold.push(cold.cpu);
    seen.rss.push(cold.rss);
    seen.warm.push((await startOnce('skillwire', root, { home })).cpu);
    seen.watchRss.push((await startOnce('skillwire', root, { home, watch: true })).rss);
    rmSync(home, { recursive: true, force: true });
    for (const peer of /** @type {const} */ (['sdk', 'ext'])) {
      const { cpu, rss } = await startOnce(peer, root);
      seen[peer].push(cpu);
      seen[`${peer}Rss`].push(rss);
    }
  }
  const walk = median(seen.walk);
  const peers = `SDK ${(median(seen.sdk) / walk).toFixed(1)} x, ext-skills ${(median(seen.ext) / walk).toFixed(1)} x`;
  const peersMb = `SDK ${median(seen.sdkRss).toFixed(0)} MB, ext-skills ${median(seen.extRss).toFixed(0)} MB`;
  const floor = `walk ${walk.toFixed(2)} s`;
  return [
    {
      name: `start, ${count} skills, cold cache`,
      value: median(seen.cold) / walk,
      unit: 'x walk',
      bar: 2,
      peers,
      floor,
    },
    {
      name: `start, ${count} skills, warm cache`,
      value: median(seen.warm) / walk,
      unit: 'x walk',
      bar: 0.8,
      peers: 'none has one',
      floor,
    },
    { name: `memory after start, ${count} skills`, value: median(seen.rss), unit: 'MB', bar: 150, peers: peersMb },
    {
      name: `memory after start, ${count} skills, watching`,
      value: median(seen.watchRss),
      unit: 'MB',
      bar: 190,
      peers: peersMb,
    },
  ];
}
