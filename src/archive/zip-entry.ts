/** Reads the name and the kind (file, folder or link) of an entry from the directory of a zip archive. */
import { crc32 } from 'node:zlib';
import type { Entry } from 'yauzl';
import { quoteText } from '../skill/display-text.ts';
import { refusedArchive } from './archive-error.ts';
import { decodeName, rawName } from './archive-path.ts';

/** An entry whose headers agree, and its compressed data. */
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

function isFromUnix(entry: Entry): boolean {
  const system = entry.versionMadeBy >>> 8;
  return system === unix || system === darwin;
}

/**
 * Names are UTF-8 if the entry says so, or if it comes from a system that omits the flag, as Info-ZIP and macOS do. On
 * other systems a non-ASCII byte may mean any of several letters.
 */
export function nameOfEntry(entry: Entry): string {
  const raw = entry.fileNameRaw;
  const name = decodeName(raw);
  if (name === undefined) throw refusedArchive('ARCHIVE_NAME', `the name ${rawName(raw)} is not UTF-8`);
  if (name.includes('\0')) throw refusedArchive('ARCHIVE_NAME', `the name ${quoteText(name)} contains a NUL`);
  const saysUtf8 = (entry.generalPurposeBitFlag & 0x0800) !== 0;
  if (!saysUtf8 && name.length !== raw.length && !isFromUnix(entry)) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', `the name ${quoteText(name)} does not declare its encoding`);
  }
  for (const { id, data } of entry.extraFields) {
    if (id === 0x0001) throw refusedArchive('ARCHIVE_AMBIGUOUS', `the entry ${quoteText(name)} has zip64 sizes`);
    if (id === 0x7075 && !isSameName(data, raw)) {
      throw refusedArchive('ARCHIVE_AMBIGUOUS', `the entry ${quoteText(name)} has a second name`);
    }
  }
  return name;
}

/** Info-ZIP's Unicode name field: version, checksum of the other name, name. */
function isSameName(field: Buffer, raw: Buffer): boolean {
  return field.length > 5 && field.readUInt32LE(1) === crc32(raw) && field.subarray(5).equals(raw);
}

const typeBits = 0xf000;
const types: Readonly<Record<number, LocatedEntry['kind'] | undefined>> = {
  16384: 'folder',
  32768: 'file',
  40960: 'symlink',
};

export function kindOfEntry(entry: Entry, name: string): Pick<LocatedEntry, 'kind' | 'executable'> {
  const quoted = quoteText(name);
  if ((entry.generalPurposeBitFlag & 0x2041) !== 0) {
    throw refusedArchive('ARCHIVE_ENTRY_TYPE', `the entry ${quoted} is encrypted`);
  }
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    const fault = `the entry ${quoted} uses compression method ${entry.compressionMethod}, not deflate`;
    throw refusedArchive('ARCHIVE_ENTRY_TYPE', fault);
  }
  const mode = entry.externalFileAttributes >>> 16;
  const byName = name.endsWith('/') ? 'folder' : 'file';
  const kind = (mode & typeBits) === 0 ? byName : types[mode & typeBits];
  if (kind === undefined) throw refusedArchive('ARCHIVE_ENTRY_TYPE', `the entry ${quoted} is a device, pipe or socket`);
  // The DOS folder bit.
  const dosFolder = (entry.externalFileAttributes & 0x10) !== 0;
  if ((kind === 'folder') !== (byName === 'folder') || (dosFolder && kind !== 'folder')) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', `the entry ${quoted} is a folder to some readers only`);
  }
  if (kind === 'folder' && entry.uncompressedSize !== 0) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', `the folder ${quoted} has content`);
  }
  return { kind, executable: isFromUnix(entry) && (mode & 0o100) !== 0 };
}
