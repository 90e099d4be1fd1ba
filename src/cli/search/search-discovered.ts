/**
 * Searches the listings of origins and fetches nothing. Bodies are searched if they are in a local folder or were cached by an earlier load.
 */
import { isDoneWithin } from '../../async/deadline.ts';
import { createSearchMeanings } from '../../catalog/search-meanings.ts';
import type { DiscoveredSkill } from '../../host/discover/discovered-skill.ts';
import { limits } from '../../limits.ts';
import type { Embedder } from '../../search/embedder.ts';
import { documentOf } from '../../search/search-document.ts';
import { createSearchIndex, hitsAs, type SearchHit, type SearchResult } from '../../search/search-index.ts';
import { searchedFile } from '../../search/searched-text.ts';

export type DiscoveredHit = SearchHit<DiscoveredSkill>;
export type DiscoveredHits = SearchResult<DiscoveredSkill>;

export interface DiscoveredSearch {
  readonly query: string;
  readonly limit: number | undefined;
  /** The SKILL.md if it is local or cached. */
  bytesOf(skill: DiscoveredSkill): Promise<Uint8Array | undefined>;
  /** Search by meaning too. */
  readonly embedder?: Embedder | undefined;
}

export async function searchDiscovered(
  skills: readonly DiscoveredSkill[],
  { query, limit, bytesOf, embedder }: DiscoveredSearch,
): Promise<DiscoveredHits> {
  const index = createSearchIndex();
  const meanings = embedder === undefined ? undefined : createSearchMeanings(index, embedder);
  const known = new Map(skills.map((skill) => [identityOf(skill), skill]));
  const left = known.entries();
  const put = async (): Promise<void> => {
    for (const [uri, skill] of left) {
      const document = documentOf(skill.entry, uri);
      const bytes = index.hasBody(document.key) ? undefined : await bytesOf(skill);
      index.put(bytes === undefined ? document : { ...document, ...searchedFile(bytes) });
      meanings?.want(document);
    }
  };
  await Promise.all(Array.from({ length: limits.search.parallelReads }, put));
  // Texts not embedded by then are ranked by words.
  if (meanings !== undefined) await isDoneWithin(meanings.work(), limits.search.commandEmbedMs);
  const meaning = await meanings?.ofQuery(query);
  meanings?.close();
  const { hits, total } = index.search(query, limit === undefined ? { meaning } : { limit, meaning });
  return { hits: hitsAs(hits, (uri) => known.get(uri)), total };
}

function identityOf({ label, uri }: DiscoveredSkill): string {
  return JSON.stringify([label, uri]);
}
