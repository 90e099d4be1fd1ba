// Two other search engines with their defaults, over the same texts.
import { create, insertMultiple, search } from '@orama/orama';
import MiniSearch from 'minisearch';

/** @typedef {{ id: string, name: string, description: string, hints: string }} Text */
/** @typedef {{ name: string, find(query: string): Promise<readonly string[]> }} Engine */

/** @param {readonly Text[]} texts @returns {Engine} */
export function miniSearch(texts) {
  const engine = new MiniSearch({ fields: ['name', 'description', 'hints'] });
  engine.addAll(texts);
  return {
    name: 'MiniSearch',
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
  await insertMultiple(engine, [...texts]);
  return {
    name: 'Orama',
    find: async (query) => {
      const { hits } = await search(engine, { term: query, limit: 10, properties: ['name', 'description', 'hints'] });
      return hits.map(({ document }) => document.id);
    },
  };
}
