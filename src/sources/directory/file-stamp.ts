/** Stamps show, without reading, that a file is unchanged. Faults describe what is there instead of a file. */
import { readlinkSync, realpathSync, type Stats } from 'node:fs';

export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  readonly executable: boolean;
  /** Other paths lead to the same file. Their number changes `ctimeMs`, so it is not compared. */
  readonly hardLinked: boolean;
}

export type ReadFault =
  | { readonly fault: 'gone' }
  | { readonly fault: 'not-regular' }
  | { readonly fault: 'too-large'; readonly size: number }
  | { readonly fault: 'unstable' }
  /** `late`: no answer within the deadline for a file. */
  | { readonly fault: 'unreadable'; readonly error: string; readonly late?: boolean };

/** File systems count time in steps of up to this; a file younger than one step may change without a new stamp. */
const clockStepMs = 100;

const hasExecutables = process.platform !== 'win32';

export function isExecutable({ mode }: Stats): boolean {
  return hasExecutables && (mode & 0o111) !== 0;
}

export function stampOf(stats: Stats): FileStamp {
  const { size, mtimeMs, ctimeMs, ino } = stats;
  return { size, mtimeMs, ctimeMs, ino, executable: isExecutable(stats), hardLinked: stats.nlink > 1 };
}

/** Whether a file still has a stamp. */
export function sameStats(stamp: FileStamp, stats: Stats): boolean {
  return (
    stamp.size === stats.size &&
    stamp.mtimeMs === stats.mtimeMs &&
    stamp.ctimeMs === stats.ctimeMs &&
    stamp.ino === stats.ino &&
    stamp.executable === isExecutable(stats)
  );
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

/** True while the stamp is so recent (or in the future) that a further change might not show in it. */
export function isYoung(stamp: FileStamp, nowMs: number): boolean {
  return Math.max(stamp.mtimeMs, stamp.ctimeMs) > nowMs - clockStepMs;
}

/** The coarsest time step of file systems in use (FAT). */
const coarsestStepMs = 2_000;

/** True if a stamp was old enough that every later change shows in it, also after a restart of the system. */
export function isSettled(stamp: { readonly mtimeMs: number; readonly ctimeMs: number }, nowMs: number): boolean {
  return Math.max(stamp.mtimeMs, stamp.ctimeMs) <= nowMs - coarsestStepMs;
}

/** True for the codes of a missing file. */
export function isGone(code: string | undefined): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Codes of failures that say nothing about the file; a retry may succeed. */
const passingCodes: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENFILE',
  'EIO',
  'EAGAIN',
  'ENOMEM',
  'EBUSY',
  'ETIMEDOUT',
]);

export function isPassingCode(code: string): boolean {
  return passingCodes.has(code);
}

export function isPassing(fault: ReadFault): boolean {
  return fault.fault === 'unreadable' && (fault.late === true || isPassingCode(fault.error));
}

export function faultOf(error: unknown): ReadFault {
  const code = (error as NodeJS.ErrnoException).code;
  if (isGone(code)) return { fault: 'gone' };
  if (code === 'ELOOP' || code === 'ENXIO') return { fault: 'not-regular' };
  return { fault: 'unreadable', error: code ?? String(error) };
}

/**
 * Whether an open file is still where it was found: a parent folder may have been replaced by a link. `replaced` if
 * another file has taken its place, as when editors save.
 */
export function whereIs(fd: number, path: string): 'there' | 'elsewhere' | 'replaced' {
  if (process.platform !== 'linux') {
    const real = realpathSync.native(path);
    return real.toLowerCase() === path.toLowerCase() ? 'there' : 'elsewhere';
  }
  try {
    const now = readlinkSync(`/proc/self/fd/${fd}`);
    if (now === path) return 'there';
    return now === `${path} (deleted)` ? 'replaced' : 'elsewhere';
  } catch (error) {
    // Without /proc this cannot be checked.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'there';
    throw error;
  }
}
