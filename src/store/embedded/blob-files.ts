/**
 * Blobs are files named `blobs/sha256/ab/cdef...`. Each is written under a temporary name, synced and renamed, then
 * read-only and never changed in place. So a path has either no file or all of the bytes. No lock is needed, because
 * two writers of one path write the same bytes.
 *
 * Every read hashes the bytes again. A blob that no longer matches its digest is removed and counts as missing. The
 * modification time of a file is the time of its last use.
 */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { codeOf } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { BlobFacts, BlobStore } from '../store.ts';
import { checkBlob, checkDigest } from '../store-checks.ts';
import { algorithm, blobFolder, temporaryFolder, walkBlobs } from './blob-upkeep.ts';
import {
  type FileStatus,
  type FileSystem,
  lstatIfThere,
  type OpenFile,
  openIfThere,
  readInto,
  unlinkIfThere,
} from './file-system.ts';
import { makeFolder } from './private-folder.ts';
import { replaceFile, temporaryBeside } from './replace-file.ts';
import { type CorruptionListener, named, storeFailure } from './store-failure.ts';

export interface BlobFilesOptions {
  readonly files: FileSystem;
  readonly cacheFolder: string;
  readonly onCorrupt: CorruptionListener;
}

/** Codes of disks that cannot record the last use. Reading continues. */
const cannotTouch: ReadonlySet<string | undefined> = new Set(['EROFS', 'EPERM', 'EACCES', 'ENOENT', 'ENOSYS']);

function hashOf(bytes: Uint8Array): string {
  return `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`;
}

export function blobFiles({ files, cacheFolder, onCorrupt }: BlobFilesOptions): BlobStore {
  const folder = blobFolder(cacheFolder);

  const placeOf = (digest: string): { readonly folder: string; readonly path: string } => {
    checkDigest(digest);
    const hex = digest.slice(algorithm.length + 1);
    const parent = join(folder, algorithm, hex.slice(0, 2));
    return { folder: parent, path: join(parent, hex.slice(2)) };
  };

  const noteUse = async (path: string, { mtimeMs }: FileStatus): Promise<void> => {
    const now = Date.now();
    if (Math.abs(now - mtimeMs) < limits.store.useStepMs) return;
    try {
      await files.touch(path, now);
    } catch (error) {
      if (!cannotTouch.has(codeOf(error))) throw error;
    }
  };

  const put = async (digest: string, bytes: Uint8Array): Promise<void> => {
    const place = placeOf(digest);
    checkBlob(digest, bytes, hashOf(bytes));
    const there = await lstatIfThere(files, place.path);
    if (there?.kind === 'file' && there.size === bytes.length) return noteUse(place.path, there);
    await makeFolder(files, place.folder);
    await makeFolder(files, temporaryFolder(cacheFolder));
    const temporary = temporaryBeside(join(temporaryFolder(cacheFolder), digest.slice(-8)));
    await replaceFile(files, place.path, [bytes], { mode: 0o444, temporary });
  };

  /** Removes only the file that was checked, not a valid one that has replaced it. */
  const removeDamaged = async (path: string, found: FileStatus, reason: string): Promise<undefined> => {
    onCorrupt({ file: path, reason });
    const now = await lstatIfThere(files, path);
    if (now?.inode === found.inode && now.kind !== 'folder') await unlinkIfThere(files, path);
    return undefined;
  };

  const openToRead = async (path: string): Promise<OpenFile | undefined> => {
    try {
      return await openIfThere(files, path, 'reading');
    } catch (error) {
      const found = await lstatIfThere(files, path);
      if (found?.kind === 'link') return removeDamaged(path, found, 'a symbolic link was in place of a blob; removed');
      throw error;
    }
  };

  const get = async (digest: string): Promise<Uint8Array | undefined> => {
    const { path } = placeOf(digest);
    const file = await openToRead(path);
    if (file === undefined) return undefined;
    let facts: FileStatus;
    let bytes: Uint8Array | undefined;
    try {
      facts = await file.stat();
      if (facts.kind === 'file' && facts.size <= limits.skill.bytes) {
        const whole = new Uint8Array(facts.size);
        bytes = whole.subarray(0, await readInto(file, whole, 0));
      }
    } finally {
      await file.close();
    }
    if (bytes === undefined || hashOf(bytes) !== digest) {
      return removeDamaged(path, facts, 'the bytes no longer match their digest; removed, fetch the file again');
    }
    await noteUse(path, facts);
    return bytes;
  };

  async function* list(): AsyncGenerator<BlobFacts> {
    for await (const found of walkBlobs(files, cacheFolder)) if (found.kind === 'blob') yield found.facts;
  }

  return {
    put: (digest, bytes) => named('store a blob', () => put(digest, bytes)),
    get: (digest) => named('read a blob', () => get(digest)),
    has: (digest) =>
      named('look for a blob', async () => (await lstatIfThere(files, placeOf(digest).path))?.kind === 'file'),
    delete: (digest, unusedSince) =>
      named('remove a blob', async () => {
        const { path } = placeOf(digest);
        if (unusedSince !== undefined && ((await lstatIfThere(files, path))?.mtimeMs ?? 0) > unusedSince) return false;
        return unlinkIfThere(files, path);
      }),
    async *list() {
      try {
        yield* list();
      } catch (error) {
        throw storeFailure('list the blobs', error);
      }
    },
  };
}
