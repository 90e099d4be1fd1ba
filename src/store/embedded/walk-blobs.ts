/** What lies below the folder of the blobs, ours or not: `sha256/ab/cdef...` and, while they are written, files in `tmp`. */
import { join } from 'node:path';
import type { BlobFacts } from '../store.ts';
import { type FileSystem, isAbsent, lstatIfThere } from './file-system.ts';

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
