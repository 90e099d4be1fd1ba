/**
 * Makes archives. The same files give the same bytes on every machine and at every time, so a digest of an archive is a digest of
 * its files: entries are sorted by path, nothing tells when, where or by whom they were packed. What is packed here passes
 * `unpackArchive()`; anything else throws.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { limits } from '../limits.ts';
import { checkWanted } from './archive-error.ts';
import type { ArchiveFile, ArchiveFormat } from './archive-file.ts';
import { deflate } from './deflate.ts';
import { planFiles } from './entry-plan.ts';
import { writeTar } from './tar-writer.ts';
import { writeZip } from './zip-writer.ts';

/**
 * An archive of these files, in any order given.
 *
 * @throws SkillwireError ARCHIVE_* where a file cannot be part of an archive that every system can unpack
 */
export function packArchive(files: readonly ArchiveFile[], format: ArchiveFormat): Uint8Array {
  const work = packing(files, format);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** The same bytes; other work of the process gets its turn while something large is packed. */
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
    checkWanted(signal);
    since = performance.now();
  }
}

function* packing(files: readonly ArchiveFile[], format: ArchiveFormat): Generator<void, Uint8Array> {
  const entries = files.map(
    ({ path, bytes, executable }) => ({ kind: 'file', name: path, bytes, executable }) as const,
  );
  const planned = planFiles(entries, limits.archive.skill);
  return format === 'zip' ? yield* writeZip(planned) : yield* gzip(writeTar(planned));
}

/** No name, no time, maker "Unix". */
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
