import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { soakFactor } from '../../test/soak-factor.ts';
import { SkillwireError } from '../errors.ts';
import type { ArchiveFile, ArchiveFormat } from './archive-file.ts';
import { archivePath } from './archive-path.ts';
import { packArchive } from './pack.ts';
import { unpackArchive } from './unpack.ts';

const segment = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z0-9_][a-z0-9_.-]{0,12}$/) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }) },
);

function isUsable(path: string): boolean {
  try {
    return archivePath(path) === path;
  } catch {
    return false;
  }
}

const path = fc
  .array(segment, { minLength: 1, maxLength: 5 })
  .map((segments) => segments.join('/'))
  .filter(isUsable);

function repeated(most: number): fc.Arbitrary<Uint8Array> {
  return fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.nat(most))
    .map(([part, times]) => Buffer.concat(Array.from({ length: times }, () => part)));
}

/** Begins with a line break, so that no content is the target of a link. */
const bytes = fc
  .oneof(
    { weight: 6, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 6, arbitrary: repeated(3000) },
    // Larger than what is deflated in one piece.
    { weight: 1, arbitrary: repeated(20_000) },
  )
  .map((content) => Buffer.concat([Buffer.from('\n'), content]));

const tree = fc
  .uniqueArray(fc.record({ path, bytes, executable: fc.boolean() }), {
    minLength: 1,
    maxLength: 12,
    selector: (file) => file.path,
  })
  .filter((files) => {
    try {
      packArchive(files, 'tar.gz');
      return true;
    } catch (error) {
      return !(error instanceof SkillwireError);
    }
  });

const format = fc.constantFrom<ArchiveFormat>('tar.gz', 'zip');

type FilesByPath = Readonly<Record<string, { readonly bytes: string; readonly executable: boolean }>>;

function byPath(files: readonly ArchiveFile[]): FilesByPath {
  return Object.fromEntries(
    files.map((file) => [file.path, { bytes: Buffer.from(file.bytes).toString('hex'), executable: file.executable }]),
  );
}

const runs = { numRuns: 150 * soakFactor };

describe('random trees', () => {
  test('unpack to the packed files', async () => {
    await fc.assert(
      fc.asyncProperty(tree, format, async (files, as) => {
        expect(byPath(await unpackArchive(packArchive(files, as), { format: as }))).toEqual(byPath(files));
      }),
      runs,
    );
  });

  test('pack to the same bytes in any order', () => {
    fc.assert(
      fc.property(tree, format, fc.nat(), (files, as, seed) => {
        const other = [...files.slice(seed % files.length), ...files.slice(0, seed % files.length)];
        expect(packArchive(other, as)).toEqual(packArchive(files, as));
      }),
      { numRuns: 50 * soakFactor },
    );
  });
});

/** A change of bytes, at an offset given as a fraction of their length. */
interface Damage {
  readonly kind: 'flip' | 'cut' | 'drop' | 'repeat' | 'insert';
  readonly at: number;
  readonly value: number;
}

function damaged(archive: Uint8Array, { kind, at, value }: Damage): Uint8Array {
  const place = Math.floor(at * archive.length);
  const count = 1 + (value % 64);
  const [before, after] = [archive.subarray(0, place), archive.subarray(place)];
  switch (kind) {
    case 'flip':
      return Uint8Array.from(archive, (byte, index) => (index === place ? byte ^ (1 + (value % 255)) : byte));
    case 'cut':
      return before;
    case 'drop':
      return Buffer.concat([before, after.subarray(count)]);
    case 'repeat':
      return Buffer.concat([before, after.subarray(0, count), after]);
    case 'insert':
      return Buffer.concat([before, Buffer.alloc(count, value), after]);
  }
}

const damage = fc.record({
  kind: fc.constantFrom<Damage['kind']>('flip', 'flip', 'flip', 'cut', 'drop', 'repeat', 'insert'),
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  value: fc.nat(65_535),
});

/** In a zip, only the digest of the archive protects the mode bits. */
function withoutModes(files: FilesByPath): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, file]) => [name, file.bytes]));
}

describe('damaged archives', () => {
  test('unpack to the same tree or fail with a typed error', async () => {
    await fc.assert(
      fc.asyncProperty(tree, format, fc.array(damage, { minLength: 1, maxLength: 3 }), async (files, as, harm) => {
        const archive = harm.reduce(damaged, packArchive(files, as));
        let found: readonly ArchiveFile[];
        try {
          found = await unpackArchive(archive);
        } catch (error) {
          expect(error).toBeInstanceOf(SkillwireError);
          expect((error as SkillwireError).code).toMatch(/^ARCHIVE_/);
          return;
        }
        if (as === 'tar.gz') expect(byPath(found)).toEqual(byPath(files));
        else expect(withoutModes(byPath(found))).toEqual(withoutModes(byPath(files)));
      }),
      { numRuns: 400 * soakFactor },
    );
  });

  test('fail with a typed error for any bytes after an archive signature', async () => {
    const start = fc.constantFrom(
      Buffer.from([0x1f, 0x8b, 8, 0]),
      Buffer.from('PK\u0003\u0004'),
      Buffer.from('PK\u0005\u0006'),
    );
    await fc.assert(
      fc.asyncProperty(start, fc.uint8Array({ maxLength: 400 }), async (head, rest) => {
        const result = unpackArchive(Buffer.concat([head, rest]));
        await expect(result).rejects.toMatchObject({ code: expect.stringMatching(/^ARCHIVE_/) });
      }),
      { numRuns: 200 * soakFactor },
    );
  });
});
