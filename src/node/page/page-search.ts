/** The search of the page: that of agents and, for readers who see waiting skills, the same search over those. */
import type { SkillSearch, SkillSearchAnswer } from '../../catalog/catalog-search.ts';
import { limits } from '../../limits.ts';
import type { PageHits, PageSearch } from '../../surfaces/page/page-ports.ts';

/** @param waiting searches skills that wait for approval; a newer version of a served skill is one of them */
export function pageSearch(served: SkillSearch, waiting: SkillSearch | undefined): PageSearch {
  return async (query, { trusted, signal }) => {
    const options = { limit: limits.page.hits, signal };
    const answers = await Promise.all([
      served.search(query, options),
      ...(trusted && waiting !== undefined ? [waiting.search(query, options)] : []),
    ]);
    const hits = answers.map(hitsOf);
    return {
      hits: interleaved(hits),
      total: answers.reduce((sum, { total }) => sum + total, 0),
      complete: answers.every(({ complete }) => complete),
    };
  };
}

function hitsOf({ hits }: SkillSearchAnswer): PageHits['hits'] {
  return hits.map(({ skill, copies, twins }) => ({
    uri: skill.entry.uri,
    copies: copies.map(({ entry }) => entry.uri),
    twins: twins.map(({ entry }) => entry.uri),
  }));
}

/** The best of each first: scores of different texts cannot be compared. A skill in both counts once. */
function interleaved([first = [], second = []]: readonly PageHits['hits'][]): PageHits['hits'] {
  const all = Array.from({ length: Math.max(first.length, second.length) }, (_, place) => [
    ...first.slice(place, place + 1),
    ...second.slice(place, place + 1),
  ]).flat();
  const seen = new Set<string>();
  return all.filter(({ uri }) => !seen.has(uri) && seen.add(uri));
}
