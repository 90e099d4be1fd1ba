/**
 * Upkeep of the blobs, as named steps: hash every one (damaged ones go), close those that may be written to, name what is not
 * ours, sweep what writes that died left behind.
 */

import { join } from 'node:path';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { collectGarbage, pinnedDigests } from '../collect-garbage.ts';
import type { AnyKey, BlobFacts, BlobStore, KeyValueStore } from '../store.ts';
import { type FileSystem, isAbsent, lstatIfThere, unlinkIfThere } from './file-system.ts';

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

/**
 * Blobs that stay within a budget of bytes: at the first blob that a process keeps, and each time it has kept a sixteenth of the
 * budget since, the least recently used ones go. What the state names is pinned. A blob that was kept is kept, also where
 * making room failed.
 */

export interface BudgetOptions {
  readonly budgetBytes: number;
  readonly state: KeyValueStore<AnyKey>;
  /** Done before room is made. */
  readonly sweep: () => Promise<unknown>;
  /** Hears why room could not be made. */
  readonly onFailure: (error: SkillwireError) => void;
}

export function budgetedBlobs(blobs: BlobStore, { budgetBytes, state, sweep, onFailure }: BudgetOptions): BlobStore {
  const step = budgetBytes / 16;
  let sinceLast = step;
  const makeRoom = async (): Promise<void> => {
    try {
      await sweep();
      await collectGarbage(blobs, { budgetBytes, pinned: await pinnedDigests(state) });
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

/** What lies below the folder of the blobs, ours or not: `sha256/ab/cdef...` and, while they are written, files in `tmp`. */

/** Everything below the folder of the blobs, ours or not. */
export type FoundInBlobs =
  | { readonly kind: 'blob'; readonly path: string; readonly facts: BlobFacts; readonly mode: number }
  | { readonly kind: 'temporary'; readonly path: string; readonly ageMs: number }
  | { readonly kind: 'foreign'; readonly path: string };

export const algorithm = 'sha256';
export const blobFolder = (cacheFolder: string): string => join(cacheFolder, 'blobs');
export const temporaryFolder = (cacheFolder: string): string => join(blobFolder(cacheFolder), 'tmp');

/** Walks what lies below the folder of the blobs; what vanishes meanwhile is left out. */
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

/** All at once, so that what is removed while walking does not disturb the walk; a 256th of the blobs at most. */
async function namesIfFolder(files: FileSystem, path: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const name of files.names(path)) names.push(name);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  return names.sort();
}
