/** The end of a zip archive, where its reading begins. It must be the last thing in the archive, and the directory right before it. */
import { refusedArchive } from './archive-error.ts';
import type { ArchiveLimits } from './archive-file.ts';
import { tooManyEntries } from './entry-plan.ts';

export interface ZipEnd {
  /** Where the directory begins and ends. */
  readonly directory: number;
  readonly end: number;
}

const endBytes = 22;
const longestComment = 0xffff;
const zip64LocatorBytes = 20;

export function readZipEnd(zip: Buffer, bounds: ArchiveLimits): ZipEnd {
  const end = findEnd(zip);
  // A comment that holds the mark of an end is found first and fails here.
  if (end + endBytes + zip.readUInt16LE(end + 20) !== zip.length) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', 'there is something behind its end');
  }
  if (end >= zip64LocatorBytes && zip.readUInt32LE(end - zip64LocatorBytes) === 0x07064b50) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', 'it has a second end in the form of zip64');
  }
  const entries = zip.readUInt16LE(end + 10);
  if (zip.readUInt16LE(end + 4) !== 0 || zip.readUInt16LE(end + 6) !== 0 || zip.readUInt16LE(end + 8) !== entries) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', 'it is a part of an archive in several parts');
  }
  if (entries > bounds.entries) throw tooManyEntries(bounds);
  const directory = zip.readUInt32LE(end + 16);
  if (directory + zip.readUInt32LE(end + 12) !== end) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', 'its directory is not where its end says');
  }
  return { directory, end };
}

function findEnd(zip: Buffer): number {
  const first = Math.max(0, zip.length - endBytes - longestComment);
  for (let at = zip.length - endBytes; at >= first; at--) if (zip.readUInt32LE(at) === 0x06054b50) return at;
  throw refusedArchive('ARCHIVE_TRUNCATED', 'it has no end of a zip archive');
}
