/**
 * Reads tar headers byte by byte: ustar, pax and GNU long names. Parsers decode names with replacement characters, read
 * negative sizes as 0, skip unreadable records and accept a missing end. Here each of these refuses the archive, so
 * that only archives that every reader understands alike reach the parser (`tar-reader.ts`).
 */
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { refusedArchive } from './archive-error.ts';
import type { ArchiveLimits } from './archive-file.ts';
import { decodeName, rawName } from './archive-path.ts';
import { type PlannedEntry, tooManyBytes, tooManyEntries } from './entry-plan.ts';
import { paddedSize } from './tar-writer.ts';

const blockBytes = 512;

interface Header {
  readonly type: string;
  readonly name: string;
  readonly link: string;
  readonly size: number;
  readonly executable: boolean;
}

/** Extension headers that precede an entry and describe it. */
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
  if (Object.keys(announced).length > 0)
    throw refusedArchive('ARCHIVE_TRUNCATED', 'its last header belongs to no entry');
  checkEnd(tar.subarray(at));
  return entries;
}

function isEmpty(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function checkEnd(end: Uint8Array): void {
  if (end.length < 2 * blockBytes) throw refusedArchive('ARCHIVE_TRUNCATED', 'it ends with one empty block, not two');
  if (!isEmpty(end)) throw refusedArchive('ARCHIVE_AMBIGUOUS', 'it has data after its end');
}

function readHeader(block: Uint8Array, bounds: ArchiveLimits): Header {
  let sum = 8 * 0x20;
  for (let at = 0; at < blockBytes; at++) if (at < 148 || at >= 156) sum += block[at] as number;
  if (octal(block, 148, 8) !== sum) throw refusedArchive('ARCHIVE_CORRUPT', 'a header has a wrong checksum');
  const magic = Buffer.from(block.subarray(257, 265)).toString('latin1');
  if (magic !== 'ustar\u000000' && magic !== 'ustar  \0') {
    throw refusedArchive('ARCHIVE_FORMAT', 'its headers are neither ustar, pax nor GNU tar');
  }
  const gnu = magic === 'ustar  \0';
  if (gnu && block[345] !== 0) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', 'some readers would read fields of a GNU header as part of the name');
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

/** Up to the first NUL; only some readers would see bytes after it. */
function nameField(block: Uint8Array, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  const bytes = end === -1 ? field : field.subarray(0, end);
  if (end !== -1 && !isEmpty(field.subarray(end))) {
    throw refusedArchive('ARCHIVE_NAME', `the name ${rawName(field)} continues after a NUL`);
  }
  return textOf(bytes);
}

function textOf(bytes: Uint8Array): string {
  const name = decodeName(bytes);
  if (name === undefined) throw refusedArchive('ARCHIVE_NAME', `the name ${rawName(bytes)} is not UTF-8`);
  return name;
}

/** Spaces, octal digits, then only spaces and NULs; `undefined` for anything else. */
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

/** Records a header that describes the next entry; false for any other header. */
function announce(announced: Announced, header: Header, data: Uint8Array): boolean {
  if (!['x', 'g', 'L', 'K'].includes(header.type)) return false;
  if (header.size > limits.archive.metadataBytes) {
    const fault = `an extended header has ${header.size} bytes, more than ${limits.archive.metadataBytes}`;
    throw refusedArchive('ARCHIVE_TOO_LARGE', fault);
  }
  const { pax, name, link } = announced;
  const twice =
    header.type === 'L' ? name : header.type === 'K' ? link : header.type === 'x' ? pax : (pax ?? name ?? link);
  const mixed = header.type === 'x' ? (name ?? link) : header.type === 'g' ? undefined : pax;
  if (twice !== undefined || mixed !== undefined) {
    throw refusedArchive('ARCHIVE_AMBIGUOUS', 'two headers describe one entry differently');
  }
  if (header.type === 'x') announced.pax = readPax(data);
  else if (header.type === 'g') checkGlobalPax(data);
  else if (header.type === 'L') announced.name = longName(data);
  else announced.link = longName(data);
  return true;
}

/** Terminated by NUL. */
function longName(data: Uint8Array): string {
  const end = data.indexOf(0);
  if (end <= 0 || !isEmpty(data.subarray(end))) {
    const fault = `the long name ${rawName(data)} is empty, unterminated, or continues after a NUL`;
    throw refusedArchive('ARCHIVE_NAME', fault);
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
  D: 'a folder listing',
  M: 'part of a file that continues in another archive',
  S: 'a sparse file',
  V: 'a label',
};

/**
 * The records of a pax header (POSIX.1-2001) that name the next entry and its size; times, owners and attributes are
 * ignored. A record that deviates from the specification refuses the archive, because readers interpret it differently.
 */
interface PaxRecords {
  readonly path?: string;
  readonly linkpath?: string;
  readonly size?: number;
}

const usedKeys = ['path', 'linkpath', 'size'] as const;

type UsedKey = (typeof usedKeys)[number];

function isUsed(key: string): key is UsedKey {
  return (usedKeys as readonly string[]).includes(key);
}

function readPax(data: Uint8Array): PaxRecords {
  const found = new Map<UsedKey, string>();
  for (const { key, value } of recordsOf(data)) {
    checkKey(key, value);
    if (!isUsed(key)) continue;
    const text = decodeName(value);
    if (text === undefined) {
      throw refusedArchive('ARCHIVE_NAME', `the ${key} ${rawName(value)} of an extended header is not UTF-8`);
    }
    if (text === '') throw malformed(`an empty "${key}"`);
    if (found.has(key)) throw malformed(`two records "${key}"`);
    found.set(key, text);
  }
  const size = found.get('size');
  return {
    path: found.get('path'),
    linkpath: found.get('linkpath'),
    size: size === undefined ? undefined : sizeOf(size),
  };
}

/** A global header applies to all later entries. It may give times and owners, but not names and sizes. */
function checkGlobalPax(data: Uint8Array): void {
  for (const { key, value } of recordsOf(data)) {
    checkKey(key, value);
    if (isUsed(key)) throw refusedArchive('ARCHIVE_AMBIGUOUS', `a global header gives every entry the same "${key}"`);
  }
}

function checkKey(key: string, value: Uint8Array): void {
  if (key.startsWith('GNU.sparse.')) throw refusedArchive('ARCHIVE_ENTRY_TYPE', 'it contains a sparse file');
  if (key === 'hdrcharset' && decodeName(value) !== 'ISO-IR 10646 2000 UTF-8') {
    throw refusedArchive('ARCHIVE_NAME', 'its names are not in UTF-8');
  }
}

function* recordsOf(data: Uint8Array): Iterable<{ readonly key: string; readonly value: Uint8Array }> {
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at);
    const digits = space === -1 || space - at > 8 ? '' : Buffer.from(data.subarray(at, space)).toString('latin1');
    const end = at + (/^[1-9][0-9]*$/.test(digits) ? Number(digits) : 0);
    if (end <= space || end > data.length || data[end - 1] !== 0x0a) throw malformed('a record with a wrong length');
    const equals = data.indexOf(0x3d, space);
    if (equals === -1 || equals >= end) throw malformed('a record without "="');
    const key = decodeName(data.subarray(space + 1, equals));
    if (key === undefined || key === '') throw malformed('a record without a name');
    yield { key, value: data.subarray(equals + 1, end - 1) };
    at = end;
  }
}

function sizeOf(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw malformed(`the size ${quoteText(text)}`);
  return Number(text);
}

function malformed(what: string): Error {
  return refusedArchive('ARCHIVE_CORRUPT', `an extended header contains ${what}`);
}
