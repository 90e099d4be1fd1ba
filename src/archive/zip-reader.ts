/**
 * Reads the entries of a zip archive. yauzl parses its headers; this file decides what they mean together. Both headers
 * of an entry must agree, entries must fill the space before the directory without gap or overlap, and checksums must
 * match. So the archive has one meaning, from whichever end it is read.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32, type InputType, inflateRaw, inflateRawSync, type Zlib, type ZlibOptions } from 'node:zlib';
import { type Entry, fromBufferPromise, type LocalFileHeader, parseExtraFields, type ZipFile } from 'yauzl';
import { reasonOf, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { refusedArchive, throwIfAborted } from './archive-error.ts';
import type { ArchiveLimits } from './archive-file.ts';
import { decodeName } from './archive-path.ts';
import { type PlannedEntry, tooManyBytes, tooManyEntries } from './entry-plan.ts';
import { kindOfEntry, type LocatedEntry, nameOfEntry } from './zip-entry.ts';

export async function readZip(
  bytes: Uint8Array,
  bounds: ArchiveLimits,
  signal?: AbortSignal,
): Promise<readonly PlannedEntry[]> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = readZipEnd(buffer, bounds);
  const located: LocatedEntry[] = [];
  const spans: Span[] = [];
  try {
    const zip = await fromBufferPromise(buffer, { decodeStrings: false });
    let cursor = end.directory;
    let total = 0;
    for await (const entry of zip.eachEntry()) {
      throwIfAborted(signal);
      if (buffer.readUInt16LE(cursor + 34) !== 0) throw refusedArchive('ARCHIVE_AMBIGUOUS', 'it has several parts');
      cursor += 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
      total += entry.uncompressedSize;
      if (total > bounds.bytes) throw tooManyBytes(bounds);
      located.push(await locate(zip, buffer, entry, spans));
    }
    if (cursor !== end.end) throw refusedArchive('ARCHIVE_AMBIGUOUS', 'its directory has more entries than it says');
  } catch (error) {
    if (error instanceof SkillwireError) throw error;
    const reason = reasonOf(error);
    throw refusedArchive('ARCHIVE_CORRUPT', `its directory cannot be read (${quoteText(reason)})`, { cause: error });
  }
  checkSpans(spans, end);
  return await inflateEntries(located, signal);
}

/** From the local header to the end of the data and its descriptor. */
interface Span {
  readonly start: number;
  readonly end: number;
}

async function locate(zip: ZipFile, buffer: Buffer, entry: Entry, spans: Span[]): Promise<LocatedEntry> {
  const name = nameOfEntry(entry);
  const { kind, executable } = kindOfEntry(entry, name);
  const local = await zip.readLocalFileHeaderPromise(entry);
  checkLocal(entry, local, name);
  const dataEnd = local.fileDataStart + entry.compressedSize;
  if (dataEnd > buffer.length) {
    throw refusedArchive('ARCHIVE_TRUNCATED', `it ends within the entry ${quoteText(name)}`);
  }
  spans.push({
    start: entry.relativeOffsetOfLocalHeader,
    end: dataEnd + descriptorBytes(buffer, dataEnd, entry, name),
  });
  return {
    name,
    kind,
    executable,
    method: entry.compressionMethod,
    crc: entry.crc32,
    size: entry.uncompressedSize,
    data: buffer.subarray(local.fileDataStart, dataEnd),
  };
}

/** Set if sizes and checksum follow the data, because they were not known before. */
const withDescriptor = 0x8;

function checkLocal(entry: Entry, local: LocalFileHeader, name: string): void {
  const late = (entry.generalPurposeBitFlag & withDescriptor) !== 0;
  const agrees = (central: number, other: number): boolean => central === other || (late && other === 0);
  const same =
    entry.fileNameRaw.equals(local.fileName) &&
    entry.generalPurposeBitFlag === local.generalPurposeBitFlag &&
    entry.compressionMethod === local.compressionMethod &&
    agrees(entry.crc32, local.crc32) &&
    agrees(entry.compressedSize, local.compressedSize) &&
    agrees(entry.uncompressedSize, local.uncompressedSize);
  if (!same) throw refusedArchive('ARCHIVE_AMBIGUOUS', `the two headers of the entry ${quoteText(name)} differ`);
  for (const { id } of parseExtraFields(local.extraField)) {
    if (id === 0x0001) throw refusedArchive('ARCHIVE_AMBIGUOUS', `the entry ${quoteText(name)} has zip64 sizes`);
  }
}

function descriptorBytes(buffer: Buffer, at: number, entry: Entry, name: string): number {
  if ((entry.generalPurposeBitFlag & withDescriptor) === 0) return 0;
  const signed = at + 16 <= buffer.length && buffer.readUInt32LE(at) === 0x08074b50;
  const from = signed ? at + 4 : at;
  const matches =
    from + 12 <= buffer.length &&
    buffer.readUInt32LE(from) === entry.crc32 &&
    buffer.readUInt32LE(from + 4) === entry.compressedSize &&
    buffer.readUInt32LE(from + 8) === entry.uncompressedSize;
  if (!matches)
    throw refusedArchive('ARCHIVE_AMBIGUOUS', `the data descriptor of ${quoteText(name)} contradicts its headers`);
  return signed ? 16 : 12;
}

/** The entries must fill everything before the directory. */
function checkSpans(spans: readonly Span[], end: ZipEnd): void {
  let expected = 0;
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    if (span.start < expected) throw refusedArchive('ARCHIVE_AMBIGUOUS', 'its entries overlap');
    if (span.start > expected) throw refusedArchive('ARCHIVE_AMBIGUOUS', 'it has data between its entries');
    expected = span.end;
  }
  if (expected !== end.directory) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', 'its entries do not end where its directory begins');
  }
}

/** The end record must be the last thing in the archive, with the directory right before it. */
interface ZipEnd {
  /** First byte of the directory, and the byte after its last. */
  readonly directory: number;
  readonly end: number;
}

const endBytes = 22;
const longestComment = 0xffff;
const zip64LocatorBytes = 20;

function readZipEnd(zip: Buffer, bounds: ArchiveLimits): ZipEnd {
  const end = findEnd(zip);
  // A comment that contains an end signature is found first and fails here.
  if (end + endBytes + zip.readUInt16LE(end + 20) !== zip.length) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', 'it has data after its end');
  }
  if (end >= zip64LocatorBytes && zip.readUInt32LE(end - zip64LocatorBytes) === 0x07064b50) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', 'it has a second end record, in zip64 form');
  }
  const entries = zip.readUInt16LE(end + 10);
  if (zip.readUInt16LE(end + 4) !== 0 || zip.readUInt16LE(end + 6) !== 0 || zip.readUInt16LE(end + 8) !== entries) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', 'it is one part of a multi-part archive');
  }
  if (entries > bounds.entries) throw tooManyEntries(bounds);
  const directory = zip.readUInt32LE(end + 16);
  if (directory + zip.readUInt32LE(end + 12) !== end) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', 'its directory is not where its end record says');
  }
  return { directory, end };
}

function findEnd(zip: Buffer): number {
  const first = Math.max(0, zip.length - endBytes - longestComment);
  for (let at = zip.length - endBytes; at >= first; at--) if (zip.readUInt32LE(at) === 0x06054b50) return at;
  throw refusedArchive('ARCHIVE_TRUNCATED', 'its end record is missing');
}

/** The content must have exactly the size that the headers promise. */
async function inflateEntries(
  located: readonly LocatedEntry[],
  signal: AbortSignal | undefined,
): Promise<readonly PlannedEntry[]> {
  const entries: PlannedEntry[] = [];
  let since = 0;
  for (const entry of located) {
    throwIfAborted(signal);
    const bytes = await contentOf(entry);
    since += bytes.length;
    if (since > limits.archive.sliceBytes) {
      since = 0;
      await nextTurn();
    }
    entries.push(toEntry(entry, bytes));
  }
  return entries;
}

function toEntry({ name, kind, executable }: LocatedEntry, bytes: Uint8Array): PlannedEntry {
  if (kind === 'folder') return { kind, name };
  if (kind === 'file') return { kind, name, bytes, executable };
  const target = decodeName(bytes);
  if (target === undefined)
    throw refusedArchive('ARCHIVE_LINK', `the target of the link ${quoteText(name)} is not UTF-8`);
  return { kind, name, target };
}

async function contentOf(entry: LocatedEntry): Promise<Uint8Array> {
  const bytes = entry.method === 0 ? entry.data : await inflate(entry);
  if (bytes.length !== entry.size || crc32(bytes) !== entry.crc) {
    throw refusedArchive('ARCHIVE_CORRUPT', `the content of ${quoteText(entry.name)} has the wrong size or checksum`);
  }
  return bytes;
}

/** The result of zlib with `info: true`. */
interface Inflated {
  readonly buffer: Uint8Array;
  readonly engine: Zlib;
}

async function inflate(entry: LocatedEntry): Promise<Uint8Array> {
  const options = { info: true, maxOutputLength: Math.max(entry.size, 1), chunkSize: limits.archive.chunkBytes };
  let inflated: Inflated;
  try {
    inflated =
      entry.size <= limits.archive.chunkBytes
        ? (inflateRawSync(entry.data, options) as unknown as Inflated)
        : await inflateApart(entry.data, options);
  } catch (error) {
    const fault = `the content of ${quoteText(entry.name)} cannot be inflated`;
    throw refusedArchive('ARCHIVE_CORRUPT', fault, { cause: error });
  }
  if (inflated.engine.bytesWritten !== entry.data.length) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', `data follows the content of ${quoteText(entry.name)}`);
  }
  return inflated.buffer;
}

function inflateApart(data: InputType, options: ZlibOptions): Promise<Inflated> {
  return new Promise((resolve, reject) => {
    inflateRaw(data, options, (error, result) => {
      if (error === null) resolve(result as unknown as Inflated);
      else reject(error);
    });
  });
}
