/**
 * The quality of search, on queries that were written before any tuning. The figures of record come from `npm run bench` with 10,000 generated
 * skills. This test uses a few hundred, to notice a change for the worse.
 */
import { describe, expect, test } from 'vitest';
import { createSearchIndex, type SearchIndex } from '../../src/search/search-index.ts';
import { searchedFile } from '../../src/search/searched-text.ts';
import { generatedSkills, queries, targetSkills } from '../retrieval/corpus.mjs';

const uriOf = (name: string): string => `skill://${name}/SKILL.md`;

function filledIndex(): SearchIndex {
  const index = createSearchIndex();
  for (const { name, description, text } of [...targetSkills(), ...generatedSkills(500)])
    index.put({ uri: uriOf(name), key: name, name, description, ...searchedFile(new TextEncoder().encode(text)) });
  return index;
}

const index = filledIndex();

/** The part of the queries whose skill is among the first hits. */
function hitAt(half: 'tuning' | 'held-out', first: number): number {
  const tried = queries(half);
  const found = tried.filter(({ query, name }) =>
    index.search(query, { limit: first }).hits.some(({ skill }) => skill === uriOf(name)),
  );
  return found.length / tried.length;
}

describe('search', () => {
  test('has more than 300 queries, half of them held out, each for one existing skill', () => {
    const all = [...queries('tuning'), ...queries('held-out')];
    expect(all.length).toBeGreaterThanOrEqual(300);
    expect(Math.abs(queries('tuning').length - queries('held-out').length)).toBeLessThanOrEqual(1);
    expect(new Set(all.map(({ query }) => query))).toHaveLength(all.length);
    const names = new Set(targetSkills().map(({ name }) => name));
    expect(all.filter(({ name }) => !names.has(name))).toEqual([]);
  });

  test.each(['tuning', 'held-out'] as const)('finds the skills of the %s queries', (half) => {
    expect(hitAt(half, 1)).toBeGreaterThanOrEqual(0.8);
    expect(hitAt(half, 5)).toBeGreaterThanOrEqual(0.9);
    expect(hitAt(half, 10)).toBeGreaterThanOrEqual(0.92);
  });
});
