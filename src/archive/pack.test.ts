import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/requirements/verifies.ts';
import type { ArchiveFile, ArchiveFormat } from './archive-file.ts';
import { packArchive, packArchiveInTurns } from './pack.ts';
import { unpackArchive } from './unpack.ts';

function file(path: string, content: string | Uint8Array = '', executable = false): ArchiveFile {
  return { path, bytes: typeof content === 'string' ? Buffer.from(content) : content, executable };
}

/** Bytes that look random and are the same everywhere. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = 1;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

const skillMd = '---\nname: git-workflow\ndescription: Rules for commits.\n---\n\n# Commits\n';
const lines = Array.from({ length: 4000 }, (_, at) => `Line ${at} of ${(at * 7919) % 4001} says nothing new.\n`).join(
  '',
);

/** Fixed trees. A change of their digests means new bytes for every published archive, and needs a good reason. */
const goldenTrees: Readonly<Record<string, readonly ArchiveFile[]>> = {
  'one file': [file('SKILL.md', skillMd)],
  'an ordinary skill': [
    file('scripts/run.sh', '#!/bin/sh\necho hello\n', true),
    file('SKILL.md', skillMd),
    file('references/GUIDE.md', lines),
    file('references/terms/a.md', 'a\r\n'),
    file('assets/empty.txt'),
  ],
  'names and bytes of all kinds': [
    file('SKILL.md', skillMd),
    file('références/été – 夏.md', 'été\n'),
    file('emoji/😀.txt', '😀'),
    file('emoji/\uFF5E.txt', 'a full-width tilde sorts before it in UTF-8, behind it in UTF-16'),
    file(`${'long-folder-name/'.repeat(8)}file-with-a-name-that-needs-the-prefix-field.md`, 'x'),
    file('assets/noise.bin', noise(300_000)),
    file('assets/text.txt', lines.repeat(5)),
    file(
      'assets/all-bytes.bin',
      Uint8Array.from({ length: 256 }, (_, at) => at),
    ),
  ],
};

const goldenDigests: Readonly<Record<string, Readonly<Record<ArchiveFormat, string>>>> = {
  'one file': {
    'tar.gz': '56daf2f4ccae8a9331a2d65e7607c0333798a875dbbf1799779560838764a9c0',
    zip: '3d6f1959660293af5e1b05fd5ce0554ae4cfc3415146b12a546aa5ec9fed8230',
  },
  'an ordinary skill': {
    'tar.gz': 'e6d9bab74d79ff5f3bdd2b9bc5f547443946e7c06917e321ab976611f9bfb4a4',
    zip: 'f9c2f39c454662cfa5357b7ac7d69ba4df2496a94c71dc364d0a188cd3698636',
  },
  'names and bytes of all kinds': {
    'tar.gz': '5208e7d71c36ef422ee29ffc82953e6767d4227b97fdcff8ee4d118bb3a4752c',
    zip: 'b0109f19c9c71082bba77e6b5030f3047556e2419f95f63400ec6eafb670e899',
  },
};

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe('packArchive()', () => {
  for (const [name, files] of Object.entries(goldenTrees))
    for (const format of ['tar.gz', 'zip'] as const) {
      verifies(['sec:A-18'], `writes the golden bytes for ${name} as ${format}`, async () => {
        const packed = packArchive(files, format);
        expect(digest(packed)).toBe(goldenDigests[name]?.[format]);
        const unpacked = await unpackArchive(packed, { format });
        expect(unpacked.map(({ path }) => path)).toEqual(sortedPaths(files));
      });

      verifies(['sec:A-18'], `does not depend on the order or the buffers of ${name} as ${format}`, () => {
        const padded = files.map(({ path, bytes, executable }) => {
          const memory = new Uint8Array(bytes.length + 7);
          memory.set(bytes, 3);
          return { path, bytes: memory.subarray(3, 3 + bytes.length), executable };
        });
        expect(digest(packArchive(padded.reverse(), format))).toBe(digest(packArchive(files, format)));
      });
    }

  verifies(['sec:A-18'], 'writes plain ustar headers without owner and time', () => {
    const tar = gunzipSync(packArchive([file('scripts/run.sh', 'x', true), file('SKILL.md', skillMd)], 'tar.gz'));
    const header = (at: number): string =>
      tar
        .subarray(at, at + 512)
        .toString('latin1')
        .replaceAll('\0', '.');
    expect(header(0).slice(0, 148)).toBe(
      `${'SKILL.md'.padEnd(100, '.')}0000644.0000000.0000000.${skillMd.length.toString(8).padStart(11, '0')}.00000000000.`,
    );
    expect(header(0).slice(156)).toBe(`0${'.'.repeat(100)}ustar.00${'.'.repeat(64)}0000000.0000000.`.padEnd(356, '.'));
    expect(header(1024).slice(0, 108)).toBe(`${'scripts/run.sh'.padEnd(100, '.')}0000755.`);
    expect(tar.subarray(2048)).toEqual(Buffer.alloc(1024));
  });

  verifies(['sec:A-18'], 'always writes the same gzip header', () => {
    const packed = packArchive([file('SKILL.md', skillMd)], 'tar.gz');
    expect([...packed.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  });

  verifies(['sec:A-18'], 'writes equal fields in both zip headers, and no descriptors', () => {
    const zip = Buffer.from(packArchive([file('SKILL.md', skillMd.repeat(9))], 'zip'));
    const directory = zip.readUInt32LE(zip.length - 6);
    // From the needed version to the length of the extra field.
    expect(zip.subarray(4, 30)).toEqual(zip.subarray(directory + 6, directory + 32));
    expect(zip.readUInt16LE(6)).toBe(0x0800);
    expect(zip.readUInt32LE(directory + 38) >>> 16).toBe(0o100644);
  });

  test.each(['tar.gz', 'zip'] as const)(
    'writes the same bytes in slices, between which other work runs (%s)',
    async (format) => {
      const large = [file('SKILL.md', skillMd), file('noise.bin', noise(3_000_000)), file('text.md', lines.repeat(10))];
      let turns = 0;
      let running = true;
      const count = (): void => {
        turns++;
        if (running) setImmediate(count);
      };
      setImmediate(count);
      const packed = await packArchiveInTurns(large, format);
      running = false;
      expect(turns).toBeGreaterThan(2);
      expect(digest(packed)).toBe(digest(packArchive(large, format)));
      const given = packArchiveInTurns(large, format, AbortSignal.abort());
      await expect(given).rejects.toMatchObject({ code: 'INTERRUPTED' });
    },
  );

  test('packs the same bytes whatever was packed before', async () => {
    const small = [file('SKILL.md', skillMd), file('references/guide.md', lines.slice(0, 20_000))];
    const [one, other] = [noise(400_000), Buffer.from(lines.repeat(4))].map((bytes) => [file('large.bin', bytes)]);
    const alone = [one, small, other].map((files) => digest(packArchive(files ?? [], 'tar.gz')));
    const interleaved = [one, small, other].map((files) => packArchiveInTurns(files ?? [], 'tar.gz'));
    for (let at = 0; at < 20; at++) expect(digest(packArchive(small, 'tar.gz'))).toBe(alone[1]);
    expect((await Promise.all(interleaved)).map(digest)).toEqual(alone);
  });

  test('stores files in a zip uncompressed if compression does not shrink them', () => {
    const zip = Buffer.from(packArchive([file('noise.bin', noise(1000))], 'zip'));
    expect(zip.readUInt16LE(8)).toBe(0);
  });

  test('refuses a path that does not fit in a ustar header, and suggests a zip', async () => {
    const long = [file(`${'a'.repeat(120)}.md`, 'x')];
    expect(() => packArchive(long, 'tar.gz')).toThrow(/do not fit .*zip/);
    expect(() => packArchive(long, 'tar.gz')).toThrow(expect.objectContaining({ code: 'ARCHIVE_NAME' }));
    expect(await unpackArchive(packArchive(long, 'zip'))).toHaveLength(1);
    const deep = [file(`${'a'.repeat(160)}/b.md`)];
    expect(() => packArchive(deep, 'tar.gz')).toThrow(expect.objectContaining({ code: 'ARCHIVE_NAME' }));
  });

  test.each([
    ['ARCHIVE_PATH_ESCAPE', [file('../x')]],
    ['ARCHIVE_NAME', [file('aux.md')]],
    ['ARCHIVE_NAME_COLLISION', [file('a'), file('A')]],
    ['ARCHIVE_NAME_COLLISION', [file('a'), file('a/b')]],
    ['ARCHIVE_EMPTY', []],
    ['ARCHIVE_TOO_LARGE', [file('a', new Uint8Array(16 * 1024 * 1024 + 1))]],
    ['ARCHIVE_TOO_LARGE', Array.from({ length: 1025 }, (_, at) => file(`f${at}`))],
  ] as const)('refuses with %s everything that unpackArchive() would refuse', (code, files) => {
    for (const format of ['tar.gz', 'zip'] as const)
      expect(() => packArchive(files, format)).toThrow(expect.objectContaining({ code }));
  });
});

function sortedPaths(files: readonly ArchiveFile[]): readonly string[] {
  return files.map(({ path }) => path).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
