/**
 * What the headers of a tar say, byte by byte: ustar, pax and GNU long names. Parsers decode names with replacement characters, read
 * negative sizes as 0, skip records that they cannot read and do without an end; here all of that refuses the archive, so that
 * only what every reader takes for the same is left for the parser (`tar-reader.ts`).
 */
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { refusedArchive } from './archive-error.ts';
import type { ArchiveLimits } from './archive-file.ts';
import { decodeName, rawName } from './archive-path.ts';
import { type PlannedEntry, tooManyBytes, tooManyEntries } from './entry-plan.ts';
import { checkGlobalPax, type PaxRecords, readPax } from './pax-records.ts';
import { paddedSize } from './tar-writer.ts';

const blockBytes = 512;

interface Header {
  readonly type: string;
  readonly name: string;
  readonly link: string;
  readonly size: number;
  readonly executable: boolean;
}

/** What headers before an entry said about it. */
interface Announced {
  pax?: PaxRecords;
  name?: string;
  link?: string;
}

export function checkTar(tar: Uint8Array, bounds: ArchiveLimits): readonly PlannedEntry[] {
  const entries: PlannedEntry[] = [];
  let announced: Announced = {};
  let at = 0;
  for (;;) {
    const block = tar.subarray(at, at + blockBytes);
    if (block.length < blockBytes) throw refusedArchive('ARCHIVE_TRUNCATED', 'it ends without the two empty blocks');
    if (isEmpty(block)) break;
    const header = readHeader(block, bounds);
    const start = at + blockBytes;
    if (start + header.size > tar.length) {
      throw refusedArchive('ARCHIVE_TRUNCATED', `it ends within the entry ${quoteText(header.name)}`);
    }
    const data = tar.subarray(start, start + header.size);
    at = start + paddedSize(header.size);
    if (announce(announced, header, data)) continue;
    entries.push(toEntry(header, announced, data));
    announced = {};
    if (entries.length > bounds.entries) throw tooManyEntries(bounds);
  }
  if (Object.keys(announced).length > 0) throw refusedArchive('ARCHIVE_TRUNCATED', 'its last header is about no entry');
  checkEnd(tar.subarray(at));
  return entries;
}

function isEmpty(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function checkEnd(rest: Uint8Array): void {
  if (rest.length < 2 * blockBytes) throw refusedArchive('ARCHIVE_TRUNCATED', 'it ends with one empty block, not two');
  if (!isEmpty(rest)) throw refusedArchive('ARCHIVE_AMBIGUOUS', 'there is something behind its end');
}

function readHeader(block: Uint8Array, bounds: ArchiveLimits): Header {
  let sum = 8 * 0x20;
  for (let at = 0; at < blockBytes; at++) if (at < 148 || at >= 156) sum += block[at] as number;
  if (octal(block, 148, 8) !== sum) throw refusedArchive('ARCHIVE_CORRUPT', 'the checksum of a header is wrong');
  const magic = Buffer.from(block.subarray(257, 265)).toString('latin1');
  if (magic !== 'ustar\u000000' && magic !== 'ustar  \0') {
    throw refusedArchive('ARCHIVE_FORMAT', 'its headers are not those of ustar, pax or GNU tar');
  }
  const gnu = magic === 'ustar  \0';
  if (gnu && block[345] !== 0) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', 'some readers would take fields of a GNU header for a part of the name');
  }
  const name = nameField(block, 0, 100);
  const prefix = gnu ? '' : nameField(block, 345, 155);
  const size = sizeField(block, bounds);
  return {
    type: block[156] === 0 ? '0' : String.fromCharCode(block[156] as number),
    name: prefix === '' ? name : `${prefix}/${name}`,
    link: nameField(block, 157, 100),
    size,
    executable: ((octal(block, 100, 8) ?? 0) & 0o100) !== 0,
  };
}

/** Up to the first NUL; what stands behind it would be seen by some readers only. */
function nameField(block: Uint8Array, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  const bytes = end === -1 ? field : field.subarray(0, end);
  if (end !== -1 && !isEmpty(field.subarray(end))) {
    throw refusedArchive('ARCHIVE_NAME', `the name ${rawName(field)} goes on behind a NUL`);
  }
  return textOf(bytes);
}

function textOf(bytes: Uint8Array): string {
  const name = decodeName(bytes);
  if (name === undefined) throw refusedArchive('ARCHIVE_NAME', `the name ${rawName(bytes)} is not UTF-8`);
  return name;
}

/** Spaces, octal digits, then only spaces and NULs; undefined for anything else. */
function octal(block: Uint8Array, at: number, length: number): number | undefined {
  const text = Buffer.from(block.subarray(at, at + length)).toString('latin1');
  const digits = /^ *([0-7]*)[ \0]*$/.exec(text)?.[1];
  return digits === undefined ? undefined : Number.parseInt(`0${digits}`, 8);
}

function sizeField(block: Uint8Array, bounds: ArchiveLimits): number {
  // The high bit marks a binary number, which only sizes of 8 GiB and more need.
  if (block[124] === 0x80) throw tooManyBytes(bounds);
  const size = octal(block, 124, 12);
  if (size === undefined) throw refusedArchive('ARCHIVE_CORRUPT', 'the size in a header is not a number');
  if (size > bounds.bytes) throw tooManyBytes(bounds);
  return size;
}

/** True for a header that is about the next entry. */
function announce(announced: Announced, header: Header, data: Uint8Array): boolean {
  if (!['x', 'g', 'L', 'K'].includes(header.type)) return false;
  if (header.size > limits.archive.metadataBytes) {
    const most = limits.archive.metadataBytes;
    throw refusedArchive('ARCHIVE_TOO_LARGE', `an extended header has ${header.size} bytes; at most ${most} are read`);
  }
  const { pax, name, link } = announced;
  const twice =
    header.type === 'L' ? name : header.type === 'K' ? link : header.type === 'x' ? pax : (pax ?? name ?? link);
  const mixed = header.type === 'x' ? (name ?? link) : header.type === 'g' ? undefined : pax;
  if (twice !== undefined || mixed !== undefined) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', 'two headers say different things about one entry');
  }
  if (header.type === 'x') announced.pax = readPax(data);
  else if (header.type === 'g') checkGlobalPax(data);
  else if (header.type === 'L') announced.name = longName(data);
  else announced.link = longName(data);
  return true;
}

/** Closed by NUL. */
function longName(data: Uint8Array): string {
  const end = data.indexOf(0);
  if (end <= 0 || !isEmpty(data.subarray(end))) {
    throw refusedArchive(
      'ARCHIVE_NAME',
      `the long name ${rawName(data)} is empty, not closed, or goes on behind a NUL`,
    );
  }
  return textOf(data.subarray(0, end));
}

function toEntry(header: Header, announced: Announced, data: Uint8Array): PlannedEntry {
  const name = announced.pax?.path ?? announced.name ?? header.name;
  const target = announced.pax?.linkpath ?? announced.link ?? header.link;
  const quoted = quoteText(name);
  if (announced.pax?.size !== undefined && announced.pax.size !== header.size) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', `two headers give the entry ${quoted} different sizes`);
  }
  if (header.type === '0') {
    if (target !== '') throw refusedArchive('ARCHIVE_AMBIGUOUS', `the file ${quoted} has the target of a link`);
    return { kind: 'file', name, bytes: data, executable: header.executable };
  }
  const kind = kinds[header.type];
  if (kind === undefined) {
    const what = otherTypes[header.type] ?? `an entry of the unknown type ${quoteText(header.type)}`;
    throw refusedArchive('ARCHIVE_ENTRY_TYPE', `${quoted} is ${what}`);
  }
  if (header.size !== 0) throw refusedArchive('ARCHIVE_AMBIGUOUS', `the ${kind} ${quoted} has content`);
  return kind === 'folder' ? { kind, name } : { kind, name, target };
}

const kinds: Readonly<Record<string, 'hardlink' | 'symlink' | 'folder' | undefined>> = {
  '1': 'hardlink',
  '2': 'symlink',
  '5': 'folder',
};

const otherTypes: Readonly<Record<string, string | undefined>> = {
  '3': 'a device',
  '4': 'a device',
  '6': 'a pipe',
  '7': 'a contiguous file',
  D: 'a listing of a folder',
  M: 'a part of a file that goes on in another archive',
  S: 'a sparse file',
  V: 'a label',
};
