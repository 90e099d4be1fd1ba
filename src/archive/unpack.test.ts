import { crc32, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { longName, paxHeader, rawTar, tarEnd, tarGz } from '../../test/archives/raw-tar.ts';
import { extraField, rawZip, u32 } from '../../test/archives/raw-zip.ts';
import { limits } from '../limits.ts';
import { packArchive } from './pack.ts';
import { unpackArchive } from './unpack.ts';

async function contents(archive: Uint8Array): Promise<Record<string, string>> {
  const files = await unpackArchive(archive);
  return Object.fromEntries(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]));
}

describe('unpackArchive() accepts the output of common packers', () => {
  const long = `${'folder-with-a-name/'.repeat(20)}file.md`;

  test.each([
    [
      'one leading ./ and a root folder',
      tarGz({ name: './', type: '5' }, { name: './a/b', data: 'x' }),
      { 'a/b': 'x' },
    ],
    ['the root folder as .', tarGz({ name: '.', type: '5' }, { name: 'a', data: 'x' }), { a: 'x' }],
    ['entries for folders', tarGz({ name: 'd/', type: '5' }, { name: 'd/x', data: 'x' }), { 'd/x': 'x' }],
    ['files of the type NUL', tarGz({ name: 'x', data: 'x', type: '\0' }), { x: 'x' }],
    ['a ustar prefix', tarGz({ name: 'x', prefix: 'a/b', data: 'x' }), { 'a/b/x': 'x' }],
    ['long names of GNU tar', tarGz(longName(long), { name: 'cut', magic: 'ustar  \0', data: 'x' }), { [long]: 'x' }],
    ['a pax path', tarGz(paxHeader({ path: long, mtime: '1.5' }), { name: 'cut', data: 'x' }), { [long]: 'x' }],
    ['a pax size that is the same', tarGz(paxHeader({ size: '1' }), { name: 'x', data: 'x' }), { x: 'x' }],
    [
      'attributes that are no text',
      tarGz(paxHeader({ 'SCHILY.xattr.user': Buffer.from([0xff, 0, 10]) }), { name: 'x', data: 'x' }),
      { x: 'x' },
    ],
    [
      'a global comment, as git writes it',
      tarGz(paxHeader({ comment: 'abc' }, 'g'), { name: 'x', data: 'x' }),
      { x: 'x' },
    ],
    [
      'several members of gzip',
      Buffer.concat([gzipSync(rawTar({ name: 'x', data: 'x' })), gzipSync(tarEnd)]),
      { x: 'x' },
    ],
    [
      'blocks of 10 KiB',
      gzipSync(Buffer.concat([rawTar({ name: 'x', data: 'x' }), Buffer.alloc(10_240 - 1024)])),
      { x: 'x' },
    ],
    ['names in NFD', tarGz({ name: 'e\u0301', data: 'x' }), { é: 'x' }],
  ])('in a tar: %s', async (_, archive, expected) => {
    expect(await contents(archive)).toEqual(expected);
  });

  const late = { flags: 0x0808, local: { crc: 0, packedSize: 0, size: 0 } };

  test.each([
    [
      'entries for folders',
      rawZip([
        { name: 'd/', attributes: 0x41ed0010 },
        { name: 'd/x', data: 'x' },
      ]),
      { 'd/x': 'x' },
    ],
    ['stored entries', rawZip([{ name: 'x', data: 'x', method: 0 }]), { x: 'x' }],
    ['a comment', rawZip([{ name: 'x', data: 'x' }], { comment: 'made by hand' }), { x: 'x' }],
    ['names of Info-ZIP without a flag', rawZip([{ name: 'é', data: 'x', flags: 0 }]), { é: 'x' }],
    [
      'sizes behind the data',
      rawZip([{ name: 'x', data: 'x', method: 0, ...late, after: u32(0x08074b50, crc32('x'), 1, 1) }]),
      { x: 'x' },
    ],
    [
      'sizes behind the data without a mark',
      rawZip([{ name: 'x', data: 'x', method: 0, ...late, after: u32(crc32('x'), 1, 1) }]),
      { x: 'x' },
    ],
    [
      'a second name that is the same',
      rawZip([
        {
          name: 'x',
          data: 'x',
          extra: extraField(0x7075, Buffer.concat([Buffer.from([1]), u32(crc32('x')), Buffer.from('x')])),
        },
      ]),
      { x: 'x' },
    ],
    [
      'modes of no type, as Python writes them',
      rawZip([{ name: 'x', data: 'x', attributes: (0o600 << 16) >>> 0 }]),
      { x: 'x' },
    ],
    [
      'a folder by its name alone',
      rawZip([
        { name: 'd/', attributes: 0 },
        { name: 'x', data: 'x' },
      ]),
      { x: 'x' },
    ],
  ])('in a zip: %s', async (_, archive, expected) => {
    expect(await contents(archive)).toEqual(expected);
  });

  test('a file is executable if its owner may execute it, on systems with executable bits', async () => {
    const zip = rawZip([
      { name: 'unix', mode: 0o755 },
      { name: 'plain', mode: 0o644 },
      { name: 'dos', attributes: (0o100755 << 16) >>> 0, madeBy: 20 },
    ]);
    const files = await unpackArchive(zip);
    expect(files.filter(({ executable }) => executable).map(({ path }) => path)).toEqual(['unix']);
  });
});

describe('unpackArchive()', () => {
  const files = [{ path: 'SKILL.md', bytes: Buffer.alloc(3 * 1024 * 1024), executable: false }];

  test.each(['tar.gz', 'zip'] as const)('stops when the caller aborts (%s)', async (format) => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(unpackArchive(packArchive(files, format), { signal })).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });

  test.each(['tar.gz', 'zip'] as const)('accepts limits from its caller (%s)', async (format) => {
    const archive = packArchive(files, format);
    const small = unpackArchive(archive, { limits: { entries: 10, bytes: 1024 } });
    await expect(small).rejects.toMatchObject({ code: 'ARCHIVE_TOO_LARGE' });
    expect(await unpackArchive(archive, { limits: limits.archive.tree })).toHaveLength(1);
  });

  test.each(['tar.gz', 'zip'] as const)(
    'unpacks the largest skill that clients must accept, made of zeros (%s)',
    async (format) => {
      const largest = Array.from({ length: limits.skill.files }, (_, at) => ({
        path: `files/number-${at}.bin`,
        bytes: new Uint8Array(limits.skill.bytes / limits.skill.files),
        executable: false,
      }));
      expect(await unpackArchive(packArchive(largest, format))).toHaveLength(limits.skill.files);
    },
  );

  test('keeps an archive inside an archive as a file', async () => {
    const inner = packArchive(files, 'zip');
    const [file] = await unpackArchive(packArchive([{ path: 'inner.zip', bytes: inner, executable: false }], 'tar.gz'));
    expect(file?.bytes.length).toBe(inner.length);
  });
});
