/** The listing of the page: one definition of filters, order, groups and pages, on real catalogs. */
import { describe, expect, test } from 'vitest';
import { turnsOf } from '../../../test/turns-of.ts';
import { createCatalogSearch } from '../../catalog/catalog-search.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { finding } from '../../skill/finding.ts';
import { memorySource } from '../../sources/memory.ts';
import { findingListing } from './finding-listing.ts';
import type { PageOrigins, PageReview, PageSearch } from './page-ports.ts';
import { pageIndexes } from './skill-index.ts';
import { listingQuery, skillListing } from './skill-listing.ts';
import { findingsOf, otherFindings } from './skill-rows.ts';

const origins: PageOrigins = {
  origins: async () => [],
  labelOf: ({ path }) => (path.startsWith('b') ? 'second' : 'first'),
  kindOf: () => 'source',
};

/** A server without decisions. */
const review = {
  stamp: async () => '1',
  standings: async () => () => ({ state: 'served', approved: 'no' }),
  traits: ({ path }) => ({ scripts: path.includes('script') ? 1 : 0, tools: 0 }),
} as Partial<PageReview> as PageReview;

async function listingOf(query: string, skills: Readonly<Record<string, string>>) {
  const source = memorySource();
  for (const [path, description] of Object.entries(skills)) source.add(path, { description }, `# ${description}\n`);
  const catalog = createCatalog(source);
  const snapshot = await catalog.snapshot();
  const index = await pageIndexes().of({ snapshot, served: snapshot, origins, review, trusted: true });
  const engine = createCatalogSearch(catalog);
  const search: PageSearch = async (text) => {
    const { hits, total, complete } = await engine.search(text, { limit: 200 });
    const uri = ({ entry }: { readonly entry: { readonly uri: string } }): string => entry.uri;
    return {
      hits: hits.map((hit) => ({ uri: uri(hit.skill), copies: hit.copies.map(uri), twins: hit.twins.map(uri) })),
      total,
      complete,
    };
  };
  const { signal } = new AbortController();
  const listing = await skillListing(index, listingQuery(new URLSearchParams(query)), {
    ...{ snapshot, trusted: true, search, signal },
  });
  engine.close();
  await catalog.close();
  return { ...listing, names: listing.skills.map(({ name }) => name) };
}

const many = Object.fromEntries(
  Array.from({ length: 250 }, (_, place) => [
    `${place % 2 === 0 ? 'a' : 'b'}/skill-${String(place).padStart(3, '0')}`,
    `Does ${place}.`,
  ]),
);

describe('skillListing()', () => {
  test('returns a page of lines, and the totals', async () => {
    const first = await listingOf('', many);
    expect([first.skills.length, first.total, first.found, first.all]).toEqual([100, 250, 250, 250]);
    expect(first.names.slice(0, 2)).toEqual(['skill-000', 'skill-001']);
    const last = await listingOf('offset=240&limit=50', many);
    expect(last.names).toHaveLength(10);
    expect(last.names.at(-1)).toBe('skill-249');
  });

  test('filters by origin and filter; the counts are those of the filters', async () => {
    const skills = { 'a/one': 'One.', 'a/script-two': 'Two.', 'b/three': 'Three.' };
    expect(await listingOf('origin=second', skills)).toMatchObject({ names: ['three'], found: 1, all: 3 });
    const scripts = await listingOf('is=scripts', skills);
    expect(scripts).toMatchObject({ names: ['script-two'], facets: { scripts: 1, verified: 3 }, total: 1 });
  });

  test('groups by origin or prefix, with the sizes of the groups in the order of the lines', async () => {
    const skills = { 'b/two': 'Two.', 'a/one': 'One.', alone: 'Alone.', 'a/zero': 'Zero.' };
    const grouped = await listingOf('group=prefix', skills);
    expect(grouped.groups).toEqual([
      { name: 'a', count: 2 },
      { name: 'b', count: 1 },
      { name: '', count: 1 },
    ]);
    expect(grouped.names).toEqual(['one', 'zero', 'two', 'alone']);
    expect((await listingOf('group=origin', skills)).groups.map(({ name }) => name)).toEqual(['first', 'second']);
  });

  test('sorts by size, the largest first', async () => {
    const skills = { 'a/small': 'S.', 'a/large': 'A much longer description than the other.' };
    expect((await listingOf('sort=size', skills)).names).toEqual(['large', 'small']);
  });

  test('searches like agents, with typing errors, and by path', async () => {
    const skills = { 'a/code-review': 'Reviews a pull request before it is merged.', 'b/zoo': 'Feeds animals.' };
    expect((await listingOf('q=pull+requst', skills)).names).toEqual(['code-review']);
    expect((await listingOf('q=skill://b', skills)).names).toEqual(['zoo']);
    expect((await listingOf('q=nothing-of-it', skills)).names).toEqual([]);
  });

  test('versions of one skill are one line until it is opened', async () => {
    const words = 'Writes the changelog of a release from commits and tags';
    const skills = { 'a/changelog': `${words}.`, 'b/changelog': `${words} in English.`, 'c/other': 'Else.' };
    const folded = await listingOf('q=changelog', skills);
    expect(folded).toMatchObject({ total: 1, found: 2, skills: [{ similar: 1 }] });
    const head = folded.skills[0]?.uri ?? '';
    const opened = await listingOf(`q=changelog&open=${encodeURIComponent(head)}`, skills);
    expect(opened.skills.map(({ isSimilar }) => isSimilar)).toEqual([undefined, true]);
  });

  test('shows when to use a skill, also after a long description', async () => {
    const { skills } = await listingOf('', { 'a/long': `${'Word '.repeat(90)}. Use when asked for it.` });
    expect(skills[0]?.useWhen).toBe('Use when asked for it.');
    expect((await listingOf('', { 'a/plain': 'Users of it are happy.' })).skills[0]?.useWhen).toBeUndefined();
  });

  test.each(['limit=0', 'limit=501', 'offset=-1', 'limit=x', 'sort=age', 'group=name', 'is=nice'])(
    'refuses %s with the allowed values',
    async (query) => {
      expect(() => listingQuery(new URLSearchParams(query))).toThrow(/must be/);
    },
  );
});

test('a collision is not a problem of a served skill, and is counted once', async () => {
  const source = memorySource();
  source.add('a/one', { description: 'One.' }, 'Text.');
  const catalog = createCatalog(source);
  const { skills, skill, ...rest } = await catalog.snapshot();
  const uri = 'skill://a/one/SKILL.md';
  const findings = [finding('skill-uri-taken', 'taken', { skill: uri, file: '/x/one/SKILL.md' })];
  const snapshot = { ...rest, skills, skill, findings };
  expect(findingsOf(snapshot, uri)).toEqual([]);
  expect(otherFindings(snapshot)).toEqual(findings);
  expect(findingListing(snapshot, new URLSearchParams('level=problem'))).toMatchObject({
    total: 1,
    counts: { problems: 1, warnings: 0, notes: 0 },
  });
  expect(() => findingListing(snapshot, new URLSearchParams('level=bad'))).toThrow(/Unknown "level"/);
  await catalog.close();
});

test('the index of many skills is made in slices, with other work in between', async () => {
  const source = memorySource();
  for (let place = 0; place < 2_100; place++) source.add(`skill-${place}`, { description: 'Does it.' }, '# It\n');
  const catalog = createCatalog(source);
  const snapshot = await catalog.snapshot();
  const context = { snapshot, served: snapshot, origins, review, trusted: true };
  const { turns, made } = await turnsOf(() => pageIndexes().of(context));
  expect(made.skills).toHaveLength(2_100);
  // At most 500 skills in a turn: once for their names, once for their rows.
  expect(turns).toBeGreaterThanOrEqual(8);
  await catalog.close();
});
