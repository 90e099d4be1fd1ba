/**
 * Maintains the blobs:
 * - hashes every blob and removes damaged ones
 * - makes writable blobs read-only
 * - reports foreign files
 * - removes the leftovers of interrupted writes
 */

import { join } from 'node:path';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { collectGarbage } from '../collect-garbage.ts';
import type { BlobFacts, BlobStore } from '../store.ts';
import { type FileSystem, isAbsent, lstatIfThere, unlinkIfThere } from './file-system.ts';

export interface BlobReport {
  readonly good: number;
  readonly goodBytes: number;
  /** Digests of damaged blobs, which are removed. */
  readonly damaged: readonly string[];
  /** Paths that do not belong to the store. They are ignored and never read. */
  readonly foreign: readonly string[];
  /** How many leftovers were removed. */
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

/** Removes temporary files that are too old for anybody to be writing them. @returns how many */
export async function sweepLeftovers(files: FileSystem, cacheFolder: string): Promise<number> {
  let swept = 0;
  for await (const found of walkBlobs(files, cacheFolder)) {
    if (found.kind !== 'temporary' || Math.abs(found.ageMs) <= limits.store.leftoverMs) continue;
    if (await unlinkIfThere(files, found.path)) swept += 1;
  }
  return swept;
}

/**
 * Keeps the blobs within a budget of bytes by evicting the least recently used. A process evicts at its first write,
 * then each time it has written a sixteenth of the budget. Pinned blobs stay. A write succeeds even
 * if the eviction fails.
 */

export interface BudgetOptions {
  readonly budgetBytes: number;
  readonly pinned: () => Promise<ReadonlySet<string>>;
  /** Default: the limit. */
  readonly graceMs?: number | undefined;
  /** Runs before each eviction. */
  readonly sweep: () => Promise<unknown>;
  /** Called with the error if an eviction fails. */
  readonly onFailure: (error: SkillwireError) => void;
}

export function budgetedBlobs(blobs: BlobStore, options: BudgetOptions): BlobStore {
  const { budgetBytes, pinned, sweep, onFailure, graceMs = limits.store.blobGraceMs } = options;
  const step = budgetBytes / 16;
  let sinceLast = step;
  const makeRoom = async (): Promise<void> => {
    try {
      await sweep();
      await collectGarbage(blobs, { budgetBytes, pinned: await pinned(), graceMs });
    } catch (error) {
      if (!(error instanceof SkillwireError)) throw error;
      onFailure(error);
    }
  };
  return {
    ...blobs,
    async put(digest, bytes) {
      await blobs.put(digest, bytes);
      sinceLast += bytes.length;
      if (sinceLast < step) return;
      sinceLast = 0;
      await makeRoom();
    },
  };
}

/** Anything below the blob folder: blobs `sha256/ab/cdef...`, unfinished files in `tmp`, and foreign files. */
export type FoundInBlobs =
  | { readonly kind: 'blob'; readonly path: string; readonly facts: BlobFacts; readonly mode: number }
  | { readonly kind: 'temporary'; readonly path: string; readonly ageMs: number }
  | { readonly kind: 'foreign'; readonly path: string };

export const algorithm = 'sha256';
export const blobFolder = (cacheFolder: string): string => join(cacheFolder, 'blobs');
export const temporaryFolder = (cacheFolder: string): string => join(blobFolder(cacheFolder), 'tmp');

/** Walks everything below the blob folder. Files that disappear during the walk are skipped. */
export async function* walkBlobs(files: FileSystem, cacheFolder: string): AsyncGenerator<FoundInBlobs> {
  const top = blobFolder(cacheFolder);
  for (const name of await namesIfFolder(files, top)) {
    const path = join(top, name);
    if (name === algorithm) yield* walkDigests(files, path);
    else if (path === temporaryFolder(cacheFolder)) yield* walkTemporary(files, path);
    else yield { kind: 'foreign', path };
  }
}

async function* walkDigests(files: FileSystem, top: string): AsyncGenerator<FoundInBlobs> {
  for (const start of await namesIfFolder(files, top)) {
    const folder = join(top, start);
    const facts = await lstatIfThere(files, folder);
    if (facts === undefined) continue;
    if (!/^[0-9a-f]{2}$/.test(start) || facts.kind !== 'folder') {
      yield { kind: 'foreign', path: folder };
      continue;
    }
    for (const rest of await namesIfFolder(files, folder)) {
      const path = join(folder, rest);
      const found = await lstatIfThere(files, path);
      if (found === undefined) continue;
      const { kind, size, mtimeMs: usedAt, mode } = found;
      if (!/^[0-9a-f]{62}$/.test(rest) || kind !== 'file') yield { kind: 'foreign', path };
      else yield { kind: 'blob', path, mode, facts: { digest: `${algorithm}:${start}${rest}`, size, usedAt } };
    }
  }
}

async function* walkTemporary(files: FileSystem, folder: string): AsyncGenerator<FoundInBlobs> {
  for (const name of await namesIfFolder(files, folder)) {
    const path = join(folder, name);
    const facts = await lstatIfThere(files, path);
    if (facts?.kind === 'file') yield { kind: 'temporary', path, ageMs: Date.now() - facts.mtimeMs };
    else if (facts !== undefined) yield { kind: 'foreign', path };
  }
}

/** Reads all names first, so that removing files does not disturb the walk. A folder has about a 256th of the blobs. */
async function namesIfFolder(files: FileSystem, path: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const name of files.names(path)) names.push(name);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  return names.sort();
}
