// One file edited: processor time until a client sees the new digest, in a large and in a small catalog.
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askOnce } from '../http-load.mjs';
import { median } from '../process-cost.mjs';
import { httpBytes } from '../requests.mjs';
import { startHttp } from '../servers.mjs';
import { freshTree, skillPath } from '../tree.mjs';

/** @param {number} count @param {number} rounds */
async function costOfEdits(count, rounds) {
  const root = freshTree(count, `edit-${count}`);
  const server = await startHttp('skillwire', root, { watch: true });
  const path = skillPath(1);
  const uri = `skill://${path}/SKILL.md`;
  const ask = async () =>
    (await askOnce(server.port, httpBytes({ method: 'skills/get', params: { uri } }, server.port))).result;
  await ask();
  // Arming the watches and the work after a start must not be counted as work for an edit.
  await sleep(count > 1000 ? 5000 : 1000);
  const seen = [];
  for (let round = 0; round < rounds; round++) {
    const text = `# Guide, edited ${round}\n`;
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    const before = server.cpu();
    writeFileSync(join(root, path, 'references/guide.md'), text);
    for (;;) {
      const { skill } = await ask();
      if (skill.resources.some((/** @type {{ digest: string }} */ file) => file.digest === digest)) break;
      await sleep(25);
    }
    if (round > 0) seen.push(server.cpu() - before);
    await sleep(300);
  }
  await server.stop();
  rmSync(root, { recursive: true, force: true });
  return median(seen);
}

/** @param {import('../run.mjs').Options} options */
export default async function edit({ quick, count }) {
  const rounds = quick ? 3 : 8;
  const small = await costOfEdits(Math.max(1, count / 100), rounds);
  const large = await costOfEdits(count, rounds);
  const floor = `${(large * 1e3).toFixed(0)} ms; among ${Math.max(1, count / 100)}: ${(small * 1e3).toFixed(0)} ms`;
  const peers = 'SDK: a full re-hash after a manual reload';
  return [
    {
      name: `one file edited among ${count} skills`,
      value: large / small,
      unit: `x the same among ${count / 100}`,
      bar: 2,
      peers,
      floor,
    },
    { name: `one file edited among ${count} skills`, value: large, unit: 's', bar: 1, peers, floor },
  ];
}
