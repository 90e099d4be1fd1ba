/** Pages of a list sorted by URI, limited in rows and in bytes of JSON, and their cursors. A row is never split over pages. */

import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';

export interface PageBounds {
  readonly entries: number;
  /** Size of the rows as UTF-8 JSON. A larger single row is a page by itself. */
  readonly bytes: number;
}

/** The bounds of a page, from the number of rows in the whole list. */
export type BoundsFor = (rows: number) => PageBounds;

/** The configured bounds, else small pages; longer lists get larger pages, so that their number stays limited. */
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
  /** The last URI of this page, if more follow. */
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
 * The rows that follow `after`, or the first rows if it is undefined. `rowOf` must return the same row for the same item; it is called
 * only for rows of the page.
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

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A cursor is the last URI of the previous page, as base64url. So it stays valid when skills come and go: no row is repeated, and no
 * remaining row is skipped. It has exactly one spelling; anything this server cannot have issued is rejected, even the empty string.
 */
export function encodeCursor(uri: string): string {
  let binary = '';
  for (const byte of encoder.encode(uri)) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function decode(cursor: string): string | undefined {
  if (cursor.length > limits.pages.cursorCharacters || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
  try {
    const binary = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));
    return decoder.decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

function isCanonical(uri: string): boolean {
  const parsed = tryParseSkillUri(uri);
  return parsed !== undefined && uri === (parsed.trailingSlash ? `${parsed.uri}/` : parsed.uri);
}

/** The text in a cursor of a list without URIs, or `undefined` for the start of the list. */
export function decodeTextCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const text = decode(cursor);
  if (text === undefined || encodeCursor(text) !== cursor) throw notIssued();
  return text;
}

/** The URI in a cursor, or `undefined` for the start of the list. */
export function decodeCursor(cursor: string | undefined): string | undefined {
  const uri = decodeTextCursor(cursor);
  if (uri !== undefined && !isCanonical(uri)) throw notIssued();
  return uri;
}

function notIssued(): SkillwireError {
  return new SkillwireError('INVALID_CURSOR', 'This server did not issue the cursor. Start again without a cursor.');
}
