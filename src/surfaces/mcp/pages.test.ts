import { describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { indexAfter, pageBounds, pageOf, type Row } from './pages.ts';

const rows = ['a', 'b', 'c', 'd', 'e'].map((uri) => ({ uri }));
const uriOf = (row: Row): string => row.uri;
const same = (row: Row): Row => row;
const loose = { entries: 100, bytes: 1_000_000 };

function walk(items: readonly Row[], bounds: { entries: number; bytes: number }): string[][] {
  const pages: string[][] = [];
  for (let after: string | undefined; ; ) {
    const page = pageOf(items, uriOf, same, after, bounds);
    pages.push(page.rows.map(uriOf));
    if (page.last === undefined) return pages;
    after = page.last;
  }
}

describe('pages', () => {
  test('pageOf() ends a page at the number of entries', () => {
    expect(walk(rows, { ...loose, entries: 2 })).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  test('pageOf() ends a page at the number of bytes', () => {
    const size = JSON.stringify(rows[0]).length + 1;
    expect(walk(rows, { ...loose, bytes: 2 * size })).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  test('pageOf() counts bytes, not characters', () => {
    const wide = ['ä', 'ö'].map((uri) => ({ uri }));
    expect(walk(wide, { ...loose, bytes: 2 * (JSON.stringify(wide[0]).length + 1) })).toEqual([['ä'], ['ö']]);
  });

  test('pageOf() gives a row larger than a page its own page', () => {
    const large = [{ uri: 'a' }, { uri: `b${'x'.repeat(500)}` }, { uri: 'c' }];
    expect(walk(large, { ...loose, bytes: 100 }).map((page) => page.length)).toEqual([1, 1, 1]);
  });

  test('pageOf() does not announce an empty page', () => {
    expect(pageOf(rows, uriOf, same, undefined, { ...loose, entries: 5 })).not.toHaveProperty('last');
    expect(pageOf([], uriOf, same, undefined, loose)).toEqual({ rows: [] });
  });

  test('pageOf() continues after a removed row, and shows an added one', () => {
    expect(pageOf(rows, uriOf, same, 'bb', loose).rows.map(uriOf)).toEqual(['c', 'd', 'e']);
    expect(pageOf(rows, uriOf, same, 'z', loose)).toEqual({ rows: [] });
  });

  test('indexAfter() finds the first greater item', () => {
    expect(['', 'a', 'b', 'e', 'f'].map((after) => indexAfter(rows, uriOf, after))).toEqual([0, 1, 2, 5, 5]);
  });
});

describe('the bounds of pages', () => {
  test.each([0, 1, 400, 10_000, 24_000, 24_001, 100_000, 1_000_000])(
    'give a list of %i rows at most 60 pages',
    (rows) => {
      const { entries } = pageBounds(undefined)(rows);
      expect(Math.ceil(rows / entries)).toBeLessThanOrEqual(limits.pages.perList);
      expect(entries).toBeGreaterThanOrEqual(limits.pages.entries);
    },
  );

  test('are the configured ones, however long the list is', () => {
    expect(pageBounds({ entries: 3, bytes: 7 })(1_000_000)).toEqual({ entries: 3, bytes: 7 });
  });
});
