/**
 * Packs archives. The same files give the same bytes on every machine at any time, so the digest of an archive
 * identifies its files. Entries are sorted by path and record no time, place or owner. Every archive packed here passes
 * `unpackArchive()`; other input throws.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { limits } from '../limits.ts';
import { throwIfAborted } from './archive-error.ts';
import type { ArchiveFile, ArchiveFormat } from './archive-file.ts';
import { deflate } from './deflate.ts';
import { planOf } from './entry-plan.ts';
import { writeTar } from './tar-writer.ts';
import { writeZip } from './zip-writer.ts';

/**
 * Packs these files, in any order.
 *
 * @throws SkillwireError ARCHIVE_* if a file cannot be part of an archive that every system can unpack
 */
export function packArchive(files: readonly ArchiveFile[], format: ArchiveFormat): Uint8Array {
  const work = packing(files, format);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Like `packArchive`, but lets other work of the process run while something large is packed. */
export async function packArchiveInTurns(
  files: readonly ArchiveFile[],
  format: ArchiveFormat,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const work = packing(files, format);
  for (let since = performance.now(); ; ) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < limits.archive.turnMs) continue;
    await nextTurn();
    throwIfAborted(signal);
    since = performance.now();
  }
}

function* packing(files: readonly ArchiveFile[], format: ArchiveFormat): Generator<void, Uint8Array> {
  const planned = planOf(files, limits.archive.skill);
  return format === 'zip' ? yield* writeZip(planned) : yield* gzip(writeTar(planned));
}

/** No file name, no time, system "Unix". */
const gzipHeader = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];

function* gzip(bytes: Uint8Array): Generator<void, Uint8Array> {
  const deflated = yield* deflate(bytes);
  const packed = new Uint8Array(gzipHeader.length + deflated.length + 8);
  packed.set(gzipHeader);
  packed.set(deflated, gzipHeader.length);
  const view = new DataView(packed.buffer);
  view.setUint32(packed.length - 8, crc32(bytes), true);
  view.setUint32(packed.length - 4, bytes.length, true);
  return packed;
}
