/** Bytes of installed skills that are still those of the lock file, wherever they lie on this machine. */
import { join } from 'node:path';
import { isAbsent } from '../store/embedded/file-system.ts';
import type { BlobStore } from '../store/store.ts';
import { sharedFolderOf } from './agent-folders.ts';
import { sha256Of } from './drift.ts';
import type { LockedFile } from './install-lock.ts';
import type { InstallPlace } from './install-place.ts';
import type { SyncDisk } from './sync-disk.ts';

export interface ByteSources {
  readonly disk: SyncDisk;
  readonly place: InstallPlace;
  readonly blobs?: BlobStore | undefined;
}

/** A file of an installed skill with exactly the bytes of the lock file, from its folder or from what is kept by digest. */
export async function installedBytes(
  { disk, place, blobs }: ByteSources,
  name: string,
  path: string,
  { digest }: LockedFile,
): Promise<Uint8Array | undefined> {
  try {
    const bytes = await disk.read(join(await sharedFolderOf(disk, place), name, path));
    if (sha256Of(bytes) === digest) return bytes;
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  return blobs?.get(digest);
}
