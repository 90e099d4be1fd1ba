/** Zip archives that must be refused. Every one has a good SKILL.md, so that only its fault can be the reason. */
import { crc32 } from 'node:zlib';
import type { ErrorCode } from '../../src/errors.ts';
import type { HostileArchive } from './hostile-archive.ts';
import { skillMd } from './hostile-tars.ts';
import { extraField, type RawZipEnd, type RawZipEntry, rawZip, u32 } from './raw-zip.ts';

const good: RawZipEntry = { name: 'SKILL.md', data: skillMd };

function entry(row: string, code: ErrorCode, what: string, ...entries: readonly RawZipEntry[]): HostileArchive {
  return { row, what: `zip: ${what}`, code, make: () => rawZip([good, ...entries]) };
}

function named(row: string, code: ErrorCode, name: string | Uint8Array, what: string): HostileArchive {
  return entry(row, code, what, { name, data: 'x' });
}

function end(row: string, code: ErrorCode, what: string, how: RawZipEnd): HostileArchive {
  return { row, what: `zip: ${what}`, code, make: () => rawZip([good], how) };
}

const escapes = (['../x', 'a/../../x', 'a/./b', 'a//b', '/etc/x', '..'] as const).map((name) =>
  named('A-1', 'ARCHIVE_PATH_ESCAPE', name, `the name ${name}`),
);

const windows = (['..\\x', 'C:\\x', 'C:x', '\\\\host\\share'] as const).map((name) =>
  named('A-2', 'ARCHIVE_PATH_ESCAPE', name, `the name ${name}`),
);

const linkMode = (0o120777 << 16) >>> 0;
const typed = (name: string, type: number, data = ''): RawZipEntry => ({
  name,
  data,
  attributes: ((type | 0o644) << 16) >>> 0,
});

const links = [
  entry('A-3', 'ARCHIVE_LINK', 'a link out of the archive', {
    name: 'x',
    data: '../../etc/passwd',
    attributes: linkMode,
  }),
  entry('A-3', 'ARCHIVE_LINK', 'an absolute link', { name: 'x', data: '/etc/passwd', attributes: linkMode }),
  entry('A-3', 'ARCHIVE_LINK', 'a link by attributes of another system', {
    name: 'x',
    data: '../../etc/passwd',
    attributes: linkMode,
    madeBy: 20,
  }),
  entry('A-3', 'ARCHIVE_LINK', 'a link to what is no text', {
    name: 'x',
    data: Buffer.from([0xff]),
    attributes: linkMode,
  }),
  entry('A-3', 'ARCHIVE_LINK', 'an empty link', { name: 'x', attributes: linkMode }),
];

const types = [
  entry('A-4', 'ARCHIVE_ENTRY_TYPE', 'a pipe', typed('x', 0o010000)),
  entry('A-4', 'ARCHIVE_ENTRY_TYPE', 'a device', typed('x', 0o020000)),
  entry('A-4', 'ARCHIVE_ENTRY_TYPE', 'a socket', typed('x', 0o140000)),
];

const collisions = [
  entry('A-6', 'ARCHIVE_NAME_COLLISION', 'a name twice', { name: 'x' }, { name: 'x' }),
  entry('A-6', 'ARCHIVE_NAME_COLLISION', 'names that differ in case', { name: 'skill.md' }),
  entry('A-6', 'ARCHIVE_NAME_COLLISION', 'a file that is a folder', { name: 'a' }, { name: 'a/b' }),
];

const unicodeName = (old: string, name: string): Uint8Array =>
  extraField(0x7075, Buffer.concat([Buffer.from([1]), u32(crc32(old)), Buffer.from(name)]));

const names = [
  named('A-7', 'ARCHIVE_NAME', 'a\0b', 'a NUL'),
  named('A-7', 'ARCHIVE_NAME', 'a\u0007b', 'a control character'),
  named('A-7', 'ARCHIVE_NAME', Buffer.from([0x61, 0xff]), 'a name that is not UTF-8'),
  named('A-7', 'ARCHIVE_NAME', 'a\u202Eb', 'a bidirectional control'),
  entry('A-7', 'ARCHIVE_AMBIGUOUS', 'a name in an unknown alphabet', { name: 'é', flags: 0, madeBy: 20 }),
  entry('A-7', 'ARCHIVE_AMBIGUOUS', 'a second name', { name: 'x', extra: unicodeName('x', 'y') }),
  named('A-8', 'ARCHIVE_NAME', 'aux.md', 'a device of Windows'),
  named('A-8', 'ARCHIVE_NAME', 'file:stream', 'a stream of NTFS'),
  named('A-8', 'ARCHIVE_NAME', 'x'.repeat(256), 'a segment of 256 bytes'),
];

const MiB = 1024 * 1024;

const bombs = [
  entry('A-10', 'ARCHIVE_TOO_LARGE', '40 MiB of zeros', { name: 'x', data: Buffer.alloc(40 * MiB) }),
  entry('A-10', 'ARCHIVE_CORRUPT', 'more bytes than both headers say', {
    name: 'x',
    data: Buffer.alloc(MiB),
    size: 10,
  }),
  entry(
    'A-10',
    'ARCHIVE_TOO_LARGE',
    'many files that are too much together',
    ...Array.from({ length: 17 }, (_, at) => ({ name: `f${at}`, data: Buffer.alloc(MiB) })),
  ),
  entry(
    'A-10',
    'ARCHIVE_TOO_LARGE',
    'too many entries',
    ...Array.from({ length: 1024 }, (_, at) => ({ name: `f${at}` })),
  ),
  end('A-10', 'ARCHIVE_TOO_LARGE', 'a directory that says it is long', { entries: 0xffff }),
];

const ends = [
  { row: 'A-11', what: 'zip: no entries', code: 'ARCHIVE_EMPTY', make: () => rawZip([]) },
  { row: 'A-11', what: 'zip: cut in half', code: 'ARCHIVE_TRUNCATED', make: () => rawZip([good]).subarray(0, 60) },
  {
    row: 'A-11',
    what: 'zip: without its last byte',
    code: 'ARCHIVE_TRUNCATED',
    make: () => rawZip([good]).subarray(0, -1),
  },
  entry('A-11', 'ARCHIVE_CORRUPT', 'an entry that is not there', { name: 'x', directoryOnly: true, offset: 9999 }),
] as const satisfies readonly HostileArchive[];

const endRecord = rawZip([]);

const ambiguousEnds = [
  end('A-12', 'ARCHIVE_AMBIGUOUS', 'something behind the end', { after: Buffer.from('more') }),
  {
    row: 'A-12',
    what: 'zip: junk before it',
    code: 'ARCHIVE_FORMAT',
    make: () => rawZip([good], { before: Buffer.from('#!/bin/sh\n') }),
  },
  end('A-12', 'ARCHIVE_AMBIGUOUS', 'a zip before the zip', { before: rawZip([good]) }),
  end('A-12', 'ARCHIVE_AMBIGUOUS', 'an end in the comment', { comment: endRecord }),
  end('A-12', 'ARCHIVE_AMBIGUOUS', 'two ends', { after: endRecord }),
  end('A-12', 'ARCHIVE_AMBIGUOUS', 'a comment that is shorter than it says', { comment: 'x', commentLength: 9 }),
  end('A-12', 'ARCHIVE_AMBIGUOUS', 'something between directory and end', { beforeEnd: Buffer.from('more') }),
  end('A-12', 'ARCHIVE_AMBIGUOUS', 'something before the directory', { between: Buffer.from('more') }),
] as const satisfies readonly HostileArchive[];

const zip64 = extraField(0x0001, Buffer.alloc(16));

const headers: readonly HostileArchive[] = [
  entry('A-13', 'ARCHIVE_AMBIGUOUS', 'another name in the local header', { name: 'x', local: { name: 'y' } }),
  entry('A-13', 'ARCHIVE_AMBIGUOUS', 'another size in the local header', {
    name: 'x',
    data: 'abc',
    local: { size: 9 },
  }),
  entry('A-13', 'ARCHIVE_AMBIGUOUS', 'other flags in the local header', { name: 'x', local: { flags: 0 } }),
  entry('A-13', 'ARCHIVE_AMBIGUOUS', 'another method in the local header', { name: 'x', local: { method: 0 } }),
  entry('A-13', 'ARCHIVE_AMBIGUOUS', 'another checksum in the local header', { name: 'x', local: { crc: 1 } }),
  entry('A-13', 'ARCHIVE_AMBIGUOUS', 'two entries with one content', { name: 'x', directoryOnly: true, offset: 0 }),
  entry('A-13', 'ARCHIVE_ENTRY_TYPE', 'an encrypted entry', { name: 'x', data: 'x', flags: 0x0801, method: 8 }),
  entry('A-13', 'ARCHIVE_ENTRY_TYPE', 'an encrypted directory', { name: 'x', flags: 0x2800 }),
  entry('A-13', 'ARCHIVE_ENTRY_TYPE', 'another method than deflate', { name: 'x', data: 'x', method: 14 }),
  entry('A-13', 'ARCHIVE_CORRUPT', 'a wrong checksum', { name: 'x', data: 'x', crc: 1 }),
  entry('A-13', 'ARCHIVE_CORRUPT', 'a size that is too large', { name: 'x', data: 'x', size: 2 }),
  entry('A-13', 'ARCHIVE_CORRUPT', 'a stored entry with two sizes', { name: 'x', data: 'xx', method: 0, size: 1 }),
  entry('A-13', 'ARCHIVE_CORRUPT', 'what is no deflate', { name: 'x', data: 'x', packed: Buffer.from([7, 7, 7]) }),
  entry('A-13', 'ARCHIVE_AMBIGUOUS', 'something behind the deflated data', {
    name: 'x',
    data: 'x',
    packed: Buffer.from([0x4b, 0x00, 0x00, 0x00]).subarray(0, 4),
  }),
  entry('A-13', 'ARCHIVE_AMBIGUOUS', 'sizes of zip64 in the directory', {
    name: 'x',
    data: 'x',
    extra: zip64,
    local: { extra: new Uint8Array(0) },
  }),
  entry('A-13', 'ARCHIVE_AMBIGUOUS', 'sizes of zip64 in the local header', { name: 'x', local: { extra: zip64 } }),
  end('A-13', 'ARCHIVE_AMBIGUOUS', 'an end of zip64', {
    beforeEnd: Buffer.concat([u32(0x07064b50), Buffer.alloc(16)]),
  }),
  entry('A-13', 'ARCHIVE_AMBIGUOUS', 'a second part', { name: 'x', disk: 1 }),
  end('A-13', 'ARCHIVE_AMBIGUOUS', 'an end in a second part', { disk: 1 }),
  end('A-13', 'ARCHIVE_AMBIGUOUS', 'fewer entries than the directory has', { entries: 0 }),
  {
    row: 'A-13',
    what: 'zip: an entry behind the last that the end counts',
    code: 'ARCHIVE_AMBIGUOUS',
    make: () => rawZip([good, { name: 'x', directoryOnly: true, offset: 0 }], { entries: 1 }),
  },
  end('A-13', 'ARCHIVE_CORRUPT', 'more entries than the directory has', { entries: 2 }),
  end('A-13', 'ARCHIVE_AMBIGUOUS', 'a directory that is elsewhere', { directory: 4 }),
  entry('A-13', 'ARCHIVE_AMBIGUOUS', 'a folder by name only', { name: 'd/', mode: 0o644 }),
  entry('A-13', 'ARCHIVE_AMBIGUOUS', 'a folder by attributes only', { name: 'd', attributes: 0x10 }),
  entry('A-13', 'ARCHIVE_AMBIGUOUS', 'a folder with content', { name: 'd/', data: 'x', attributes: 0x10 }),
  entry('A-13', 'ARCHIVE_AMBIGUOUS', 'sizes behind the data that contradict', {
    name: 'x',
    data: 'x',
    flags: 0x0808,
    after: u32(0x08074b50, 1, 2, 3),
  }),
  entry('A-13', 'ARCHIVE_CORRUPT', 'a field that is longer than all fields', {
    name: 'x',
    extra: Buffer.from([1, 2, 99, 0]),
  }),
];

export const hostileZips: readonly HostileArchive[] = [
  ...escapes,
  ...windows,
  ...links,
  ...types,
  ...collisions,
  ...names,
  ...bombs,
  ...ends,
  ...ambiguousEnds,
  ...headers,
];
