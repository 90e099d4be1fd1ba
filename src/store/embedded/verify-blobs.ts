/**
 * Upkeep of the blobs, as named steps: hash every one (damaged ones go), close those that may be written to, name what is not
 * ours, sweep what writes that died left behind.
 */
import { limits } from '../../limits.ts';
import type { BlobStore } from '../store.ts';
import { type FileSystem, unlinkIfThere } from './file-system.ts';
import { walkBlobs } from './walk-blobs.ts';

export interface BlobReport {
  readonly good: number;
  readonly goodBytes: number;
  /** Digests of blobs that were damaged and are removed now. */
  readonly damaged: readonly string[];
  /** Paths of what is not ours; it is left alone and never read. */
  readonly foreign: readonly string[];
  /** Leftovers that were removed. */
  readonly swept: number;
}

const readOnly = 0o444;

export async function verifyBlobs(files: FileSystem, cacheFolder: string, blobs: BlobStore): Promise<BlobReport> {
  const damaged: string[] = [];
  const foreign: string[] = [];
  let good = 0;
  let goodBytes = 0;
  for await (const found of walkBlobs(files, cacheFolder)) {
    if (found.kind === 'foreign') foreign.push(found.path);
    if (found.kind !== 'blob') continue;
    const bytes = await blobs.get(found.facts.digest);
    if (bytes === undefined) {
      damaged.push(found.facts.digest);
      continue;
    }
    good += 1;
    goodBytes += bytes.length;
    if ((found.mode & 0o222) !== 0) await files.chmod(found.path, readOnly);
  }
  return { good, goodBytes, damaged, foreign, swept: await sweepLeftovers(files, cacheFolder) };
}

/** Removes files that nobody can be writing any more. @returns how many */
export async function sweepLeftovers(files: FileSystem, cacheFolder: string): Promise<number> {
  let swept = 0;
  for await (const found of walkBlobs(files, cacheFolder)) {
    if (found.kind !== 'temporary' || Math.abs(found.ageMs) <= limits.store.leftoverMs) continue;
    if (await unlinkIfThere(files, found.path)) swept += 1;
  }
  return swept;
}
