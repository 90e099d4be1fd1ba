/** What tells, without reading it, that a file was not changed; and what can be there instead of a file. */
import { readlinkSync, type Stats } from 'node:fs';

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
export function isYoung(stamp: FileStamp, nowMs: number): boolean {
  return Math.max(stamp.mtimeMs, stamp.ctimeMs) > nowMs - clockStepMs;
}

export function faultOf(error: unknown): ReadFault {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return { fault: 'gone' };
  if (code === 'ELOOP' || code === 'ENXIO') return { fault: 'not-regular' };
  return { fault: 'unreadable', error: code ?? String(error) };
}

/** A folder above may have been swapped for a link since the path was found; where the system can tell, this asks it. */
export function liesAt(fd: number, path: string): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === path;
  } catch (error) {
    // Without /proc there is nothing to ask.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}
