// Engines that Skillwire's search is compared with: two engines with their defaults, and two textbook rankings of whole files.
import { create, insertMultiple, search } from '@orama/orama';
import MiniSearch from 'minisearch';
import { stem } from '../../dist/search/stem.js';
import { isEmptyWord, visitWords } from '../../dist/search/words.js';

/** @typedef {{ id: string, name: string, description: string, hints: string, body: string }} Text */
/** @typedef {{ name: string, find(query: string): Promise<readonly string[]> }} Engine */

/** @param {readonly Text[]} texts @param {boolean} bodies @returns {Engine} */
export function miniSearch(texts, bodies) {
  const engine = new MiniSearch({ fields: ['name', 'description', 'hints', ...(bodies ? ['body'] : [])] });
  engine.addAll(texts);
  return {
    name: `MiniSearch${bodies ? ' with bodies' : ''}`,
    find: async (query) =>
      engine
        .search(query)
        .slice(0, 10)
        .map(({ id }) => id),
  };
}

/** @param {readonly Text[]} texts @returns {Promise<Engine>} */
export async function orama(texts) {
  const engine = create({ schema: { id: 'string', name: 'string', description: 'string', hints: 'string' } });
  await insertMultiple(
    engine,
    texts.map(({ id, name, description, hints }) => ({ id, name, description, hints })),
  );
  return {
    name: 'Orama',
    find: async (query) => {
      const { hits } = await search(engine, { term: query, limit: 10, properties: ['name', 'description', 'hints'] });
      return hits.map(({ document }) => document.id);
    },
  };
}

/** @param {string} text @returns {Map<string, number>} */
function countTerms(text) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  visitWords(text, (word) => {
    if (isEmptyWord(word)) return;
    const term = stem(word);
    counts.set(term, (counts.get(term) ?? 0) + 1);
  });
  return counts;
}

/**
 * BM25 (k1 1.2, b 0.75) and query likelihood with Dirichlet smoothing (mu 2,000), over whole files and whole queries.
 * @param {readonly Text[]} texts @returns {{ bm25: Engine, likelihood: Engine }}
 */
export function textbook(texts) {
  /** @type {Map<string, { slots: number[], counts: number[], all: number }>} */
  const lists = new Map();
  const lengths = texts.map(({ name, description, hints, body }, slot) => {
    let length = 0;
    for (const [term, count] of countTerms(`${name}\n${description}\n${hints}\n${body}`)) {
      length += count;
      const list = lists.get(term) ?? { slots: [], counts: [], all: 0 };
      list.slots.push(slot);
      list.counts.push(count);
      list.all += count;
      lists.set(term, list);
    }
    return length;
  });
  const all = lengths.reduce((sum, length) => sum + length, 0);
  const average = all / texts.length;

  /**
   * @param {string} name
   * @param {(count: number, slot: number, list: { slots: readonly number[], all: number }) => number} score
   * @param {(slot: number, words: number) => number} prior @returns {Engine}
   */
  const engine = (name, score, prior) => ({
    name,
    find: async (query) => {
      const scores = new Float64Array(texts.length);
      let words = 0;
      for (const [term, times] of countTerms(query)) {
        words += times;
        const list = lists.get(term);
        for (const [at, slot] of (list?.slots ?? []).entries())
          if (list !== undefined) scores[slot] = (scores[slot] ?? 0) + times * score(list.counts[at] ?? 0, slot, list);
      }
      return [...scores.keys()]
        .filter((slot) => scores[slot] !== 0)
        .map((slot) => ({ slot, score: (scores[slot] ?? 0) + prior(slot, words) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, 10)
        .map(({ slot }) => texts[slot]?.id ?? '');
    },
  });

  return {
    bm25: engine(
      'BM25 of whole files',
      (count, slot, { slots }) => {
        const rarity = Math.log(1 + (texts.length - slots.length + 0.5) / (slots.length + 0.5));
        return (rarity * 2.2 * count) / (count + 1.2 * (0.25 + (0.75 * (lengths[slot] ?? 0)) / average));
      },
      () => 0,
    ),
    likelihood: engine(
      'query likelihood of whole files',
      (count, _, list) => Math.log(1 + count / ((2_000 * list.all) / all)),
      (slot, words) => words * Math.log(2_000 / (2_000 + (lengths[slot] ?? 0))),
    ),
  };
}
