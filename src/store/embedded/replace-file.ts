/**
 * A file appears under its name whole and synced, or not at all: written beside it under a temporary name, synced, renamed, and
 * the folder synced. A crash leaves at most the temporary file.
 */
import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { limits } from '../../limits.ts';
import type { FileSystem, OpenFile } from './file-system.ts';

/** Temporary names end like this. */
export const temporaryName = /\.tmp-[0-9a-f]{16}$/;

export function temporaryBeside(path: string): string {
  return `${path}.tmp-${randomBytes(8).toString('hex')}`;
}

/** Writes all of it; a disk may take it in pieces. @returns the position behind it */
export async function writeAll(file: OpenFile, bytes: Uint8Array, position: number): Promise<number> {
  let written = 0;
  while (written < bytes.length) written += await file.write(bytes.subarray(written), position + written);
  return position + written;
}

export interface NewFile {
  readonly mode?: number;
  /** Where the bytes are put together; on the same disk. */
  readonly temporary?: string;
  /** Called right before the file gets its name. */
  readonly confirm?: () => Promise<void>;
}

export async function replaceFile(
  files: FileSystem,
  path: string,
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { mode = 0o600, temporary = temporaryBeside(path), confirm }: NewFile = {},
): Promise<void> {
  const file = await files.open(temporary, 'creating', mode);
  try {
    try {
      let position = 0;
      for await (const part of parts) position = await writeAll(file, part, position);
      await file.sync();
    } finally {
      await file.close();
    }
    await confirm?.();
    await files.rename(temporary, path);
  } catch (error) {
    await removeAfterFailure(files, temporary, error);
    throw error;
  }
  await files.syncFolder(dirname(path));
}

/** The failure is what the caller must hear of; what else fails on the way out is a leftover that is swept later. */
async function removeAfterFailure(files: FileSystem, path: string, failure: unknown): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (failure instanceof Error && failure.cause === undefined) failure.cause = error;
  }
}

/** A damaged file is kept for a person to look at, under a name with the time; a bounded number of them. */

/** @returns the path of the copy */
export async function copyDamaged(files: FileSystem, path: string): Promise<string> {
  const prefix = `${basename(path)}.corrupt-`;
  const copy = join(dirname(path), `${prefix}${new Date().toISOString().replace(/[-:]/g, '')}`);
  await replaceFile(files, copy, contents(files, path));
  const kept: string[] = [];
  for await (const name of files.names(dirname(path))) {
    if (name.startsWith(prefix) && /^\d{8}T\d{6}\.\d{3}Z$/.test(name.slice(prefix.length))) kept.push(name);
  }
  for (const name of kept.sort().slice(0, -limits.store.corruptCopies)) await files.unlink(join(dirname(path), name));
  return copy;
}

async function* contents(files: FileSystem, path: string): AsyncGenerator<Uint8Array> {
  const file = await files.open(path, 'reading');
  try {
    const chunk = new Uint8Array(limits.store.chunkBytes);
    for (let position = 0; ; ) {
      const count = await file.read(chunk, position);
      if (count === 0) return;
      yield chunk.subarray(0, count);
      position += count;
    }
  } finally {
    await file.close();
  }
}
