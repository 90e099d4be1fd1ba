/**
 * Reads the entries of a zip archive. yauzl parses its headers; what they mean together is decided here: both headers of an entry
 * must agree, entries must follow each other without gap or overlap from the first byte to the directory, and checksums must hold.
 * So there is one reading of the archive, from whichever end it is begun.
 */
import { type Entry, fromBufferPromise, type LocalFileHeader, parseExtraFields, type ZipFile } from 'yauzl';
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';
import { checkWanted, refusedArchive } from './archive-error.ts';
import type { ArchiveLimits } from './archive-file.ts';
import { type PlannedEntry, tooManyBytes } from './entry-plan.ts';
import { inflateEntries } from './zip-data.ts';
import { readZipEnd, type ZipEnd } from './zip-end.ts';
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
      checkWanted(signal);
      if (buffer.readUInt16LE(cursor + 34) !== 0) throw refusedArchive('ARCHIVE_AMBIGUOUS', 'it has several parts');
      cursor += 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
      total += entry.uncompressedSize;
      if (total > bounds.bytes) throw tooManyBytes(bounds);
      located.push(await locate(zip, buffer, entry, spans));
    }
    if (cursor !== end.end) throw refusedArchive('ARCHIVE_AMBIGUOUS', 'its directory has more entries than it says');
  } catch (error) {
    if (error instanceof SkillwireError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw refusedArchive('ARCHIVE_CORRUPT', `its directory cannot be read (${quoteText(reason)})`, error);
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

/** Set where sizes and checksum stand behind the data, because they were not known before. */
const withDescriptor = 0x8;

function checkLocal(entry: Entry, local: LocalFileHeader, name: string): void {
  const late = (entry.generalPurposeBitFlag & withDescriptor) !== 0;
  const agrees = (mine: number, other: number): boolean => mine === other || (late && other === 0);
  const same =
    entry.fileNameRaw.equals(local.fileName) &&
    entry.generalPurposeBitFlag === local.generalPurposeBitFlag &&
    entry.compressionMethod === local.compressionMethod &&
    agrees(entry.crc32, local.crc32) &&
    agrees(entry.compressedSize, local.compressedSize) &&
    agrees(entry.uncompressedSize, local.uncompressedSize);
  if (!same) throw refusedArchive('ARCHIVE_AMBIGUOUS', `the two headers of the entry ${quoteText(name)} differ`);
  for (const { id } of parseExtraFields(local.extraField)) {
    if (id === 0x0001) throw refusedArchive('ARCHIVE_AMBIGUOUS', `the entry ${quoteText(name)} has sizes of zip64`);
  }
}

function descriptorBytes(buffer: Buffer, at: number, entry: Entry, name: string): number {
  if ((entry.generalPurposeBitFlag & withDescriptor) === 0) return 0;
  const signed = at + 16 <= buffer.length && buffer.readUInt32LE(at) === 0x08074b50;
  const from = signed ? at + 4 : at;
  const holds =
    from + 12 <= buffer.length &&
    buffer.readUInt32LE(from) === entry.crc32 &&
    buffer.readUInt32LE(from + 4) === entry.compressedSize &&
    buffer.readUInt32LE(from + 8) === entry.uncompressedSize;
  if (!holds)
    throw refusedArchive('ARCHIVE_AMBIGUOUS', `what stands behind ${quoteText(name)} contradicts its headers`);
  return signed ? 16 : 12;
}

/** The entries must fill everything before the directory. */
function checkSpans(spans: readonly Span[], end: ZipEnd): void {
  let expected = 0;
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    if (span.start < expected) throw refusedArchive('ARCHIVE_AMBIGUOUS', 'its entries overlap');
    if (span.start > expected) throw refusedArchive('ARCHIVE_AMBIGUOUS', 'there is something between its entries');
    expected = span.end;
  }
  if (expected !== end.directory) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', 'its entries do not end where its directory begins');
  }
}
