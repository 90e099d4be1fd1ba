/** The filters of the listing. Each is a test on a row, so the number beside a filter is the number of skills that it shows. */
import type { FacetId, SkillRow } from './page-data.ts';

export const facetTests: Readonly<Record<FacetId, (row: SkillRow) => boolean>> = {
  'not-served': ({ agentsGet }) => agentsGet === 'nothing',
  waiting: ({ state }) => state === 'waiting',
  denied: ({ state }) => state === 'denied',
  disabled: ({ state }) => state === 'disabled',
  approved: ({ approved }) => approved === 'yes',
  'not-approved': ({ approved }) => approved === 'no' || approved === 'changed',
  verified: ({ verified }) => verified,
  live: ({ verified }) => !verified,
  scripts: ({ scripts }) => scripts > 0,
  tools: ({ tools }) => tools > 0,
  findings: ({ problems, warnings, notes }) => problems + warnings + notes > 0,
  'same-name': ({ collides }) => collides,
  unlisted: ({ listed }) => !listed,
};

export const facetIds: readonly FacetId[] = Object.keys(facetTests) as FacetId[];

/** The filters that a row passes, one bit each. */
export function facetBits(row: SkillRow): number {
  let bits = 0;
  for (const [place, id] of facetIds.entries()) if (facetTests[id](row)) bits |= 1 << place;
  return bits;
}

export function bitsOf(ids: readonly FacetId[]): number {
  return ids.reduce((bits, id) => bits | (1 << facetIds.indexOf(id)), 0);
}
