// Search over a large catalog on a disk, over HTTP. Measures the cost of the first search, which builds the index, and of later ones. Also
// measures memory, and how often the intended skill is found. See test/retrieval for skills and queries.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedSkills, queries, targetSkills } from '../../test/retrieval/corpus.mjs';
import { builds } from '../build.mjs';
import { rowOf } from '../samples.mjs';
import { startHttp } from '../servers.mjs';
import { treesFolder } from '../tree.mjs';

/** @param {number} count */
function searchTree(count) {
  const root = join(treesFolder, `search-${count}`);
  if (existsSync(root)) return root;
  const next = `${root}.next-${process.pid}`;
  const skills = targetSkills();
  for (const { name, text } of [...skills, ...generatedSkills(count - skills.length)]) {
    mkdirSync(join(next, name), { recursive: true });
    writeFileSync(join(next, name, 'SKILL.md'), text);
  }
  renameSync(next, root);
  return root;
}

/**
 * Names of the hits, best first, and whether all texts were searched.
 * @param {number} port @param {string} query @returns {Promise<{ names: string[], complete: boolean }>}
 */
async function ask(port, query) {
  const answer = await fetch(`http://127.0.0.1:${port}/api/search?limit=10&q=${encodeURIComponent(query)}`);
  const { hits, complete } = await answer.json();
  return { names: hits.map((/** @type {{ name: string }} */ hit) => hit.name), complete };
}

/** @param {readonly number[]} values @param {number} part */
function percentile(values, part) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
}

/** @param {import('../build.mjs').Build} build @param {number} count */
async function measure(build, count) {
  const server = await startHttp(build, searchTree(count));
  const [cpuBefore, rssBefore] = [server.cpu(), server.rss()];
  // On a busy machine a search may answer before all texts are read.
  while (!(await ask(server.port, 'first')).complete);
  const indexing = server.cpu() - cpuBefore;
  /** @type {Record<'tuning' | 'held-out', { at: number[], ms: number[] }>} */
  const seen = { tuning: { at: [], ms: [] }, 'held-out': { at: [], ms: [] } };
  // The first half warms up, as in the other rows.
  for (const half of /** @type {const} */ (['tuning', 'held-out']))
    for (const { query, name } of queries(half)) {
      const before = server.cpu();
      const { names } = await ask(server.port, query);
      seen[half].ms.push((server.cpu() - before) * 1e3);
      seen[half].at.push(names.indexOf(name));
    }
  const memory = server.rss() - rssBefore;
  await server.stop();
  /** @param {'tuning' | 'held-out'} half @param {number} first */
  const hitAt = (half, first) => seen[half].at.filter((at) => at >= 0 && at < first).length / seen[half].at.length;
  /** @param {'tuning' | 'held-out'} half */
  const hits = (half) => `${half}: ${[1, 5, 10].map((n) => `hit@${n} ${hitAt(half, n).toFixed(3)}`).join(', ')}`;
  const { ms, at } = seen['held-out'];
  return {
    figures: {
      indexing,
      late: percentile(ms, 0.95),
      memory,
      notFirst: 100 * (1 - hitAt('held-out', 1)),
      notFound: 100 * (1 - hitAt('held-out', 10)),
    },
    queries: at.length,
    times: `p50 ${percentile(ms, 0.5).toFixed(2)} ms, p95 ${percentile(ms, 0.95).toFixed(2)} ms`,
    hits,
  };
}

/** @param {import('../run.mjs').Options} options */
export default async function search({ quick, count }) {
  /** @type {Record<'indexing' | 'late' | 'memory' | 'notFirst' | 'notFound', import('../samples.mjs').Samples>} */
  const seen = {
    indexing: { ours: [] },
    late: { ours: [] },
    memory: { ours: [] },
    notFirst: { ours: [] },
    notFound: { ours: [] },
  };
  let last;
  for (let round = 0; round < (quick ? 1 : 3); round++)
    for (const build of builds) {
      const measured = await measure(build, count);
      if (build.name === 'ours') last = measured;
      for (const [name, value] of Object.entries(measured.figures)) {
        const samples = seen[/** @type {keyof typeof seen} */ (name)];
        samples[build.name] = [...(samples[build.name] ?? []), value];
      }
    }
  return [
    rowOf(seen.indexing, { name: `first search among ${count} skills, with the index`, unit: 's CPU', bar: 5 }),
    rowOf(seen.late, {
      name: `search among ${count} skills, 95 of 100 take less`,
      unit: 'ms CPU',
      bar: 10,
      floor: last?.times,
    }),
    rowOf(seen.memory, { name: `memory of the search, ${count} skills`, unit: 'MB', bar: 150 }),
    rowOf(seen.notFirst, {
      name: `search, skill not the first hit, ${last?.queries} held-out queries`,
      unit: '%',
      bar: 25,
      floor: last?.hits('held-out'),
    }),
    rowOf(seen.notFound, {
      name: 'search, skill not among ten hits, held-out queries',
      unit: '%',
      bar: 10,
      floor: last?.hits('tuning'),
    }),
  ];
}
