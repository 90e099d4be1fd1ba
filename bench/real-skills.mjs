// npm run bench:search -- FOLDER [--tuning] [--peers] [--embedder URL --model NAME [--key-env NAME]] [--only OWNER/NAME,...]
// [--without OWNER/NAME,...] [--sets TEXT]
//
// Measures how well search finds real skills, and its cost. FOLDER contains clones of the repositories in
// real-skills/corpora.mjs, each as OWNER+NAME. Prints a table for docs/explanation/benchmarks.md.
import { parseArgs } from 'node:util';
import { embeddingsEndpoint } from '../dist/node/embeddings-endpoint.js';
import { embeddedQuery, embeddedText, embeddedTexts } from '../dist/search/embedder.js';
import { documentOf } from '../dist/search/search-document.js';
import { createSearchIndex } from '../dist/search/search-index.js';
import { searchedFile } from '../dist/search/searched-text.js';
import { corpora, realSkills } from './real-skills/corpora.mjs';
import {
  promptQueries,
  requirementQueries,
  taskCount,
  taskQueries,
  triggerQueries,
  withoutQueryPhrases,
} from './real-skills/queries.mjs';

/** @typedef {import('./real-skills/corpora.mjs').RealSkill} RealSkill */
/** @typedef {import('./real-skills/queries.mjs').Query} Query */
/** @typedef {{ name: string, find(query: string): Promise<readonly (readonly string[])[]> }} Engine finds hits, each with its copies and twins */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tuning: { type: 'boolean' },
    peers: { type: 'boolean' },
    queries: { type: 'string', default: '1000' },
    embedder: { type: 'string' },
    model: { type: 'string', default: '' },
    'key-env': { type: 'string' },
    only: { type: 'string' },
    without: { type: 'string', default: '' },
    sets: { type: 'string', default: '' },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error('Usage: npm run bench:search -- FOLDER (the folder with the clones)');
  process.exit(2);
}
const half = values.tuning === true ? 'tuning' : 'reported';
const most = Number(values.queries);
const unwanted = values.without.split(',');
const wanted = (values.only?.split(',') ?? corpora.map(({ repository }) => repository)).filter(
  (repository) => !unwanted.includes(repository),
);
const skills = corpora
  .filter(({ repository }) => wanted.includes(repository))
  .flatMap((corpus) => realSkills(folder, corpus));
const allSets = {
  'listed triggers, held out': triggerQueries(skills, 'listed', half, most),
  'quoted phrases, held out': triggerQueries(skills, 'quoted', half, most),
  'test prompts of authors': promptQueries(folder, skills, half, most),
  ...(half === 'tuning'
    ? { 'SWE-Skills-Bench tasks': requirementQueries(folder, skills) }
    : {
        'SkillRouter, all tasks': taskQueries(folder, skills, true),
        'SkillRouter, scored tasks': taskQueries(folder, skills, false),
      }),
};
/** Some sets alone, by a part of their name: peers take minutes for whole tasks. */
const sets = Object.fromEntries(Object.entries(allSets).filter(([name]) => name.includes(values.sets)));

/** @param {RealSkill} skill @param {boolean} withoutQueries */
function documentFor({ id, digest, frontmatter }, withoutQueries) {
  const resources = [{ uri: id, digest: `sha256:${digest}`, size: 0 }];
  return documentOf({
    uri: id,
    frontmatter: withoutQueries ? withoutQueryPhrases(frontmatter) : frontmatter,
    resources,
  });
}

/** The text behind the frontmatter. @param {RealSkill} skill */
function bodyOf({ bytes }) {
  return bytes.toString().replace(/^---[\s\S]*?\n---/, '');
}

/** @param {string} name @param {boolean} withoutQueries @returns {Engine} */
function ours(name, withoutQueries) {
  const index = createSearchIndex();
  for (const skill of skills) index.put({ ...documentFor(skill, withoutQueries), ...searchedFile(skill.bytes) });
  return {
    name,
    find: async (query) =>
      index.search(query, { limit: 10 }).hits.map(({ skill, copies, twins }) => [skill, ...copies, ...twins]),
  };
}

/** Words and vectors, fused as a server does. @param {import('../dist/search/embedder.js').Embedder} embedder @returns {Promise<Engine>} */
async function byMeaning(embedder) {
  const index = createSearchIndex();
  /** @type {Map<string, string>} */
  const texts = new Map();
  for (const skill of skills) {
    const document = documentFor(skill, true);
    index.put({ ...document, ...searchedFile(skill.bytes) });
    texts.set(document.key, embeddedText(document));
  }
  const { signal } = new AbortController();
  const all = [...texts];
  for (let from = 0; from < all.length; from += 32) {
    const batch = all.slice(from, from + 32);
    const meanings = await embeddedTexts(
      embedder,
      batch.map(([, text]) => text),
      signal,
    );
    for (const [at, [key]] of batch.entries()) index.setMeaning(key, meanings[at]);
  }
  return {
    name: `Skillwire and ${values.model}`,
    find: async (query) => {
      const meaning = await embeddedQuery(embedder, query.slice(0, 1_000), signal);
      return index
        .search(query, { limit: 10, meaning })
        .hits.map(({ skill, copies, twins }) => [skill, ...copies, ...twins]);
    },
  };
}

const cpu = () => process.cpuUsage().user / 1e3;

/** @param {Engine} engine @param {readonly Query[]} queries */
async function measure({ find }, queries) {
  const found = [0, 0, 0];
  /** @type {number[]} */
  const spent = [];
  for (const { text, gold } of queries) {
    const before = cpu();
    const hits = await find(text);
    spent.push(cpu() - before);
    const place = hits.findIndex((uris) => uris.some((uri) => gold.has(uri)));
    for (const [at, first] of [1, 5, 10].entries()) if (place >= 0 && place < first) found[at] = (found[at] ?? 0) + 1;
  }
  const part = found.map((count) => (count / queries.length).toFixed(3)).join(' / ');
  const late = spent.sort((a, b) => a - b)[Math.floor(spent.length * 0.95)] ?? Number.NaN;
  return `${part} | ${late.toFixed(1)} ms`;
}

/** Bytes in use, without memory that the process has reserved. */
function memoryInUse() {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** @param {() => Engine | Promise<Engine>} make @param {Record<string, readonly Query[]>} sets */
async function report(make, sets) {
  const [memory, before] = [memoryInUse(), cpu()];
  const engine = await make();
  const spent = (cpu() - before) / 1e3;
  const cost = `${spent.toFixed(1)} s, ${Math.round((memoryInUse() - memory) / 2 ** 20)} MB`;
  for (const [set, queries] of Object.entries(sets))
    console.log(`| ${set} | ${queries.length} | ${engine.name} | ${await measure(engine, queries)} | ${cost} |`);
}

console.log(
  `${skills.length} skills, ${new Set(skills.map(({ digest }) => digest)).size} different, queries of the ${half} repositories\n`,
);
if (half === 'reported')
  for (const generic of [true, false]) {
    const [answered, all] = [taskQueries(folder, skills, generic).length, taskCount(folder, generic)];
    const which = generic ? 'all' : 'scored';
    console.log(
      `SkillRouter, ${which}: ${answered} of ${all} tasks have an answer here (${(answered / all).toFixed(3)})\n`,
    );
  }
console.log(
  '| queries | n | engine | hit@1 / 5 / 10 | p95 CPU | index: CPU, memory |\n| --- | --- | --- | --- | --- | --- |',
);
await report(() => ours('Skillwire', true), sets);
if (values.sets === '')
  await report(() => ours('Skillwire, nothing held out', false), {
    'listed triggers, as served': allSets['listed triggers, held out'],
  });
if (values.embedder !== undefined) {
  const key = values['key-env'] === undefined ? undefined : process.env[values['key-env']];
  const embedder = embeddingsEndpoint({ url: values.embedder, model: values.model, key });
  await report(() => byMeaning(embedder), sets);
}
if (values.peers === true) {
  const { miniSearch, orama, textbook } = await import('./real-skills/peers.mjs');
  /** Skills with the same file are one text, as our search shows them as one hit. @type {Map<string, RealSkill[]>} */
  const copies = new Map();
  for (const skill of skills) copies.set(skill.digest, [...(copies.get(skill.digest) ?? []), skill]);
  const texts = [...copies.values()].map(([skill]) => {
    const { uri, name, description, hints = '' } = documentFor(/** @type {RealSkill} */ (skill), true);
    return { id: uri, name, description, hints, body: bodyOf(/** @type {RealSkill} */ (skill)) };
  });
  const digests = new Map(skills.map(({ id, digest }) => [id, digest]));
  /** @param {string} id */
  const copiesOf = (id) => (copies.get(digests.get(id) ?? '') ?? []).map((skill) => skill.id);
  const few = Object.fromEntries(Object.entries(sets).map(([name, queries]) => [name, queries.slice(0, 200)]));
  const peers = [
    () => textbook(texts).bm25,
    () => textbook(texts).likelihood,
    () => miniSearch(texts, false),
    () => orama(texts),
    () => miniSearch(texts, true),
  ];
  for (const peer of peers)
    await report(async () => {
      const { name, find } = await peer();
      return { name, find: async (query) => (await find(query)).map(copiesOf) };
    }, few);
}
