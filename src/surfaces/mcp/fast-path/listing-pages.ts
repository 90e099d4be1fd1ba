/**
 * Cached pages of `skills/list` as JSON. A page has the rows of its skills joined by commas, and the offset where each row ends. After a
 * change, rows of unchanged skills are copied and only the others are serialized again. Page boundaries are those of `pages.ts`.
 */
import { createBoundedCache } from '../../../async/bounded-cache.ts';
import type { SkillRecord } from '../../../catalog/snapshot.ts';
import { limits } from '../../../limits.ts';
import { type BoundsFor, indexAfter, type PageBounds } from '../pages.ts';

export interface ListingPage {
  /** The rows, separated by commas. */
  readonly bytes: Uint8Array;
  /** The last URI of this page, if more follow. */
  readonly last: string | undefined;
}

interface CachedPage extends ListingPage {
  /** The listing of the page. */
  readonly listed: readonly SkillRecord[];
  readonly records: readonly SkillRecord[];
  /** Offset where each row ends. */
  readonly ends: Uint32Array;
}

const encoder = new TextEncoder();
const comma = 0x2c;
const firstBytes = 65_536;

const uriOf = ({ entry }: SkillRecord): string => entry.uri;

/** A growing byte buffer. */
function createWriter(size: number) {
  let buffer = new Uint8Array(size);
  let length = 0;

  function makeRoom(more: number): void {
    if (length + more <= buffer.length) return;
    const larger = new Uint8Array(Math.max(buffer.length * 2, length + more));
    larger.set(buffer.subarray(0, length));
    buffer = larger;
  }

  return {
    get length(): number {
      return length;
    },
    truncate(to: number): void {
      length = to;
    },
    text(text: string): void {
      // A UTF-16 unit takes at most three bytes.
      makeRoom(text.length * 3);
      length += encoder.encodeInto(text, buffer.subarray(length)).written;
    },
    bytes(bytes: Uint8Array): void {
      makeRoom(bytes.length);
      buffer.set(bytes, length);
      length += bytes.length;
    },
    byte(value: number): void {
      makeRoom(1);
      buffer[length++] = value;
    },
    finish: (): Uint8Array => buffer.slice(0, length),
  };
}

function rowStart(page: CachedPage, index: number): number {
  return index === 0 ? 0 : (page.ends[index - 1] as number) + 1;
}

/** Writes the page that starts at an index, and reuses rows of the previous version of the page. */
function write(
  listed: readonly SkillRecord[],
  start: number,
  bounds: PageBounds,
  before: CachedPage | undefined,
): CachedPage {
  const records: SkillRecord[] = [];
  const ends: number[] = [];
  const writer = createWriter(before === undefined ? firstBytes : before.bytes.length + firstBytes);
  let old = 0;
  for (let index = start; index < listed.length && records.length < bounds.entries; index++) {
    const record = listed[index] as SkillRecord;
    const rowsEnd = writer.length;
    if (records.length > 0) writer.byte(comma);
    while (
      before !== undefined &&
      old < before.records.length &&
      uriOf(before.records[old] as SkillRecord) < uriOf(record)
    )
      old++;
    if (before !== undefined && before.records[old] === record)
      writer.bytes(before.bytes.subarray(rowStart(before, old), before.ends[old]));
    else writer.text(JSON.stringify(record.entry));
    // Each row counts with one separator, even the last.
    if (records.length > 0 && writer.length + 1 > bounds.bytes) {
      writer.truncate(rowsEnd);
      break;
    }
    records.push(record);
    ends.push(writer.length);
  }
  const last = start + records.length < listed.length ? records.at(-1)?.entry.uri : undefined;
  return { listed, records, ends: Uint32Array.from(ends), bytes: writer.finish(), last };
}

export function createListingPages(boundsFor: BoundsFor, maxBytes: number = limits.cache.pageBytes) {
  /** By the URI before the page. */
  const cache = createBoundedCache<string, CachedPage>(maxBytes);

  return {
    /** The page after the skill `after`; the first page if it is undefined. */
    page(listed: readonly SkillRecord[], after: string | undefined): ListingPage {
      const start = after === undefined ? 0 : indexAfter(listed, uriOf, after);
      // If the skill of a cursor is gone, the page is the one after its predecessor.
      const key = start === 0 ? '' : uriOf(listed[start - 1] as SkillRecord);
      const before = cache.get(key);
      if (before?.listed === listed) return before;
      const page = write(listed, start, boundsFor(listed.length), before);
      cache.put(key, page, page.bytes.length);
      return page;
    },
  };
}
