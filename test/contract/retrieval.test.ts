/**
 * How well search finds, on queries that were written before anything was tuned. The figures of record are those of `npm run bench`
 * among 10,000 generated skills; here among some hundred, so that a change that finds less is noticed.
 */
import { describe, expect, test } from 'vitest';
import { createSearchIndex, type SearchIndex } from '../../src/search/search-index.ts';
import { searchedFile } from '../../src/search/searched-text.ts';
import { askedSkills, generatedSkills, queries } from '../retrieval/corpus.mjs';

const uriOf = (name: string): string => `skill://${name}/SKILL.md`;

function filledIndex(): SearchIndex {
  const index = createSearchIndex();
  for (const { name, description, text } of [...askedSkills(), ...generatedSkills(500)])
    index.put({ uri: uriOf(name), key: name, name, description, ...searchedFile(new TextEncoder().encode(text)) });
  return index;
}

const index = filledIndex();

/** The part of the queries whose skill is among the first hits. */
function hitAt(half: 'tuning' | 'held-out', first: number): number {
  const asked = queries(half);
  const found = asked.filter(({ query, name }) =>
    index.search(query, { limit: first }).hits.some(({ uri }) => uri === uriOf(name)),
  );
  return found.length / asked.length;
}

describe('search', () => {
  test('has more than 300 queries, half of them held out, each for one skill that there is', () => {
    const all = [...queries('tuning'), ...queries('held-out')];
    expect(all.length).toBeGreaterThanOrEqual(300);
    expect(Math.abs(queries('tuning').length - queries('held-out').length)).toBeLessThanOrEqual(1);
    expect(new Set(all.map(({ query }) => query))).toHaveLength(all.length);
    const names = new Set(askedSkills().map(({ name }) => name));
    expect(all.filter(({ name }) => !names.has(name))).toEqual([]);
  });

  test.each(['tuning', 'held-out'] as const)('finds what the %s queries ask for', (half) => {
    expect(hitAt(half, 1)).toBeGreaterThanOrEqual(0.8);
    expect(hitAt(half, 5)).toBeGreaterThanOrEqual(0.9);
    expect(hitAt(half, 10)).toBeGreaterThanOrEqual(0.92);
  });
});
