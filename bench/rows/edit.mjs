// One file edited: processor time until a client sees the new digest, in a large and in a small catalog.
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { builds } from '../build.mjs';
import { askOnce } from '../http-load.mjs';
import { httpBytes } from '../requests.mjs';
import { median, rowOf } from '../samples.mjs';
import { startHttp } from '../servers.mjs';
import { freshTree } from '../tree.mjs';

const edited = 'edited-often';

/** @param {import('../build.mjs').Build} build @param {string} root @param {number} count @param {number} rounds */
async function costOfEdits(build, root, count, rounds) {
  const server = await startHttp(build, root, { watch: true });
  const uri = `skill://${edited}/SKILL.md`;
  const ask = async () =>
    (await askOnce(server.port, httpBytes({ method: 'skills/get', params: { uri } }, server.port))).result;
  await ask();
  // Arming the watches and the work after a start must not be counted as work for an edit.
  await sleep(count > 1000 ? 5000 : 1000);
  const seen = [];
  for (let round = 0; round < rounds; round++) {
    const text = `# Guide, edited ${round} for ${build.name}\n`;
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    const before = server.cpu();
    writeFileSync(join(root, edited, 'references/guide.md'), text);
    for (;;) {
      const { skill } = await ask();
      if (skill.resources.some((/** @type {{ digest: string }} */ file) => file.digest === digest)) break;
      await sleep(25);
    }
    if (round > 0) seen.push(server.cpu() - before);
    await sleep(300);
  }
  await server.stop();
  return seen;
}

/** @param {number} count @param {number} rounds @returns {Promise<import('../samples.mjs').Samples>} */
async function measure(count, rounds) {
  const root = freshTree(count, `edit-${count}`);
  mkdirSync(join(root, edited, 'references'), { recursive: true });
  writeFileSync(join(root, edited, 'SKILL.md'), `---\nname: ${edited}\ndescription: Is edited.\n---\n`);
  writeFileSync(join(root, edited, 'references/guide.md'), '# Guide\n');
  /** @type {import('../samples.mjs').Samples} */
  const seen = { ours: [] };
  for (const build of builds) seen[build.name] = await costOfEdits(build, root, count, rounds);
  rmSync(root, { recursive: true, force: true });
  return seen;
}

/** @param {import('../run.mjs').Options} options */
export default async function edit({ quick, count }) {
  const rounds = quick ? 3 : 9;
  const few = Math.max(1, count / 100);
  const small = await measure(few, rounds);
  const large = await measure(count, rounds);
  /** @param {import('../samples.mjs').Samples} samples */
  const ms = ({ ours }) => (median(ours) * 1e3).toFixed(0);
  const about = {
    name: `one file edited among ${count} skills`,
    floor: `${ms(large)} ms; among ${few}: ${ms(small)} ms`,
    peers: 'SDK: a full re-hash after a manual reload',
  };
  return [
    rowOf(large, {
      ...about,
      unit: `x the same among ${few}`,
      bar: 2,
      figure: (cpu) => cpu / median(small.ours),
    }),
    rowOf(large, { ...about, unit: 's', bar: 1 }),
  ];
}
