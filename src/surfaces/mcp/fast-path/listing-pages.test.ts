import { describe, expect, test } from 'vitest';
import { indexSkills } from '../../../catalog/skill-index.ts';
import { createRecord, type SkillRecord } from '../../../catalog/skill-record.ts';
import { pageBounds, pageOf } from '../pages.ts';
import { createListingPages } from './listing-pages.ts';

function record(name: string, description = 'ä'): SkillRecord {
  const uri = `skill://${name}/SKILL.md`;
  return createRecord({ entry: { uri, frontmatter: { name, description }, resources: 'dynamic' }, listed: true });
}

type Listing = readonly SkillRecord[];

const listingOf = (records: Listing): Listing => indexSkills(records).listed;

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** All pages, joined, and where each ended. */
function walk(pages: ReturnType<typeof createListingPages>, listing: Listing): [unknown[], (string | undefined)[]] {
  const rows: unknown[] = [];
  const ends: (string | undefined)[] = [];
  for (let after: string | undefined, more = true; more; ) {
    const page = pages.page(listing, after);
    rows.push(...(JSON.parse(`[${text(page.bytes)}]`) as unknown[]));
    ends.push(page.last);
    after = page.last;
    more = after !== undefined;
  }
  return [rows, ends];
}

function expected(listing: Listing, bounds: { entries: number; bytes: number }): [unknown[], (string | undefined)[]] {
  const rows: unknown[] = [];
  const ends: (string | undefined)[] = [];
  for (let after: string | undefined, more = true; more; ) {
    const page = pageOf(
      listing,
      ({ entry }) => entry.uri,
      ({ entry }) => entry,
      after,
      bounds,
    );
    rows.push(...page.rows);
    ends.push(page.last);
    after = page.last;
    more = after !== undefined;
  }
  return [rows, ends];
}

const records = Array.from({ length: 25 }, (_, index) => record(`skill-${String(index).padStart(2, '0')}`));

describe('pages of the listing', () => {
  test.each([
    { entries: 7, bytes: 1e6 },
    { entries: 100, bytes: 500 },
    { entries: 1, bytes: 1e6 },
    { entries: 100, bytes: 1 },
    { entries: 5, bytes: 5 * (JSON.stringify(record('skill-00').entry).length + 2) },
    { entries: 25, bytes: 1e6 },
  ])('have the rows of pages.ts, limited by $entries rows and $bytes bytes', (bounds) => {
    const listing = listingOf(records);
    expect(walk(createListingPages(pageBounds(bounds)), listing)).toEqual(expected(listing, bounds));
  });

  test('of an empty listing are empty', () => {
    expect(text(createListingPages(pageBounds({ entries: 5, bytes: 1e6 })).page([], undefined).bytes)).toBe('');
  });

  test('are the same bytes while the listing is the same', () => {
    const pages = createListingPages(pageBounds({ entries: 5, bytes: 1e6 }));
    const listing = listingOf(records);
    expect(pages.page(listing, undefined).bytes).toBe(pages.page(listing, undefined).bytes);
  });

  test.each([
    ['a changed skill', records.with(3, record('skill-03', 'changed'))],
    ['a removed skill', records.toSpliced(3, 1)],
    ['an added skill', [...records, record('skill-03a')]],
    ['a changed first skill', records.with(0, record('skill-00', 'changed'))],
    ['other skills altogether', records.map((_, index) => record(`other-${index}`))],
  ])('are right after %s', (_, changed) => {
    const bounds = { entries: 6, bytes: 1e6 };
    const pages = createListingPages(pageBounds(bounds));
    walk(pages, listingOf(records));
    const next = listingOf(changed);
    expect(walk(pages, next)).toEqual(expected(next, bounds));
  });

  test('rewrite only the rows of changed skills', () => {
    let written = 0;
    const counted = (name: string): SkillRecord => {
      const made = record(name);
      const toJSON = (): object => {
        written++;
        return { uri: made.entry.uri };
      };
      return { ...made, entry: Object.assign({ ...made.entry }, { toJSON }) };
    };
    const all = Array.from({ length: 12 }, (_, index) => counted(`s-${String(index).padStart(2, '0')}`));
    const pages = createListingPages(pageBounds({ entries: 4, bytes: 1e6 }));
    walk(pages, listingOf(all));
    expect(written).toBe(12);
    walk(pages, listingOf(all.with(5, counted('s-05'))));
    expect(written).toBe(13);
  });

  test('after a cursor of a removed skill continue after its predecessor', () => {
    const pages = createListingPages(pageBounds({ entries: 5, bytes: 1e6 }));
    const listing = listingOf(records);
    const page = pages.page(listing, 'skill://skill-03zz/SKILL.md');
    expect(page).toBe(pages.page(listing, 'skill://skill-03/SKILL.md'));
  });

  test('are cached within their bytes', () => {
    const pages = createListingPages(pageBounds({ entries: 5, bytes: 1e6 }), 1000);
    const listing = listingOf(records);
    const first = pages.page(listing, undefined);
    walk(pages, listing);
    expect(pages.page(listing, undefined).bytes).not.toBe(first.bytes);
  });
});
