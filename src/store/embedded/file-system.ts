/**
 * The disk operations of the store. Every operation goes through this interface, so that tests can stop, fail or count
 * each step. Folders are synced if the system supports it. Opening a file never follows a link.
 */

import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  read,
  readSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs';
import * as disk from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { codeOf } from '../../errors.ts';
import { limits } from '../../limits.ts';

export interface FileStatus {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  /** Differs after every change of the file, and for another file at the same path. */
  readonly stamp: string;
  readonly inode: string;
  readonly mtimeMs: number;
  readonly mode: number;
  /** The owner; `undefined` if the system has none. */
  readonly uid: number | undefined;
}

export interface OpenFile {
  stat(): Promise<FileStatus>;
  /** Returns how many bytes were read; 0 at the end of the file. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Returns how many bytes were written. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  truncate(size: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export type OpenFor = 'reading' | 'changing' | 'creating';

export interface FileSystem {
  /** `creating` fails if the path exists. */
  open(path: string, purpose: OpenFor, mode?: number): Promise<OpenFile>;
  /** Follows links. */
  stat(path: string): Promise<FileStatus>;
  /** Does not follow a link. */
  lstat(path: string): Promise<FileStatus>;
  /** The stamp of a path, without waiting; `undefined` if it is missing. Does not follow a link. */
  stampNow(path: string): string | undefined;
  /**
   * Whether the path exists, even as a dangling link. For paths that are mostly missing: a thrown error costs more than
   * this call.
   */
  isThere(path: string): Promise<boolean>;
  realpath(path: string): Promise<string>;
  mkdir(path: string, mode: number): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  link(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Names, in no order. */
  names(path: string): AsyncIterable<string>;
  /** Sets the modification time, which blobs use as the time of the last use. */
  touch(path: string, atMs: number): Promise<void>;
  /** Makes the creations, renames and removals in a folder durable. */
  syncFolder(path: string): Promise<void>;
}

/** Windows has neither O_NOFOLLOW nor O_NONBLOCK. */
const careful = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const openFlags = {
  reading: constants.O_RDONLY | careful,
  changing: constants.O_RDWR | careful,
  creating: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | careful,
} as const satisfies Record<OpenFor, number>;

/** Codes of systems and file systems that cannot sync folders. */
const noFolderSync: ReadonlySet<string | undefined> = new Set(['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM']);

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

function factsOf(stats: BigIntStats): FileStatus {
  return {
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other',
    size: Number(stats.size),
    stamp: stampOf(stats),
    inode: `${stats.dev}:${stats.ino}`,
    mtimeMs: Number(stats.mtimeMs),
    mode: Number(stats.mode),
    uid: process.platform === 'win32' ? undefined : Number(stats.uid),
  };
}

/**
 * Up to this size, reads and writes are synchronous, like every call that the system answers at once. Handing such a
 * call to a thread costs several times the call itself. Large reads and writes, listings, and calls that wait for the
 * disk are asynchronous.
 */
const atOnceBytes = 64 * 1024;

const throughDisk = promisify(fsync);
const readLater = promisify(read);
const writeLater = promisify(write);

async function openFile(path: string, purpose: OpenFor, mode = 0o600): Promise<OpenFile> {
  const file = openSync(path, openFlags[purpose], mode);
  return {
    stat: async () => factsOf(fstatSync(file, { bigint: true })),
    read: async (into, position) =>
      into.length <= atOnceBytes
        ? readSync(file, into, 0, into.length, position)
        : (await readLater(file, into, 0, into.length, position)).bytesRead,
    write: async (bytes, position) =>
      bytes.length <= atOnceBytes
        ? writeSync(file, bytes, 0, bytes.length, position)
        : (await writeLater(file, bytes, 0, bytes.length, position)).bytesWritten,
    truncate: async (size) => ftruncateSync(file, size),
    sync: () => throughDisk(file),
    close: async () => closeSync(file),
  };
}

export const nodeFileSystem: FileSystem = {
  open: openFile,
  stat: async (path) => factsOf(statSync(path, { bigint: true })),
  lstat: async (path) => factsOf(lstatSync(path, { bigint: true })),
  stampNow: (path) => {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? undefined : stampOf(stats);
  },
  isThere: async (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
  realpath: async (path) => realpathSync.native(path),
  mkdir: async (path, mode) => {
    mkdirSync(path, { mode });
  },
  chmod: async (path, mode) => chmodSync(path, mode),
  rename: async (from, to) => renameSync(from, to),
  link: async (from, to) => linkSync(from, to),
  unlink: async (path) => unlinkSync(path),
  async *names(path) {
    for await (const { name } of await disk.opendir(path)) yield name;
  },
  touch: (path, atMs) => disk.lutimes(path, atMs / 1000, atMs / 1000),
  async syncFolder(path) {
    if (process.platform === 'win32') return;
    const folder = openSync(path, constants.O_RDONLY);
    try {
      await throughDisk(folder);
    } catch (error) {
      if (!noFolderSync.has(codeOf(error))) throw error;
    } finally {
      closeSync(folder);
    }
  },
};

/** Codes for a path that does not exist. */
const absent: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR']);

export function isAbsent(error: unknown): boolean {
  return absent.has(codeOf(error));
}

export async function lstatIfThere(files: FileSystem, path: string): Promise<FileStatus | undefined> {
  try {
    return await files.lstat(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** `true` if the file existed. */
export async function unlinkIfThere(files: FileSystem, path: string): Promise<boolean> {
  try {
    await files.unlink(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

export async function openIfThere(files: FileSystem, path: string, purpose: OpenFor): Promise<OpenFile | undefined> {
  try {
    return await files.open(path, purpose);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Reads until the buffer is full or the file ends. @returns how many bytes */
export async function readInto(file: OpenFile, bytes: Uint8Array, position: number): Promise<number> {
  let length = 0;
  while (length < bytes.length) {
    const count = await file.read(bytes.subarray(length), position + length);
    if (count === 0) break;
    length += count;
  }
  return length;
}

/**
 * Windows refuses to replace or remove a file that is read-only or that a virus scanner has open. So the file is made
 * writable, and the call is retried for a bounded time.
 */

const passing: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY']);

export function withWindowsPatience(files: FileSystem): FileSystem {
  const patiently = async (target: string, call: () => Promise<void>): Promise<void> => {
    const end = performance.now() + limits.store.renameMs;
    for (let pause = 10; ; pause = Math.min(pause * 2, 200)) {
      try {
        return await call();
      } catch (error) {
        if (!passing.has(codeOf(error)) || performance.now() + pause > end) throw error;
      }
      await makeWritable(target);
      await sleep(pause);
    }
  };
  const makeWritable = async (path: string): Promise<void> => {
    try {
      if ((await files.lstat(path)).kind === 'file') await files.chmod(path, 0o666);
    } catch (error) {
      const code = codeOf(error);
      if (code !== 'ENOENT' && !passing.has(code)) throw error;
    }
  };
  return {
    ...files,
    rename: (from, to) => patiently(to, () => files.rename(from, to)),
    unlink: (path) => patiently(path, () => files.unlink(path)),
  };
}
