/**
 * Reads a file so that the bytes are those of one moment: the handle is opened without following a link or waiting for a
 * pipe, must be a regular file that still lies where it was found, and must have the same stamp before and after. Bytes of a
 * file that is being written are read again, a bounded number of times.
 */
import { constants, readlinkSync, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../limits.ts';

/** What tells, without reading it, that a file was not changed. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  readonly executable: boolean;
}

export type ReadFault =
  | { readonly fault: 'gone' }
  | { readonly fault: 'not-regular' }
  | { readonly fault: 'too-large'; readonly size: number }
  | { readonly fault: 'unstable' }
  | { readonly fault: 'unreadable'; readonly error: string };

export type StableRead = { readonly bytes: Buffer; readonly stamp: FileStamp; readonly young: boolean } | ReadFault;

// O_NOFOLLOW and O_NONBLOCK do not exist on Windows, where links need privileges and pipes live elsewhere.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** File systems count time in steps of up to this; a file younger than one step may change without a new stamp. */
const clockStepMs = 100;

export function stampOf(stats: Stats): FileStamp {
  return {
    size: stats.size,
    mtimeMs: stats.mtimeMs,
    ctimeMs: stats.ctimeMs,
    ino: stats.ino,
    executable: process.platform !== 'win32' && (stats.mode & 0o111) !== 0,
  };
}

export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return (
    a.size === b.size &&
    a.mtimeMs === b.mtimeMs &&
    a.ctimeMs === b.ctimeMs &&
    a.ino === b.ino &&
    a.executable === b.executable
  );
}

/** True while the clock stands so close to (or before) the stamp that a further change might not show in it. */
function isYoung(stamp: FileStamp, nowMs: number): boolean {
  return Math.max(stamp.mtimeMs, stamp.ctimeMs) > nowMs - clockStepMs;
}

/** The stamp of a regular file, or what is there instead. */
export async function readStamp(path: string): Promise<FileStamp | ReadFault> {
  try {
    const stats = await stat(path);
    return stats.isFile() ? stampOf(stats) : { fault: 'not-regular' };
  } catch (error) {
    return faultOf(error);
  }
}

function faultOf(error: unknown): ReadFault {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return { fault: 'gone' };
  if (code === 'ELOOP' || code === 'ENXIO') return { fault: 'not-regular' };
  return { fault: 'unreadable', error: code ?? String(error) };
}

/** A folder above may have been swapped for a link since the path was found; where the system can tell, this asks it. */
function liesAt(handle: FileHandle, path: string): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return readlinkSync(`/proc/self/fd/${handle.fd}`) === path;
  } catch (error) {
    // Without /proc there is nothing to ask.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}

async function readOnce(path: string, maxBytes: number): Promise<StableRead | 'again'> {
  const handle = await open(path, flags);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || !liesAt(handle, path)) return { fault: 'not-regular' };
    if (stats.size > maxBytes) return { fault: 'too-large', size: stats.size };
    const before = stampOf(stats);
    const startedMs = Date.now();
    const buffer = Buffer.allocUnsafeSlow(before.size);
    let length = 0;
    while (length < before.size) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    const after = stampOf(await handle.stat());
    if (length !== before.size || !sameStamp(before, after)) return 'again';
    return { bytes: buffer, stamp: before, young: isYoung(before, startedMs) };
  } finally {
    await handle.close();
  }
}

async function readUntilStable(path: string, maxBytes: number): Promise<StableRead> {
  try {
    for (let attempt = 0; attempt < limits.scan.unstableRetries; attempt++) {
      const read = await readOnce(path, maxBytes);
      if (read !== 'again') return read;
      await sleep(20 * (attempt + 1));
    }
    return { fault: 'unstable' };
  } catch (error) {
    return faultOf(error);
  }
}

/** Reads a file of at most `maxBytes`, within the time a file may take. */
export async function readStable(path: string, maxBytes: number): Promise<StableRead> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<StableRead>((resolve) => {
    const error = `no answer within ${limits.scan.fileReadMs} ms`;
    timer = setTimeout(() => resolve({ fault: 'unreadable', error }), limits.scan.fileReadMs);
  });
  try {
    return await Promise.race([readUntilStable(path, maxBytes), late]);
  } finally {
    clearTimeout(timer);
  }
}
