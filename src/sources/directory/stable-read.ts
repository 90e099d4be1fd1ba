/**
 * Reads a file so that the bytes belong to one moment. Opening follows no link and waits for no pipe. The handle must
 * be a regular file that is still where it was found, with the same stamp before and after. A file that is being
 * written is read again, a limited number of times.
 *
 * Files on a local disk are read with synchronous calls, all others through the thread pool with a deadline.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MaybePromise } from '../../async/maybe-promise.ts';
import { limits } from '../../limits.ts';
import {
  type FileStamp,
  faultOf,
  isSettled,
  isYoung,
  type ReadFault,
  sameStats,
  stampOf,
  whereIs,
} from './file-stamp.ts';

export interface FileRead {
  readonly bytes: Buffer;
  readonly stamp: FileStamp;
  /** Read so soon after its last change that the stamp proves nothing. */
  readonly young: boolean;
  /** The stamp was old enough to show every later change, also after a restart of the system. */
  readonly settled: boolean;
}

/** Uses the bytes immediately: in a scratch buffer they are valid only until it returns. */
export type TakeFile<T> = (read: FileRead) => T;

export interface StableReadOptions {
  readonly maxBytes: number;
  /** Whether the file is on a local disk. */
  readonly local: boolean;
  /** A buffer to read into if the file fits. */
  readonly scratch?: Buffer | undefined;
  /** The stamp with which the walk found the file. An equal stamp means the same file. */
  readonly found?: FileStamp | undefined;
}

// O_NOFOLLOW and O_NONBLOCK do not exist on Windows; there the real path is checked after opening.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The stamp of a regular file, or what is there instead. */
export function readStamp(path: string, local: boolean): MaybePromise<FileStamp | ReadFault> {
  const made = (stats: Stats): FileStamp | ReadFault => (stats.isFile() ? stampOf(stats) : { fault: 'not-regular' });
  if (!local) return stat(path).then(made, faultOf);
  try {
    return made(statSync(path));
  } catch (error) {
    return faultOf(error);
  }
}

/** A buffer for a file: the scratch if it fits. */
function room(size: number, scratch: Buffer | undefined): Buffer {
  return scratch !== undefined && size <= scratch.length ? scratch.subarray(0, size) : Buffer.allocUnsafeSlow(size);
}

function readLocal<T>(path: string, options: StableReadOptions, take: TakeFile<T>): T | ReadFault | 'again' {
  const { maxBytes, scratch, found } = options;
  const fd = openSync(path, flags);
  try {
    const isThere = (stats: Stats): boolean => found !== undefined && sameStats(found, stats);
    const untouched = readUntouched(fd, options);
    if (untouched !== undefined) {
      const { bytes, stats } = untouched;
      if (isThere(stats) || whereIs(fd, path) === 'there')
        return take({ bytes, stamp: stampOf(stats), young: false, settled: untouched.settled });
    }
    const stats = fstatSync(fd);
    const place = isThere(stats) ? 'there' : whereIs(fd, path);
    if (place === 'replaced') return 'again';
    if (!stats.isFile() || place === 'elsewhere') return { fault: 'not-regular' };
    if (stats.size > maxBytes) return { fault: 'too-large', size: stats.size };
    const before = stampOf(stats);
    const startedMs = Date.now();
    const bytes = room(before.size, scratch);
    let length = 0;
    while (length < before.size) {
      const count = readSync(fd, bytes, length, before.size - length, length);
      if (count === 0) break;
      length += count;
    }
    if (length !== before.size || !sameStats(before, fstatSync(fd))) return 'again';
    return take({ bytes, stamp: before, young: isYoung(before, startedMs), settled: isSettled(before, startedMs) });
  } finally {
    closeSync(fd);
  }
}

interface Untouched {
  readonly bytes: Buffer;
  readonly stats: Stats;
  readonly settled: boolean;
}

/**
 * Reads a file that has not changed for a while, as nearly all are. Its stamp is checked once, after reading: a change
 * meanwhile would make it younger, or differ from the stamp it was found with. `undefined` for all others, and if the
 * size is unknown.
 */
function readUntouched(fd: number, { maxBytes, scratch, found }: StableReadOptions): Untouched | undefined {
  const most = found?.size ?? scratch?.length;
  if (most === undefined || most > maxBytes) return undefined;
  const bytes = room(most, scratch);
  const startedMs = Date.now();
  let length: number;
  try {
    length = readSync(fd, bytes, 0, most, 0);
  } catch {
    // The stamp then shows what is there instead of a file.
    return undefined;
  }
  const stats = fstatSync(fd);
  if (length !== stats.size || !stats.isFile()) return undefined;
  const settled = isSettled(stats, startedMs);
  if (!settled && (found === undefined || !sameStats(found, stats))) return undefined;
  return { bytes: length === most ? bytes : bytes.subarray(0, length), stats, settled };
}

async function readRemote<T>(
  path: string,
  { maxBytes }: StableReadOptions,
  take: TakeFile<T>,
): Promise<T | ReadFault | 'again'> {
  const handle = await open(path, flags);
  try {
    const stats = await handle.stat();
    const place = whereIs(handle.fd, path);
    if (place === 'replaced') return 'again';
    if (!stats.isFile() || place === 'elsewhere') return { fault: 'not-regular' };
    if (stats.size > maxBytes) return { fault: 'too-large', size: stats.size };
    const before = stampOf(stats);
    const startedMs = Date.now();
    const bytes = room(before.size, undefined);
    let length = 0;
    while (length < before.size) {
      const { bytesRead } = await handle.read(bytes, length, before.size - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length !== before.size || !sameStats(before, await handle.stat())) return 'again';
    return take({ bytes, stamp: before, young: isYoung(before, startedMs), settled: isSettled(before, startedMs) });
  } finally {
    await handle.close();
  }
}

const pauseMs = 20;

async function readAgain<T>(
  path: string,
  options: StableReadOptions,
  take: TakeFile<T>,
  done: number,
): Promise<T | ReadFault> {
  try {
    for (let attempt = done; attempt < limits.scan.unstableRetries; attempt++) {
      if (attempt > 0) await sleep(pauseMs * attempt);
      const read = options.local ? readLocal(path, options, take) : await readRemote(path, options, take);
      if (read !== 'again') return read;
    }
    return { fault: 'unstable' };
  } catch (error) {
    return faultOf(error);
  }
}

/** Reads a local file, immediately unless it is being written; others within the deadline for a file. */
export function readStable<T>(
  path: string,
  options: StableReadOptions,
  take: TakeFile<T>,
): MaybePromise<T | ReadFault> {
  if (!options.local) return readWithDeadline(path, options, take);
  try {
    const read = readLocal(path, options, take);
    return read === 'again' ? readAgain(path, options, take, 1) : read;
  } catch (error) {
    return faultOf(error);
  }
}

async function readWithDeadline<T>(
  path: string,
  options: StableReadOptions,
  take: TakeFile<T>,
): Promise<T | ReadFault> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ReadFault>((resolve) => {
    const error = `no answer within ${limits.scan.fileReadMs} ms`;
    timer = setTimeout(() => resolve({ fault: 'unreadable', error, late: true }), limits.scan.fileReadMs);
  });
  try {
    return await Promise.race([readAgain(path, options, take, 0), late]);
  } finally {
    clearTimeout(timer);
  }
}
