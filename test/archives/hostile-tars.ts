/** Tar archives that must be refused. Every one has a good SKILL.md, so that only its fault can be the reason. */
import { gzipSync } from 'node:zlib';
import type { ErrorCode } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import type { HostileArchive } from './hostile-archive.ts';
import { longName, paxHeader, paxRecord, type RawTarEntry, rawTar, tarEnd, tarEntry, tarGz } from './raw-tar.ts';

export const skillMd: string = '---\nname: hostile\ndescription: Should never be seen.\n---\n';
const good: RawTarEntry = { name: 'SKILL.md', data: skillMd };

function named(row: string, code: ErrorCode, name: string | Uint8Array, what: string): HostileArchive {
  return { row, what: `tar: ${what}`, code, make: () => tarGz(good, { name, data: 'x' }) };
}

function entry(row: string, code: ErrorCode, what: string, ...parts: (RawTarEntry | Uint8Array)[]): HostileArchive {
  return { row, what: `tar: ${what}`, code, make: () => tarGz(good, ...parts) };
}

function whole(row: string, code: ErrorCode, what: string, make: () => Uint8Array): HostileArchive {
  return { row, what: `tar: ${what}`, code, make };
}

const escapes = (['../x', 'a/../../x', 'a/..', 'a/./b', '././x', 'a//b', '/etc/x', '//x', '..'] as const).map((name) =>
  named('A-1', 'ARCHIVE_PATH_ESCAPE', name, `the name ${name}`),
);

const windows = [
  named('A-2', 'ARCHIVE_PATH_ESCAPE', 'a\\b', 'a backslash'),
  named('A-2', 'ARCHIVE_PATH_ESCAPE', 'C:\\x', 'a drive'),
  named('A-2', 'ARCHIVE_PATH_ESCAPE', 'C:x', 'a name relative to a drive'),
  named('A-2', 'ARCHIVE_PATH_ESCAPE', '\\\\host\\share\\x', 'a share'),
  named('A-2', 'ARCHIVE_PATH_ESCAPE', '\\\\?\\C:\\x', 'a device path'),
  named('A-2', 'ARCHIVE_NAME', 'x.txt:stream', 'a stream of NTFS'),
];

const link = (name: string, to: string, type: '1' | '2' = '2'): RawTarEntry => ({ name, link: to, type, mode: 0o777 });

const links = [
  entry('A-3', 'ARCHIVE_LINK', 'a link out of the archive', link('x', '../../../etc/passwd')),
  entry('A-3', 'ARCHIVE_LINK', 'an absolute link', link('x', '/etc/passwd')),
  entry('A-3', 'ARCHIVE_LINK', 'a link out and back in', link('a/x', '../../archive/SKILL.md')),
  entry('A-3', 'ARCHIVE_LINK', 'a link out to a name that is inside too', link('x', '../SKILL.md')),
  entry('A-3', 'ARCHIVE_LINK', 'an absolute link to a name that is inside too', link('x', '/SKILL.md')),
  entry('A-3', 'ARCHIVE_LINK', 'an absolute hard link to a name that is inside too', link('x', '/SKILL.md', '1')),
  entry('A-3', 'ARCHIVE_LINK', 'a link to nothing', link('x', 'y')),
  entry('A-3', 'ARCHIVE_LINK', 'a link to itself', link('x', 'x')),
  entry('A-3', 'ARCHIVE_LINK', 'two links to each other', link('x', 'y'), link('y', 'x')),
  entry('A-3', 'ARCHIVE_LINK', 'a link to a folder', { name: 'd/f', data: '' }, link('x', 'd')),
  entry('A-3', 'ARCHIVE_LINK', 'a link through a link to a folder', { name: 'd/f' }, link('l', 'd'), link('x', 'l/f')),
  entry('A-3', 'ARCHIVE_LINK', 'a link with a backslash', link('x', 'd\\f')),
  entry('A-3', 'ARCHIVE_LINK', 'a hard link out of the archive', link('x', '../../etc/passwd', '1')),
  entry('A-3', 'ARCHIVE_LINK', 'a hard link to an absolute path', link('x', '/etc/passwd', '1')),
  entry('A-3', 'ARCHIVE_LINK', 'a hard link to nothing', link('x', 'y', '1')),
  entry('A-3', 'ARCHIVE_NAME_COLLISION', 'a file below a link', link('d', '.'), { name: 'd/x', data: '' }),
  entry(
    'A-3',
    'ARCHIVE_LINK',
    'a pax target out of the archive',
    paxHeader({ linkpath: '../../x' }),
    link('x', 'SKILL.md'),
  ),
  entry('A-3', 'ARCHIVE_LINK', 'a long GNU target out of the archive', longName('../../x', 'K'), link('x', 'SKILL.md')),
  entry(
    'A-3',
    'ARCHIVE_LINK',
    'a chain that is too long',
    ...Array.from({ length: limits.archive.linkHops + 1 }, (_, at) =>
      link(`l${at}`, at === limits.archive.linkHops ? 'SKILL.md' : `l${at + 1}`),
    ),
  ),
];

const types = (['3', '4', '6', '7', 'D', 'M', 'S', 'V', 'N', 'A', '9'] as const).map((type) =>
  entry('A-4', 'ARCHIVE_ENTRY_TYPE', `an entry of the type ${type}`, { name: 'x', type }),
);

const shown = [
  entry('A-4', 'ARCHIVE_ENTRY_TYPE', 'a type that a terminal would act on', { name: 'x', type: '\u001b' }),
  entry('A-4', 'ARCHIVE_ENTRY_TYPE', 'a pipe with a name that a terminal would act on', {
    name: '\u001b[2J',
    type: '6',
  }),
  entry('A-9', 'ARCHIVE_CORRUPT', 'a size that a terminal would act on', paxHeader({ size: '\u001b[2J' }), {
    name: 'x',
  }),
  entry('A-9', 'ARCHIVE_TRUNCATED', 'a cut entry with a name that a terminal would act on', {
    name: '\u001b[2J',
    size: 9999,
  }),
  entry('A-3', 'ARCHIVE_LINK', 'a target that a terminal would act on', { name: 'x', type: '2', link: '\u001b[2J' }),
];

const collisions = [
  entry('A-6', 'ARCHIVE_NAME_COLLISION', 'a name twice', { name: 'x' }, { name: 'x' }),
  entry('A-6', 'ARCHIVE_NAME_COLLISION', 'names that differ in case', { name: 'Skill.md' }),
  entry('A-6', 'ARCHIVE_NAME_COLLISION', 'names that differ in Unicode form', { name: 'é' }, { name: 'e\u0301' }),
  entry('A-6', 'ARCHIVE_NAME_COLLISION', 'sharp s and ss', { name: 'stra\u00dfe' }, { name: 'strasse' }),
  entry('A-6', 'ARCHIVE_NAME_COLLISION', 'folders that differ in case', { name: 'a/x' }, { name: 'A/y' }),
  entry('A-6', 'ARCHIVE_NAME_COLLISION', 'a file that is a folder', { name: 'a' }, { name: 'a/b' }),
  entry('A-6', 'ARCHIVE_NAME_COLLISION', 'a folder that is a file', { name: 'a/b' }, { name: 'a' }),
  entry('A-6', 'ARCHIVE_NAME_COLLISION', 'a folder twice', { name: 'd/', type: '5' }, { name: 'd/', type: '5' }),
  entry('A-6', 'ARCHIVE_NAME_COLLISION', './x and x', { name: './x' }, { name: 'x' }),
];

const names = [
  named('A-7', 'ARCHIVE_NAME', 'a\u0001b', 'a control character'),
  named('A-7', 'ARCHIVE_NAME', 'a\nb', 'a line break'),
  named('A-7', 'ARCHIVE_NAME', Buffer.from([0x61, 0xff, 0x62]), 'a name that is not UTF-8'),
  named('A-7', 'ARCHIVE_NAME', Buffer.from([0xed, 0xa0, 0x80]), 'half of a surrogate pair'),
  named('A-7', 'ARCHIVE_NAME', 'txt.\u202Eexe', 'a bidirectional control'),
  named('A-7', 'ARCHIVE_NAME', 'a\u200Bb', 'a space without width'),
  named('A-7', 'ARCHIVE_NAME', 'a\u{E0041}', 'a tag character'),
  named('A-7', 'ARCHIVE_NAME', Buffer.from('good.md\0.sh'), 'a name that goes on behind a NUL'),
  entry('A-7', 'ARCHIVE_NAME', 'a long name with a NUL', longName('a\0b'), { name: 'x' }),
  entry('A-7', 'ARCHIVE_NAME', 'a pax path with a NUL', paxHeader({ path: 'a\0b' }), { name: 'x' }),
  entry('A-7', 'ARCHIVE_NAME', 'a pax path that is not UTF-8', paxHeader({ path: Buffer.from([0xff]) }), { name: 'x' }),
  entry('A-7', 'ARCHIVE_NAME', 'names in another alphabet', paxHeader({ hdrcharset: 'BINARY' }), { name: 'x' }),
];

const hostileToWindows = (
  ['con', 'NUL.txt', 'a/aux', 'com\u00b9', 'LPT9.md', 'x.', 'x ', 'a<b', 'a|b', 'a?b', 'a*b', 'a"b'] as const
)
  .map((name) => named('A-8', 'ARCHIVE_NAME', name, `the name ${name}`))
  .concat([
    entry('A-8', 'ARCHIVE_NAME', 'a segment of 256 bytes', paxHeader({ path: 'a'.repeat(256) }), { name: 'x' }),
    entry(
      'A-8',
      'ARCHIVE_NAME',
      'a path of 1,031 characters',
      longName(`${'abcdefgh/'.repeat(31)}${'x'.repeat(250)}/${'y'.repeat(250)}/${'z'.repeat(250)}`),
      { name: 'x' },
    ),
    entry('A-8', 'ARCHIVE_NAME', 'a path of 33 levels', longName(`${'d/'.repeat(32)}x`), { name: 'x' }),
  ]);

const binary = (first: number, ...rest: number[]): Uint8Array =>
  Buffer.from([first, ...rest, ...Array(11 - rest.length).fill(0)]);

const headers = [
  entry('A-9', 'ARCHIVE_PATH_ESCAPE', 'a pax path that leaves', paxHeader({ path: '../../evil' }), { name: 'x' }),
  entry('A-9', 'ARCHIVE_PATH_ESCAPE', 'a long name that leaves', longName('../../evil'), { name: 'x' }),
  entry('A-9', 'ARCHIVE_AMBIGUOUS', 'a pax size that differs', paxHeader({ size: '1024' }), { name: 'x', data: 'abc' }),
  entry('A-9', 'ARCHIVE_CORRUPT', 'a negative pax size', paxHeader({ size: '-1' }), { name: 'x' }),
  entry('A-9', 'ARCHIVE_AMBIGUOUS', 'a huge pax size', paxHeader({ size: '999999999999' }), { name: 'x' }),
  entry('A-9', 'ARCHIVE_AMBIGUOUS', 'a global path', paxHeader({ path: 'x' }, 'g'), { name: 'y' }),
  entry('A-9', 'ARCHIVE_AMBIGUOUS', 'a global size', paxHeader({ size: '0' }, 'g'), { name: 'y' }),
  entry('A-9', 'ARCHIVE_TOO_LARGE', 'a huge binary size', { name: 'x', size: binary(0x80, 0x7f) }),
  entry('A-9', 'ARCHIVE_CORRUPT', 'a negative binary size', { name: 'x', size: Buffer.alloc(12, 0xff) }),
  entry('A-9', 'ARCHIVE_CORRUPT', 'a size that is no number', { name: 'x', size: Buffer.from('12a45678901\0') }),
  entry('A-9', 'ARCHIVE_AMBIGUOUS', 'two extended headers', paxHeader({ path: 'a' }), paxHeader({ path: 'b' }), {
    name: 'x',
  }),
  entry('A-9', 'ARCHIVE_AMBIGUOUS', 'an extended header of a long name', paxHeader({ path: 'a' }), longName('b'), {
    name: 'x',
  }),
  entry('A-9', 'ARCHIVE_AMBIGUOUS', 'a long name before an extended header', longName('b'), paxHeader({ path: 'a' }), {
    name: 'x',
  }),
  entry(
    'A-9',
    'ARCHIVE_CORRUPT',
    'a record with a wrong length',
    tarEntry({ name: 'p', type: 'x', data: '99 path=a\n' }),
    { name: 'x' },
  ),
  entry('A-9', 'ARCHIVE_CORRUPT', 'a record without "="', tarEntry({ name: 'p', type: 'x', data: '8 patha\n' }), {
    name: 'x',
  }),
  entry(
    'A-9',
    'ARCHIVE_CORRUPT',
    'a record twice',
    tarEntry({ name: 'p', type: 'x', data: Buffer.concat([paxRecord('path', 'a'), paxRecord('path', 'b')]) }),
    { name: 'x' },
  ),
  entry(
    'A-9',
    'ARCHIVE_CORRUPT',
    'a record without its line break',
    tarEntry({ name: 'p', type: 'x', data: '9 path=ab' }),
    { name: 'x' },
  ),
  entry('A-9', 'ARCHIVE_ENTRY_TYPE', 'a sparse file by pax', paxHeader({ 'GNU.sparse.major': '1' }), { name: 'x' }),
  entry(
    'A-9',
    'ARCHIVE_TOO_LARGE',
    'a large extended header',
    paxHeader({ comment: 'x'.repeat(limits.archive.metadataBytes) }),
    { name: 'x' },
  ),
  entry('A-9', 'ARCHIVE_AMBIGUOUS', 'a GNU header with a prefix', { name: 'x', magic: 'ustar  \0', prefix: 'a' }),
  entry('A-9', 'ARCHIVE_AMBIGUOUS', 'a folder with content', { name: 'd/', type: '5', data: 'x' }),
  entry('A-9', 'ARCHIVE_AMBIGUOUS', 'a link with content', { name: 'l', type: '2', link: 'SKILL.md', data: 'x' }),
  entry('A-9', 'ARCHIVE_AMBIGUOUS', 'a file with a target', { name: 'x', link: 'SKILL.md' }),
  entry('A-9', 'ARCHIVE_FORMAT', 'a header before ustar', { name: 'x', magic: '' }),
];

const zeros = (bytes: number): RawTarEntry => ({ name: 'zeros', data: Buffer.alloc(bytes) });

const bombs = [
  whole('A-10', 'ARCHIVE_TOO_LARGE', '128 MiB of zeros', () => tarGz(good, zeros(128 * 1024 * 1024))),
  entry('A-10', 'ARCHIVE_TOO_LARGE', 'one byte more than a skill may have', zeros(limits.archive.skill.bytes)),
  whole('A-10', 'ARCHIVE_TOO_LARGE', 'many members', () => {
    const member = gzipSync(Buffer.alloc(1024 * 1024));
    return Buffer.concat([gzipSync(rawTar(good)), ...Array.from({ length: 40 }, () => member)]);
  }),
  entry(
    'A-10',
    'ARCHIVE_TOO_LARGE',
    'too many entries',
    ...Array.from({ length: 1024 }, (_, at) => ({ name: `f${at}` })),
  ),
  entry(
    'A-10',
    'ARCHIVE_TOO_LARGE',
    'copies of a large file by links',
    zeros(1024 * 1024),
    ...Array.from({ length: 16 }, (_, at) => link(`l${at}`, 'zeros')),
  ),
  whole('A-10', 'ARCHIVE_TOO_LARGE', 'more than may be on a wire', () =>
    Buffer.concat([tarGz(good), Buffer.alloc(limits.archive.packedBytes)]),
  ),
];

const ends = [
  whole('A-11', 'ARCHIVE_EMPTY', 'no bytes', () => new Uint8Array(0)),
  whole('A-11', 'ARCHIVE_EMPTY', 'only an end', () => gzipSync(tarEnd)),
  whole('A-11', 'ARCHIVE_EMPTY', 'only a folder', () => tarGz({ name: 'd/', type: '5' })),
  whole('A-11', 'ARCHIVE_TRUNCATED', 'no tar at all inside', () => gzipSync('')),
  whole('A-11', 'ARCHIVE_TRUNCATED', 'no end', () => gzipSync(rawTar(good))),
  whole('A-11', 'ARCHIVE_TRUNCATED', 'one empty block', () =>
    gzipSync(Buffer.concat([rawTar(good), Buffer.alloc(512)])),
  ),
  whole('A-11', 'ARCHIVE_TRUNCATED', 'an end within a file', () =>
    gzipSync(rawTar(good, { name: 'x', data: 'x', size: 4096 })),
  ),
  whole('A-11', 'ARCHIVE_TRUNCATED', 'an end within a header', () => gzipSync(rawTar(good).subarray(0, 700))),
  whole('A-11', 'ARCHIVE_TRUNCATED', 'a header about no entry', () => tarGz(good, paxHeader({ path: 'x' }))),
  whole('A-11', 'ARCHIVE_TRUNCATED', 'gzip data cut in half', () => tarGz(good).subarray(0, 60)),
  whole('A-11', 'ARCHIVE_TRUNCATED', 'gzip data without its checksum', () => tarGz(good).subarray(0, -8)),
  entry('A-11', 'ARCHIVE_CORRUPT', 'a wrong checksum in a header', { name: 'x', checksum: 1234 }),
  whole('A-11', 'ARCHIVE_CORRUPT', 'a wrong checksum of gzip', () => {
    const bytes = Uint8Array.from(tarGz(good));
    bytes.set([1, 2, 3, 4], bytes.length - 8);
    return bytes;
  }),
  whole('A-11', 'ARCHIVE_CORRUPT', 'text in gzip', () => gzipSync('x'.repeat(2048))),
];

const behind = [
  whole('A-12', 'ARCHIVE_AMBIGUOUS', 'an entry behind the end', () =>
    gzipSync(rawTar(good, tarEnd, { name: 'x' }, tarEnd)),
  ),
  whole('A-12', 'ARCHIVE_AMBIGUOUS', 'zeros behind gzip', () => Buffer.concat([tarGz(good), Buffer.alloc(16)])),
  whole('A-12', 'ARCHIVE_CORRUPT', 'text behind gzip', () => Buffer.concat([tarGz(good), Buffer.from('more')])),
];

export const hostileTars: readonly HostileArchive[] = [
  ...escapes,
  ...windows,
  ...links,
  ...types,
  ...shown,
  ...collisions,
  ...names,
  ...hostileToWindows,
  ...headers,
  ...bombs,
  ...ends,
  ...behind,
];
