/**
 * Search over what origins list. Nothing is fetched for it: names and descriptions are in the listings, and of the bodies those join
 * that lie in a folder of this machine or were kept from an earlier loading.
 */
import type { DiscoveredSkill } from '../host/discover/discovered-skill.ts';
import { limits } from '../limits.ts';
import { createSearchIndex } from '../search/search-index.ts';
import { searchedFile } from '../search/searched-text.ts';
import { documentOf } from '../search/text-key.ts';

export interface DiscoveredHit {
  readonly skill: DiscoveredSkill;
  /** Others with the same SKILL.md. */
  readonly copies: readonly DiscoveredSkill[];
  /** Near twins: other versions of it, or the same description under another name. */
  readonly twins: readonly DiscoveredSkill[];
}

export interface DiscoveredHits {
  /** Best first. */
  readonly hits: readonly DiscoveredHit[];
  /** How many fit without the limit, twins included. */
  readonly total: number;
}

export interface DiscoveredSearch {
  readonly query: string;
  readonly limit: number | undefined;
  /** The SKILL.md where it is at hand. */
  bytesOf(skill: DiscoveredSkill): Promise<Uint8Array | undefined>;
}

export async function searchDiscovered(
  skills: readonly DiscoveredSkill[],
  { query, limit, bytesOf }: DiscoveredSearch,
): Promise<DiscoveredHits> {
  const index = createSearchIndex();
  const known = new Map(skills.map((skill) => [identityOf(skill), skill]));
  const left = known.entries();
  const put = async (): Promise<void> => {
    for (const [uri, skill] of left) {
      const document = documentOf(skill.entry, uri);
      const bytes = index.hasBody(document.key) ? undefined : await bytesOf(skill);
      index.put(bytes === undefined ? document : { ...document, ...searchedFile(bytes) });
    }
  };
  await Promise.all(Array.from({ length: limits.search.parallelReads }, put));
  const { hits, total } = index.search(query, limit === undefined ? {} : { limit });
  const skillOf = (uri: string): readonly DiscoveredSkill[] => {
    const skill = known.get(uri);
    return skill === undefined ? [] : [skill];
  };
  return {
    hits: hits.flatMap(({ uri, copies, twins }) =>
      skillOf(uri).map((skill) => ({ skill, copies: copies.flatMap(skillOf), twins: twins.flatMap(skillOf) })),
    ),
    total,
  };
}

function identityOf({ label, uri }: DiscoveredSkill): string {
  return JSON.stringify([label, uri]);
}
