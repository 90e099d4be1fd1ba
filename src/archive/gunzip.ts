/**
 * The bytes inside a gzip file, up to a limit that is counted while they come out: a bomb is stopped at most one chunk behind it.
 * Several members are one text, as in gzip itself, and share the limit. What stands behind the last one is refused.
 */
import { createGunzip } from 'node:zlib';
import { limits } from '../limits.ts';
import { checkWanted, refusedArchive } from './archive-error.ts';

export async function gunzip(bytes: Uint8Array, most: number, signal?: AbortSignal): Promise<Uint8Array> {
  const engine = createGunzip({ chunkSize: limits.archive.chunkBytes });
  const chunks: Uint8Array[] = [];
  let length = 0;
  engine.end(bytes);
  try {
    for await (const chunk of engine as AsyncIterable<Uint8Array>) {
      checkWanted(signal);
      length += chunk.length;
      if (length > most) throw refusedArchive('ARCHIVE_TOO_LARGE', `it inflates to more than ${most} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw inflateFailure(error);
  }
  if (engine.bytesWritten !== bytes.length) {
    const rest = bytes.length - engine.bytesWritten;
    throw refusedArchive('ARCHIVE_AMBIGUOUS', `${rest} bytes stand behind the end of its gzip data`);
  }
  return Buffer.concat(chunks, length);
}

function inflateFailure(error: unknown): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === 'Z_BUF_ERROR') return refusedArchive('ARCHIVE_TRUNCATED', 'its gzip data ends before its end', error);
  if (code === 'Z_DATA_ERROR') return refusedArchive('ARCHIVE_CORRUPT', `its gzip data is damaged`, error);
  return error;
}
