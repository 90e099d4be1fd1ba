/** Pages of a list that is sorted by URI, bounded in rows and in bytes of JSON. A row is never split over pages. */
import { limits } from '../../limits.ts';

export interface PageBounds {
  readonly entries: number;
  /** Of the rows as UTF-8 JSON. A single row may be larger: it then is a page of its own. */
  readonly bytes: number;
}

/** The bounds of a page, from the number of rows in the whole list. */
export type BoundsFor = (rows: number) => PageBounds;

/** What was set, else small pages as long as the list then has few enough of them. */
export function pageBounds(set: PageBounds | undefined): BoundsFor {
  if (set !== undefined) return () => set;
  const { entries, perList, bytes } = limits.pages;
  return (rows) => ({ entries: Math.max(entries, Math.ceil(rows / perList)), bytes });
}

export interface Row {
  readonly uri: string;
}

export interface Page<T extends Row> {
  readonly rows: readonly T[];
  /** The last URI of this page, where more follow. */
  readonly last?: string;
}

const encoder = new TextEncoder();

/** Rows are immutable, so each is measured once. */
const sizes = new WeakMap<Row, number>();

function sizeOf(row: Row): number {
  let size = sizes.get(row);
  if (size === undefined) {
    size = encoder.encode(JSON.stringify(row)).length;
    sizes.set(row, size);
  }
  return size;
}

/** Index of the first item whose URI is greater than `after`. */
export function indexAfter<T>(items: readonly T[], uriOf: (item: T) => string, after: string): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (uriOf(items[middle] as T) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The rows that follow `after` (all from the start where it is undefined). `rowOf` is called only for rows that are looked
 * at, and must give the same row for the same item.
 */
export function pageOf<I, T extends Row>(
  items: readonly I[],
  uriOf: (item: I) => string,
  rowOf: (item: I) => T,
  after: string | undefined,
  bounds: PageBounds,
): Page<T> {
  const start = after === undefined ? 0 : indexAfter(items, uriOf, after);
  const rows: T[] = [];
  let bytes = 0;
  for (let index = start; index < items.length && rows.length < bounds.entries; index++) {
    const row = rowOf(items[index] as I);
    bytes += sizeOf(row) + 1;
    if (rows.length > 0 && bytes > bounds.bytes) break;
    rows.push(row);
  }
  const last = rows.at(-1);
  return start + rows.length < items.length && last !== undefined ? { rows, last: last.uri } : { rows };
}
