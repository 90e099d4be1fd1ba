/**
 * Extended headers of a tar (POSIX.1-2001, pax): what they say about the next entry. Only the records that name it and its size are
 * used; times, owners and attributes are skipped. A record that is not written exactly as the text has it refuses the archive,
 * because readers differ in what they make of it.
 */
import { quoteText } from '../skill/display-text.ts';
import { refusedArchive } from './archive-error.ts';
import { decodeName, rawName } from './archive-path.ts';

export interface PaxRecords {
  readonly path?: string;
  readonly linkpath?: string;
  readonly size?: number;
}

const usedKeys = ['path', 'linkpath', 'size'] as const;

type UsedKey = (typeof usedKeys)[number];

function isUsed(key: string): key is UsedKey {
  return (usedKeys as readonly string[]).includes(key);
}

export function readPax(data: Uint8Array): PaxRecords {
  const found = new Map<UsedKey, string>();
  for (const { key, value } of recordsOf(data)) {
    checkKey(key, value);
    if (!isUsed(key)) continue;
    const text = decodeName(value);
    if (text === undefined) {
      throw refusedArchive('ARCHIVE_NAME', `the ${key} ${rawName(value)} of an extended header is not text`);
    }
    if (text === '') throw malformed(`an empty "${key}"`);
    if (found.has(key)) throw malformed(`two records "${key}"`);
    found.set(key, text);
  }
  const path = found.get('path');
  const linkpath = found.get('linkpath');
  const size = found.get('size');
  return { path, linkpath, size: size === undefined ? undefined : sizeOf(size) };
}

/** A global header is for all entries behind it; it may say when and by whom, but not where and what. */
export function checkGlobalPax(data: Uint8Array): void {
  for (const { key, value } of recordsOf(data)) {
    checkKey(key, value);
    if (isUsed(key)) throw refusedArchive('ARCHIVE_AMBIGUOUS', `a global header gives every entry the same "${key}"`);
  }
}

function checkKey(key: string, value: Uint8Array): void {
  if (key.startsWith('GNU.sparse.')) throw refusedArchive('ARCHIVE_ENTRY_TYPE', 'it holds a sparse file');
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
  return refusedArchive('ARCHIVE_CORRUPT', `an extended header holds ${what}`);
}
