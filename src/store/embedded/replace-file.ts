/**
 * A file appears under its name complete and synced, or not at all. It is written under a temporary name, synced and
 * renamed, and then the folder is synced. A crash leaves at most the temporary file.
 */
import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { limits } from '../../limits.ts';
import type { FileSystem, OpenFile } from './file-system.ts';

/** Matches the end of temporary names. */
export const temporaryName = /\.tmp-[0-9a-f]{16}$/;

export function temporaryBeside(path: string): string {
  return `${path}.tmp-${randomBytes(8).toString('hex')}`;
}

/** Writes all bytes, even if the disk accepts them in pieces. @returns the position after them */
export async function writeAll(file: OpenFile, bytes: Uint8Array, position: number): Promise<number> {
  let written = 0;
  while (written < bytes.length) written += await file.write(bytes.subarray(written), position + written);
  return position + written;
}

export interface NewFile {
  readonly mode?: number;
  /** The path of the temporary file, on the same disk. */
  readonly temporary?: string;
  /** Called right before the rename. */
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

/** The caller gets the first failure. A file that cannot be removed is a leftover, which is swept later. */
async function removeAfterFailure(files: FileSystem, path: string, failure: unknown): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (failure instanceof Error && failure.cause === undefined) failure.cause = error;
  }
}

/** A damaged file is copied for a person to inspect, under a name with the time. The number of copies is bounded. */

/** @returns the path of the copy */
export async function copyDamaged(files: FileSystem, path: string): Promise<string> {
  const prefix = `${basename(path)}.corrupt-`;
  const copy = join(dirname(path), `${prefix}${new Date().toISOString().replace(/[-:]/g, '')}`);
  await replaceFile(files, copy, contents(files, path));
  const copies: string[] = [];
  for await (const name of files.names(dirname(path))) {
    if (name.startsWith(prefix) && /^\d{8}T\d{6}\.\d{3}Z$/.test(name.slice(prefix.length))) copies.push(name);
  }
  for (const name of copies.sort().slice(0, -limits.store.corruptCopies)) await files.unlink(join(dirname(path), name));
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
