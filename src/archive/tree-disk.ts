/** The few things that writing a tree does with a disk, so that tests can let every single one of them fail. */
import { constants } from 'node:fs';
import * as disk from 'node:fs/promises';

export interface TreeDisk {
  /** Fails where there is something already. */
  mkdir(path: string): Promise<void>;
  /** Creates a file that was not there, whole and synced. */
  create(path: string, bytes: Uint8Array, mode: number): Promise<void>;
  syncFolder(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  remove(path: string): Promise<void>;
  /** Bytes that are left, where the system tells. */
  free(path: string): Promise<number | undefined>;
}

/** O_NOFOLLOW does not exist on Windows. */
const creating = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Codes of systems on which folders cannot be synced. */
const noFolderSync: ReadonlySet<string | undefined> = new Set(['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM']);

export const nodeTreeDisk: TreeDisk = {
  mkdir: async (path) => {
    await disk.mkdir(path, { mode: 0o755 });
  },
  async create(path, bytes, mode) {
    const file = await disk.open(path, creating, mode);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  async syncFolder(path) {
    if (process.platform === 'win32') return;
    const folder = await disk.open(path, constants.O_RDONLY);
    try {
      await folder.sync();
    } catch (error) {
      if (!noFolderSync.has(errorCodeOf(error))) throw error;
    } finally {
      await folder.close();
    }
  },
  rename: (from, to) => disk.rename(from, to),
  exists: async (path) => {
    try {
      await disk.lstat(path);
      return true;
    } catch (error) {
      if (errorCodeOf(error) === 'ENOENT') return false;
      throw error;
    }
  },
  remove: (path) => disk.rm(path, { recursive: true, force: true }),
  free: async (path) => {
    const { bavail, bsize } = await disk.statfs(path);
    return bavail * bsize;
  },
};

export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
