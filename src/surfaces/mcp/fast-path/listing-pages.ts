/**
 * Pages of `skills/list` as JSON, kept from one request to the next. A page is the rows of its skills joined by commas, with
 * the place where each row ends, so that after a change the rows of all skills that stayed are copied and only the others are
 * written anew. Where a page begins and ends is decided as `pages.ts` decides it.
 */
import { createBoundedCache } from '../../../async/bounded-cache.ts';
import type { SkillRecord } from '../../../catalog/snapshot.ts';
import { limits } from '../../../limits.ts';
import { type BoundsFor, indexAfter, type PageBounds } from '../pages.ts';

export interface ListingPage {
  /** The rows, separated by commas. */
  readonly bytes: Uint8Array;
  /** The last URI of this page, where more follow. */
  readonly last: string | undefined;
}

interface KeptPage extends ListingPage {
  /** The listing that the page is of. */
  readonly listed: readonly SkillRecord[];
  readonly records: readonly SkillRecord[];
  /** Where in the bytes each row ends. */
  readonly ends: Uint32Array;
}

export interface ListingPages {
  /** The page that follows the skill `after`; the first where it is undefined. */
  page(listed: readonly SkillRecord[], after: string | undefined): ListingPage;
}

const encoder = new TextEncoder();
const comma = 0x2c;
const firstBytes = 65_536;

const uriOf = ({ entry }: SkillRecord): string => entry.uri;

/** Bytes that grow at their end. */
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

function rowStart(page: KeptPage, index: number): number {
  return index === 0 ? 0 : (page.ends[index - 1] as number) + 1;
}

/** Writes the page that begins at an index, with the rows of the page that was there before where they are still good. */
function write(
  listed: readonly SkillRecord[],
  start: number,
  bounds: PageBounds,
  before: KeptPage | undefined,
): KeptPage {
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
    // Each row counts with one separator, also the last.
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

export function createListingPages(boundsFor: BoundsFor, maxBytes: number = limits.cache.pageBytes): ListingPages {
  /** By the URI before the page. */
  const kept = createBoundedCache<string, KeptPage>(maxBytes);

  return {
    page(listed, after) {
      const start = after === undefined ? 0 : indexAfter(listed, uriOf, after);
      // A cursor may name a skill that is gone; the page is the same as after the one before it.
      const key = start === 0 ? '' : uriOf(listed[start - 1] as SkillRecord);
      const before = kept.get(key);
      if (before?.listed === listed) return before;
      const page = write(listed, start, boundsFor(listed.length), before);
      kept.put(key, page, page.bytes.length);
      return page;
    },
  };
}
