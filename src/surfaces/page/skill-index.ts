/**
 * The facts about all skills of a snapshot that filters and orders of the listing need. Built once per snapshot and set of decisions, in
 * slices, so that a catalog of 100,000 skills blocks nobody. A request then makes rows for its own page only.
 */
import { visitInSlices } from '../../async/slices.ts';
import { sortInSlices } from '../../async/sort-in-slices.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import type { SkillOrder, SkillRow } from './page-data.ts';
import { facetBits } from './skill-facets.ts';
import { type RowsContext, rowsOf } from './skill-rows.ts';

export interface IndexedPageSkill {
  readonly skill: SkillRecord;
  /** In lower case. */
  readonly name: string;
  readonly origin: string;
  readonly bytes: number;
  /** The filters that it passes, one bit each. */
  readonly facets: number;
  /** True if agents find it by a search. */
  readonly isSearched: boolean;
}

export interface PageIndex {
  /** By name. */
  readonly skills: readonly IndexedPageSkill[];
  readonly origins: readonly string[];
  rowOf(skill: SkillRecord): SkillRow;
  /** All skills in an order. */
  ordered(order: SkillOrder): Promise<readonly IndexedPageSkill[]>;
}

interface Built {
  readonly snapshot: Snapshot;
  readonly served: Snapshot;
  readonly stamp: string;
  readonly index: Promise<PageIndex>;
}

/** The indexes of one group of readers: the newest for trusted readers, and the newest for others. */
export function pageIndexes() {
  const newest = new Map<boolean, Built>();
  return {
    async of(context: RowsContext): Promise<PageIndex> {
      const { snapshot, served, trusted, review } = context;
      const stamp = await review.stamp();
      const known = newest.get(trusted);
      if (known?.snapshot === snapshot && known.served === served && known.stamp === stamp) return known.index;
      const index = buildIndex(context);
      const built = { snapshot, served, stamp, index };
      newest.set(trusted, built);
      // A failed build is not kept, so the next request tries again.
      index.catch(() => {
        if (newest.get(trusted) === built) newest.delete(trusted);
      });
      return index;
    },
  };
}

async function buildIndex(context: RowsContext): Promise<PageIndex> {
  const { snapshot, served } = context;
  const { rowOf } = await rowsOf(context);
  const all: IndexedPageSkill[] = [];
  await visitInSlices(snapshot.skills, (skill) => {
    const row = rowOf(skill);
    const inSearch = served.skill(row.uri)?.listed === true;
    const { origin, bytes } = row;
    all.push({ skill, name: row.name.toLowerCase(), origin, bytes, facets: facetBits(row), isSearched: inSearch });
  });
  const skills = await sortInSlices(all, byName);
  const orders = new Map<SkillOrder, Promise<readonly IndexedPageSkill[]>>([['name', Promise.resolve(skills)]]);
  return {
    skills,
    rowOf,
    origins: [...new Set(all.map(({ origin }) => origin))].sort(),
    ordered(order) {
      const known = orders.get(order) ?? sortInSlices(skills, order === 'size' ? bySize : byUpdate());
      orders.set(order, known);
      return known;
    },
  };
}

function byName(a: IndexedPageSkill, b: IndexedPageSkill): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.skill.entry.uri < b.skill.entry.uri ? -1 : 1;
}

/** The largest first. */
function bySize(a: IndexedPageSkill, b: IndexedPageSkill): number {
  return b.bytes - a.bytes;
}

/** The newest first; skills of an unknown age last. */
function byUpdate(): (a: IndexedPageSkill, b: IndexedPageSkill) => number {
  const times = new Map<IndexedPageSkill, number>();
  const timeOf = (item: IndexedPageSkill): number => {
    const time = times.get(item) ?? item.skill.source.updatedMs ?? 0;
    times.set(item, time);
    return time;
  };
  return (a, b) => timeOf(b) - timeOf(a);
}
