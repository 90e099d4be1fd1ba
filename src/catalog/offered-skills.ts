/**
 * Which listed skills `skills/list` shows to a client that declares nothing. The official MCP client rejects a whole
 * listing for one entry that it does not accept, so such skills are left out by default. Search, sites and URIs still
 * have them.
 */
import { oneOf } from '../skill/checked-options.ts';
import { isListable } from '../skill/client-rules.ts';
import { recordAt } from './skill-index.ts';
import type { SkillRecord } from './skill-record.ts';

/** `compatible`: skills that the official MCP client accepts. `all`: every listed skill. */
export type ListingMode = 'compatible' | 'all';

export const listingModes: readonly ListingMode[] = ['compatible', 'all'];

export const listingMode = oneOf(...listingModes);

export const defaultListing: ListingMode = 'compatible';

interface Listing {
  readonly listed: readonly SkillRecord[];
  readonly listing: ListingMode;
}

const compatible = new WeakMap<readonly SkillRecord[], readonly SkillRecord[]>();

/** Sorted by URI; the list of the snapshot itself if nothing is left out. */
export function offeredSkills({ listed, listing }: Listing): readonly SkillRecord[] {
  if (listing === 'all') return listed;
  let known = compatible.get(listed);
  if (known === undefined) {
    const accepted = listed.filter(({ entry }) => isListable(entry.frontmatter));
    known = accepted.length === listed.length ? listed : accepted;
    compatible.set(listed, known);
  }
  return known;
}

/** True if the skill with this canonical URI is in the default listing. */
export function isOffered(snapshot: Listing, uri: string): boolean {
  return recordAt({ skills: offeredSkills(snapshot) }, uri) !== undefined;
}
