/**
 * The disk operations of installing, in addition to those of the store. All of them go through this port, so that tests can stop at every
 * step and simulate Windows. Links are read and never followed.
 */

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  rmdirSync,
} from 'node:fs';
import * as disk from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { codeOf } from '../errors.ts';
import {
  type FileStatus,
  type FileSystem,
  isAbsent,
  lstatIfThere,
  nodeFileSystem,
  withWindowsPatience,
} from '../store/embedded/file-system.ts';
import { writeAll } from '../store/embedded/replace-file.ts';

export interface DiskEntry {
  readonly name: string;
  readonly kind: FileStatus['kind'];
}

export interface SyncDisk extends FileSystem {
  /** `junction`: an NTFS junction, whose target must be absolute. */
  symlink(target: string, path: string, kind: 'link' | 'junction'): Promise<void>;
  readlink(path: string): Promise<string>;
  rmdir(path: string): Promise<void>;
  /** In the order of the names. */
  list(path: string): Promise<readonly DiskEntry[]>;
  /** A whole file; fails if the path is a link. */
  read(path: string): Promise<Uint8Array>;
  /** A file and its mode, if it has this size; no other file is read. */
  readSized(path: string, size: number): Promise<SizedFile | undefined>;
  /** A stamp that changes with any of these paths; `undefined` if one is missing. No file is read. */
  stamp(folder: string, paths: readonly string[]): Promise<PathsStamp | undefined>;
}

export interface PathsStamp {
  /** Device, inode, size, mode and times of every path, in order. */
  readonly bytes: Uint8Array;
  /** The last change of any of them. */
  readonly changedMs: number;
}

export interface SizedFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

const reading = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const plainDisk: SyncDisk = {
  ...nodeFileSystem,
  symlink: (target, path, kind) => disk.symlink(target, path, kind === 'junction' ? 'junction' : 'dir'),
  readlink: async (path) => readlinkSync(path),
  rmdir: async (path) => rmdirSync(path),
  async list(path) {
    const found = readdirSync(path, { withFileTypes: true });
    return found
      .map((entry): DiskEntry => ({ name: entry.name, kind: kindOf(entry) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  },
  async read(path) {
    const file = openSync(path, reading);
    try {
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  },
  async readSized(path, size) {
    const file = openSync(path, reading);
    try {
      const facts = fstatSync(file);
      if (!facts.isFile() || facts.size !== size) return undefined;
      const bytes = Buffer.allocUnsafe(size);
      for (let length = 0; length < size; ) {
        const count = readSync(file, bytes, length, size - length, length);
        if (count === 0) return undefined;
        length += count;
      }
      return { bytes, mode: facts.mode };
    } finally {
      closeSync(file);
    }
  },
  async stamp(folder, paths) {
    const facts = new Float64Array(paths.length * 6);
    let changedMs = 0;
    for (const [index, path] of paths.entries()) {
      const found = lstatSync(path === '' ? folder : `${folder}${sep}${path}`, { throwIfNoEntry: false });
      if (found === undefined) return undefined;
      const { dev, ino, size, mode, mtimeMs, ctimeMs } = found;
      facts.set([dev, ino, size, mode, mtimeMs, ctimeMs], index * 6);
      changedMs = Math.max(changedMs, mtimeMs, ctimeMs);
    }
    return { bytes: new Uint8Array(facts.buffer), changedMs };
  },
};

export const nodeSyncDisk: SyncDisk =
  process.platform === 'win32' ? { ...plainDisk, ...withWindowsPatience(plainDisk) } : plainDisk;

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): DiskEntry['kind'] {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other';
}

/** True even for a broken link. */
export function isThere(files: FileSystem, path: string): Promise<boolean> {
  return files.isThere(path);
}

/** Creates a new file and syncs it. */
export async function createFile(files: FileSystem, path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const file = await files.open(path, 'creating', mode);
  try {
    await writeAll(file, bytes, 0);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Creates a folder and its parents. @returns the created ones, outermost first */
export async function makeFolders(files: FileSystem, path: string): Promise<readonly string[]> {
  const made: string[] = [];
  const missing: string[] = [];
  for (let folder = path; !(await isThere(files, folder)); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) {
    try {
      await files.mkdir(folder, 0o755);
      made.push(folder);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
  return made;
}

/** Removes a file, link or folder; links are not followed. */
export async function removeTree(files: SyncDisk, path: string): Promise<void> {
  const facts = await lstatIfThere(files, path);
  if (facts === undefined) return;
  if (facts.kind !== 'folder') return unlinkGone(files, path);
  for (const { name, kind } of await files.list(path)) {
    if (kind === 'folder') await removeTree(files, join(path, name));
    else await unlinkGone(files, join(path, name));
  }
  await files.rmdir(path);
}

async function unlinkGone(files: FileSystem, path: string): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

export async function removeIfEmpty(files: SyncDisk, path: string): Promise<void> {
  try {
    await files.rmdir(path);
  } catch (error) {
    if (!isAbsent(error) && !notEmpty.has(codeOf(error))) throw error;
  }
}

const notEmpty: ReadonlySet<string | undefined> = new Set(['ENOTEMPTY', 'EEXIST', 'EBUSY', 'EPERM']);
