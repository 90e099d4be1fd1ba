/** What the directory of a zip archive says an entry is: its name, and whether it is a file, a folder or a link. */
import { crc32 } from 'node:zlib';
import type { Entry } from 'yauzl';
import { quoteText } from '../skill/display-text.ts';
import { refusedArchive } from './archive-error.ts';
import { decodeName, rawName } from './archive-path.ts';

/** An entry whose headers agree, and where its data is. */
export interface LocatedEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'symlink';
  readonly executable: boolean;
  readonly method: number;
  readonly crc: number;
  readonly size: number;
  readonly data: Uint8Array;
}

const unix = 3;
const darwin = 19;

function systemOf(entry: Entry): number {
  return entry.versionMadeBy >>> 8;
}

/**
 * Names are UTF-8 where the entry says so, or where it comes from a system that writes them so without saying it, as Info-ZIP and
 * macOS do. Elsewhere a letter beyond ASCII may be any of several.
 */
export function nameOfEntry(entry: Entry): string {
  const raw = entry.fileNameRaw;
  const name = decodeName(raw);
  if (name === undefined) throw refusedArchive('ARCHIVE_NAME', `the name ${rawName(raw)} is not UTF-8`);
  if (name.includes('\0')) throw refusedArchive('ARCHIVE_NAME', `the name ${quoteText(name)} holds a NUL`);
  const saysUtf8 = (entry.generalPurposeBitFlag & 0x0800) !== 0;
  if (!saysUtf8 && name.length !== raw.length && systemOf(entry) !== unix && systemOf(entry) !== darwin) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', `the name ${quoteText(name)} does not say in which alphabet it is`);
  }
  for (const { id, data } of entry.extraFields) {
    if (id === 0x0001) throw refusedArchive('ARCHIVE_AMBIGUOUS', `the entry ${quoteText(name)} has sizes of zip64`);
    if (id === 0x7075 && !isSameName(data, raw)) {
      throw refusedArchive('ARCHIVE_AMBIGUOUS', `the entry ${quoteText(name)} has a second name`);
    }
  }
  return name;
}

/** The field of Info-ZIP with a name in Unicode: version, checksum of the other name, name. */
function isSameName(field: Buffer, raw: Buffer): boolean {
  return field.length > 5 && field.readUInt32LE(1) === crc32(raw) && field.subarray(5).equals(raw);
}

const typeBits = 0xf000;
const types: Readonly<Record<number, 'file' | 'folder' | 'symlink' | undefined>> = {
  16384: 'folder',
  32768: 'file',
  40960: 'symlink',
};

export function kindOfEntry(entry: Entry, name: string): { kind: 'file' | 'folder' | 'symlink'; executable: boolean } {
  const quoted = quoteText(name);
  if ((entry.generalPurposeBitFlag & 0x2041) !== 0) {
    throw refusedArchive('ARCHIVE_ENTRY_TYPE', `the entry ${quoted} is encrypted`);
  }
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    const fault = `the entry ${quoted} is packed by method ${entry.compressionMethod}, not by deflate`;
    throw refusedArchive('ARCHIVE_ENTRY_TYPE', fault);
  }
  const mode = entry.externalFileAttributes >>> 16;
  const byName = name.endsWith('/') ? 'folder' : 'file';
  const kind = (mode & typeBits) === 0 ? byName : types[mode & typeBits];
  if (kind === undefined) throw refusedArchive('ARCHIVE_ENTRY_TYPE', `the entry ${quoted} is a device, pipe or socket`);
  // The bit for folders of DOS.
  const dosFolder = (entry.externalFileAttributes & 0x10) !== 0;
  if ((kind === 'folder') !== (byName === 'folder') || (dosFolder && kind !== 'folder')) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', `the entry ${quoted} is a folder to some readers only`);
  }
  if (kind === 'folder' && entry.uncompressedSize !== 0) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', `the folder ${quoted} has content`);
  }
  const fromUnix = systemOf(entry) === unix || systemOf(entry) === darwin;
  return { kind, executable: fromUnix && (mode & 0o100) !== 0 };
}
