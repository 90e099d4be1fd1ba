/**
 * `GET /api/skills`: filters, orders, groups and pages the skills on the server. A text is looked up by the search that agents have, so
 * the box of the page finds what `search_skills` finds. Skills that agents cannot find (waiting, disabled, unlisted) are found by the
 * words in their name, description and URI.
 */
import { nextTurn } from '../../async/slices.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { totalFindings } from '../../skill/finding.ts';
import type { FacetId, ListedSkill, SkillGroup, SkillListing, SkillOrder } from './page-data.ts';
import type { PageHits, PageSearch } from './page-ports.ts';
import { bitsOf, facetIds } from './skill-facets.ts';
import type { IndexedPageSkill, PageIndex } from './skill-index.ts';
import { otherFindings, type RowsContext } from './skill-rows.ts';

export interface ListingQuery {
  readonly text: string;
  readonly is: readonly FacetId[];
  readonly origin: string;
  readonly order: SkillOrder | 'relevance';
  readonly group: 'origin' | 'prefix' | '';
  /** Skills whose similar ones are listed after them. */
  readonly open: ReadonlySet<string>;
  readonly offset: number;
  readonly limit: number;
}

export interface ListingContext extends Pick<RowsContext, 'snapshot' | 'trusted'> {
  readonly search: PageSearch;
  readonly signal: AbortSignal;
}

const orders: readonly SkillOrder[] = ['name', 'updated', 'size'];
const groups = ['origin', 'prefix'] as const;

/** @throws SkillwireError USAGE */
export function listingQuery(query: URLSearchParams): ListingQuery {
  const text = (query.get('q') ?? '').trim().slice(0, limits.search.queryCharacters);
  return {
    text,
    is: query.getAll('is').map((id) => oneOf(id, facetIds, 'is')),
    origin: query.get('origin') ?? '',
    order: query.has('sort') ? oneOf(query.get('sort'), orders, 'sort') : text === '' ? 'name' : 'relevance',
    group: query.has('group') ? oneOf(query.get('group'), groups, 'group') : '',
    open: new Set(query.getAll('open').slice(0, limits.page.rows)),
    offset: numberIn(query, 'offset', 0, { least: 0, most: limits.search.texts }),
    limit: numberIn(query, 'limit', limits.page.rows, { least: 1, most: limits.page.mostRows }),
  };
}

function oneOf<T extends string>(text: string | null, known: readonly T[], name: string): T {
  const found = known.find((one) => one === text);
  if (found !== undefined) return found;
  const values = known.map((one) => `"${one}"`).join(', ');
  throw new SkillwireError('USAGE', `"${name}" must be one of ${values}, not ${quoteText(text ?? '')}.`);
}

/** A whole number of the query. @throws SkillwireError USAGE */
export function numberIn(
  query: URLSearchParams,
  name: string,
  usual: number,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  const text = query.get(name);
  if (text === null) return usual;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (number >= least && number <= most) return number;
  throw new SkillwireError(
    'USAGE',
    `"${name}" must be a number from ${least} to ${most.toLocaleString('en')}, not ${quoteText(text)}.`,
  );
}

export async function skillListing(
  index: PageIndex,
  query: ListingQuery,
  context: ListingContext,
): Promise<SkillListing> {
  const { snapshot, trusted } = context;
  const { offset, limit } = query;
  const hits = query.text === '' ? undefined : await context.search(query.text, { trusted, signal: context.signal });
  const found = await foundSkills(index, query, hits);
  const counts = countsOf(found);
  const wanted = bitsOf(query.is);
  const shown = wanted === 0 ? found : found.filter(({ facets }) => (facets & wanted) === wanted);
  const { lines, groups: grouped } = inGroups(folded(shown, hits, query.open), query.group);
  const others = otherFindings(snapshot);
  const listed = trusted ? others.filter(({ omitted }) => omitted === undefined).slice(0, limits.page.findings) : [];
  return {
    skills: lines.slice(offset, offset + limit).map(({ item, similar, isSimilar }): ListedSkill => {
      const updatedMs = item.skill.source.updatedMs;
      return {
        ...index.rowOf(item.skill),
        ...(updatedMs === undefined ? {} : { updated: new Date(updatedMs).toISOString() }),
        ...(similar === 0 ? {} : { similar }),
        ...(isSimilar ? { isSimilar } : {}),
      };
    }),
    offset,
    total: lines.length,
    found: shown.length,
    all: index.skills.length,
    facets: counts,
    groups: grouped,
    origins: index.origins,
    ...(hits === undefined ? {} : { search: { matches: hits.total, complete: hits.complete } }),
    // Once per listing, not with every page of it.
    findings: offset === 0 ? listed : [],
    hiddenFindings: totalFindings(others) - listed.length,
  };
}

async function foundSkills(
  index: PageIndex,
  { text, origin, order }: ListingQuery,
  hits: PageHits | undefined,
): Promise<readonly IndexedPageSkill[]> {
  const all = await index.ordered(order === 'relevance' ? 'name' : order);
  const ofOrigin = origin === '' ? all : all.filter((item) => item.origin === origin);
  if (hits === undefined) return ofOrigin;
  const rank = new Map<string, number>();
  for (const { uri, copies, twins } of hits.hits)
    for (const one of [uri, ...copies, ...twins]) if (!rank.has(one)) rank.set(one, rank.size);
  const words = text.toLowerCase().split(/\s+/);
  const found: { readonly item: IndexedPageSkill; readonly rank: number }[] = [];
  for (const [place, item] of ofOrigin.entries()) {
    if (place % 16_384 === 16_383) await nextTurn();
    const at = rank.get(item.skill.entry.uri);
    if (at !== undefined || hasWords(item, words)) found.push({ item, rank: at ?? rank.size });
  }
  if (order === 'relevance') found.sort((a, b) => a.rank - b.rank);
  return found.map(({ item }) => item);
}

/** Search has ranked the texts of indexed skills, so these match by name and URI alone; others also by origin and description. */
function hasWords({ skill, name, origin, isSearched }: IndexedPageSkill, words: readonly string[]): boolean {
  const place = `${name} ${skill.entry.uri.toLowerCase()}`;
  const hay = isSearched ? place : `${place} ${origin} ${skill.entry.frontmatter.description}`.toLowerCase();
  return words.every((word) => hay.includes(word));
}

function countsOf(found: readonly IndexedPageSkill[]): Readonly<Record<FacetId, number>> {
  const counts = facetIds.map(() => 0);
  for (const { facets } of found)
    for (let place = 0; place < counts.length; place++)
      if ((facets >> place) & 1) counts[place] = (counts[place] ?? 0) + 1;
  return Object.fromEntries(facetIds.map((id, place) => [id, counts[place] ?? 0])) as Record<FacetId, number>;
}

interface Line {
  readonly item: IndexedPageSkill;
  /** How many similar skills this line stands for. */
  readonly similar: number;
  readonly isSimilar: boolean;
}

/** Copies and versions of one skill become one line, which can be opened. */
function folded(
  found: readonly IndexedPageSkill[],
  hits: PageHits | undefined,
  open: ReadonlySet<string>,
): readonly Line[] {
  const plain = (item: IndexedPageSkill): Line => ({ item, similar: 0, isSimilar: false });
  if (hits === undefined) return found.map(plain);
  const byUri = new Map(found.map((item) => [item.skill.entry.uri, item]));
  const below = new Map<string, readonly IndexedPageSkill[]>();
  const taken = new Set<string>();
  for (const { uri, copies, twins } of hits.hits) {
    const [head, ...rest] = [uri, ...copies, ...twins].filter((one) => byUri.has(one) && !taken.has(one));
    if (head === undefined || rest.length === 0) continue;
    for (const one of rest) taken.add(one);
    below.set(
      head,
      rest.flatMap((one) => byUri.get(one) ?? []),
    );
  }
  return found.flatMap((item): readonly Line[] => {
    const { uri } = item.skill.entry;
    if (taken.has(uri)) return [];
    const rest = below.get(uri) ?? [];
    const others = open.has(uri) ? rest.map((one): Line => ({ item: one, similar: 0, isSimilar: true })) : [];
    return [{ item, similar: rest.length, isSimilar: false }, ...others];
  });
}

function inGroups(
  lines: readonly Line[],
  group: ListingQuery['group'],
): { readonly lines: readonly Line[]; readonly groups: readonly SkillGroup[] } {
  if (group === '') return { lines, groups: [] };
  const byName = new Map<string, Line[]>();
  for (const line of lines) {
    const name = group === 'origin' ? line.item.origin : prefixOf(line.item);
    const known = byName.get(name);
    if (known === undefined) byName.set(name, [line]);
    else known.push(line);
  }
  // Skills without a prefix come last.
  const names = [...byName.keys()].sort((a, b) => (a === '' ? 1 : b === '' ? -1 : a < b ? -1 : 1));
  return {
    lines: names.flatMap((name) => byName.get(name) ?? []),
    groups: names.map((name) => ({ name, count: byName.get(name)?.length ?? 0 })),
  };
}

/** The first segment of the path, if the skill is below it. */
function prefixOf({ skill }: IndexedPageSkill): string {
  const [first = '', second] = skill.path.split('/', 2);
  return second === undefined ? '' : first;
}
