import { describe, expect, test } from 'vitest';
import { indexSkills } from '../../../catalog/skill-index.ts';
import { createRecord, type SkillRecord } from '../../../catalog/skill-record.ts';
import { type Snapshot, snapshotOf as snapshotOfIndex } from '../../../catalog/snapshot.ts';
import { pageBounds, pageOf } from '../pages.ts';
import { createListingPages } from './listing-pages.ts';

function record(name: string, description = 'ä'): SkillRecord {
  const uri = `skill://${name}/SKILL.md`;
  return createRecord({ entry: { uri, frontmatter: { name, description }, resources: 'dynamic' }, listed: true });
}

function snapshotOf(records: readonly SkillRecord[]): Snapshot {
  return snapshotOfIndex(0, indexSkills(records), []);
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** All pages, joined, and where each ended. */
function walk(pages: ReturnType<typeof createListingPages>, snapshot: Snapshot): [unknown[], (string | undefined)[]] {
  const rows: unknown[] = [];
  const ends: (string | undefined)[] = [];
  for (let after: string | undefined, more = true; more; ) {
    const page = pages.page(snapshot, after);
    rows.push(...(JSON.parse(`[${text(page.bytes)}]`) as unknown[]));
    ends.push(page.last);
    after = page.last;
    more = after !== undefined;
  }
  return [rows, ends];
}

function expected(snapshot: Snapshot, bounds: { entries: number; bytes: number }): [unknown[], (string | undefined)[]] {
  const rows: unknown[] = [];
  const ends: (string | undefined)[] = [];
  for (let after: string | undefined, more = true; more; ) {
    const page = pageOf(
      snapshot.listed,
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
  ])('hold the rows that pages.ts puts into them, bounded by $entries rows and $bytes bytes', (bounds) => {
    const snapshot = snapshotOf(records);
    expect(walk(createListingPages(pageBounds(bounds)), snapshot)).toEqual(expected(snapshot, bounds));
  });

  test('of nothing are empty', () => {
    expect(text(createListingPages(pageBounds({ entries: 5, bytes: 1e6 })).page(snapshotOf([]), undefined).bytes)).toBe(
      '',
    );
  });

  test('are the same bytes while the snapshot is the same', () => {
    const pages = createListingPages(pageBounds({ entries: 5, bytes: 1e6 }));
    const snapshot = snapshotOf(records);
    expect(pages.page(snapshot, undefined).bytes).toBe(pages.page(snapshot, undefined).bytes);
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
    walk(pages, snapshotOf(records));
    const next = snapshotOf(changed);
    expect(walk(pages, next)).toEqual(expected(next, bounds));
  });

  test('write anew only the rows of skills that changed', () => {
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
    walk(pages, snapshotOf(all));
    expect(written).toBe(12);
    walk(pages, snapshotOf(all.with(5, counted('s-05'))));
    expect(written).toBe(13);
  });

  test('of a cursor that names a skill which is gone are those after the one before it', () => {
    const pages = createListingPages(pageBounds({ entries: 5, bytes: 1e6 }));
    const snapshot = snapshotOf(records);
    const page = pages.page(snapshot, 'skill://skill-03zz/SKILL.md');
    expect(page).toBe(pages.page(snapshot, 'skill://skill-03/SKILL.md'));
  });

  test('are kept within their bytes', () => {
    const pages = createListingPages(pageBounds({ entries: 5, bytes: 1e6 }), 1000);
    const snapshot = snapshotOf(records);
    const first = pages.page(snapshot, undefined);
    walk(pages, snapshot);
    expect(pages.page(snapshot, undefined).bytes).not.toBe(first.bytes);
  });
});
