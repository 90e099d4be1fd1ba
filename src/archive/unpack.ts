/**
 * Reads foreign archives. An archive is accepted as a whole or refused as a whole, with a code that says why, before
 * any file of it is returned. Nothing here touches a disk; nested archives are plain files. Callers verify the digest
 * of the archive before.
 */

import { createGunzip } from 'node:zlib';
import { codeOf } from '../errors.ts';
import { limits } from '../limits.ts';
import { refusedArchive, throwIfAborted } from './archive-error.ts';
import { type ArchiveFile, type ArchiveFormat, type ArchiveLimits, archiveFormatOf } from './archive-file.ts';
import { planFiles } from './entry-plan.ts';
import { readTar } from './tar-reader.ts';
import { readZip } from './zip-reader.ts';

export interface UnpackOptions {
  /**
   * The format that the wire or the name promises. The first bytes decide; an archive that contradicts the promise is
   * refused.
   */
  readonly format?: ArchiveFormat;
  /** Default: `limits.archive.skill`. */
  readonly limits?: ArchiveLimits;
  readonly signal?: AbortSignal;
}

/**
 * The files of an archive, sorted by path. Their bytes share one buffer.
 *
 * @throws SkillwireError with a code ARCHIVE_*, or INTERRUPTED
 */
export async function unpackArchive(bytes: Uint8Array, options: UnpackOptions = {}): Promise<readonly ArchiveFile[]> {
  const bounds = options.limits ?? limits.archive.skill;
  if (bytes.length > limits.archive.packedBytes) {
    const fault = `it has ${bytes.length} bytes, more than ${limits.archive.packedBytes}`;
    throw refusedArchive('ARCHIVE_TOO_LARGE', fault);
  }
  const format = formatOf(bytes, options.format);
  if (format === 'zip') return planFiles(await readZip(bytes, bounds, options.signal), bounds);
  const most = bounds.bytes + bounds.entries * limits.archive.overheadBytes;
  return planFiles(readTar(await gunzip(bytes, most, options.signal), bounds), bounds);
}

function formatOf(bytes: Uint8Array, said: ArchiveFormat | undefined): ArchiveFormat {
  const format = archiveFormatOf(bytes);
  if (bytes.length === 0) throw refusedArchive('ARCHIVE_EMPTY', 'it has no bytes');
  if (format === undefined)
    throw refusedArchive('ARCHIVE_FORMAT', 'it is neither gzip nor zip', { remedy: 'Pack it as tar.gz or zip' });
  if (said !== undefined && said !== format)
    throw refusedArchive('ARCHIVE_FORMAT', `it should be ${said} but is ${format}`, {
      remedy: 'Give it the right name or type',
      data: { said, found: format },
    });
  return format;
}

/**
 * Inflates a gzip file. The limit is counted during inflation, so a bomb is stopped at most one chunk above it. Several
 * members are one stream, as in gzip itself, and share the limit. Trailing bytes are refused.
 */

async function gunzip(bytes: Uint8Array, most: number, signal?: AbortSignal): Promise<Uint8Array> {
  const engine = createGunzip({ chunkSize: limits.archive.chunkBytes });
  const chunks: Uint8Array[] = [];
  let length = 0;
  engine.end(bytes);
  try {
    for await (const chunk of engine as AsyncIterable<Uint8Array>) {
      throwIfAborted(signal);
      length += chunk.length;
      if (length > most) throw refusedArchive('ARCHIVE_TOO_LARGE', `it inflates to more than ${most} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw inflateFailure(error);
  }
  if (engine.bytesWritten !== bytes.length) {
    const trailing = bytes.length - engine.bytesWritten;
    throw refusedArchive('ARCHIVE_AMBIGUOUS', `${trailing} bytes follow the end of its gzip data`);
  }
  return Buffer.concat(chunks, length);
}

function inflateFailure(error: unknown): unknown {
  const code = codeOf(error);
  if (code === 'Z_BUF_ERROR') return refusedArchive('ARCHIVE_TRUNCATED', 'its gzip data is cut off', { cause: error });
  if (code === 'Z_DATA_ERROR') return refusedArchive('ARCHIVE_CORRUPT', 'its gzip data is damaged', { cause: error });
  return error;
}
