/**
 * Searches several origins: those that offer a search by their own, which also finds skills that they do not list; the others by their
 * listings. An origin whose search fails is searched by its listing, too.
 */
import { SkillwireError } from '../../errors.ts';
import { discoveredSkill } from '../../host/discover/discover.ts';
import type { DiscoveredSkill } from '../../host/discover/discovered-skill.ts';
import type { Discovery, Host } from '../../host/host.ts';
import { limits } from '../../limits.ts';
import {
  type DiscoveredHit,
  type DiscoveredHits,
  type DiscoveredSearch,
  searchDiscovered,
} from './search-discovered.ts';

export interface OriginSearch extends Pick<DiscoveredSearch, 'query' | 'limit' | 'embedder'> {
  readonly host: Pick<Host, 'origins' | 'peek'>;
  readonly signal: AbortSignal;
  /** Receives the label of an origin whose own search failed. */
  warn(label: string, error: SkillwireError): void;
}

export interface OriginHits extends DiscoveredHits {
  /** Labels of the origins that were searched by their own search. */
  readonly byServer: readonly string[];
  /** How many skills were searched by their listings. */
  readonly listed: number;
}

export async function searchOrigins({ origins, skills }: Discovery, search: OriginSearch): Promise<OriginHits> {
  const { host, signal, query, limit, embedder } = search;
  const own = new Map<string, readonly DiscoveredHit[]>();
  await Promise.all(
    origins.map(async ({ label }) => {
      const hits = await serverHits(label, skills, search);
      if (hits !== undefined) own.set(label, hits);
    }),
  );
  signal.throwIfAborted();
  const others = skills.filter(({ label }) => !own.has(label));
  const bytesOf = (skill: DiscoveredSkill): Promise<Uint8Array | undefined> => host.peek(skill, { signal });
  const found = await searchDiscovered(others, { query, limit, embedder, bytesOf });
  const hits = interleaved([...own.values(), found.hits]);
  const total = found.total + [...own.values()].reduce((sum, all) => sum + all.length, 0);
  return {
    hits: hits.slice(0, limit ?? limits.search.hits),
    total,
    byServer: [...own.keys()].sort(),
    listed: others.length,
  };
}

/** `undefined` if the origin offers no search, or if its search failed. */
async function serverHits(
  label: string,
  skills: readonly DiscoveredSkill[],
  { host, query, limit = limits.search.hits, signal, warn }: OriginSearch,
): Promise<readonly DiscoveredHit[] | undefined> {
  const origin = host.origins.get(label);
  if (origin?.source.search === undefined) return undefined;
  try {
    const uris = await origin.source.search(query, limit, { signal });
    if (uris === undefined) return undefined;
    const listed = new Map(skills.flatMap((skill) => (skill.label === label ? [[skill.uri, skill] as const] : [])));
    const hits = await Promise.all(
      uris.map(async (uri): Promise<DiscoveredSkill | undefined> => {
        const known = listed.get(uri);
        if (known !== undefined) return known;
        const unlisted = await origin.source.get(uri, { signal });
        return unlisted === undefined ? undefined : discoveredSkill(origin, unlisted, true);
      }),
    );
    return hits.flatMap((skill) => (skill === undefined ? [] : [{ skill, copies: [], twins: [] }]));
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    warn(label, error);
    return undefined;
  }
}

/** The best of each first: scores of different servers cannot be compared. */
function interleaved(lists: readonly (readonly DiscoveredHit[])[]): readonly DiscoveredHit[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) => lists.flatMap((list) => list.slice(place, place + 1))).flat();
}
