/**
 * Writes files of a static site. An existing file is replaced by a rename, never in place, and not at all if its bytes are the same. So
 * readers get either the old or the new file, and sync tools see only real changes. Copies of one content are hard links if the disk
 * supports them.
 */

import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../errors.ts';
import { limits } from '../../limits.ts';

const nextPrefix = '.skillwire-next-';
const ownNext = (): string => `${nextPrefix}${process.pid}`;

/** Error codes of disks without hard links, where a copy works. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EACCES']);

export function openSiteFolder(root: string) {
  const next = ownNext();
  let written = 0;
  let numbered = 0;

  /** Known folders, and the new ones among them. */
  const made = new Set<string>();
  const fresh = new Set<string>();
  /** The folder of the previous file, usually the same as that of the next one. */
  let last: string | undefined;

  const pathOf = (place: string): string => `${root}/${place}`;

  function writeTo(file: string, bytes: Uint8Array, durable: boolean): void {
    const fd = openSync(file, 'wx');
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      if (durable) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  /** Replaces a file unless its bytes are the same. */
  function replace(place: string, bytes: Uint8Array, durable: boolean): void {
    const file = pathOf(place);
    if (sizeOf(file) === bytes.length && readFileSync(file).equals(bytes)) return;
    writeOver(file, bytes, durable);
    written++;
  }

  function writeOver(file: string, bytes: Uint8Array, durable: boolean): void {
    make(next);
    const unfinished = pathOf(`${next}/${numbered++}`);
    writeTo(unfinished, bytes, durable);
    renameSync(unfinished, file);
  }

  /** Creates a folder and its parents; the empty name is the site itself. */
  function make(folder: string): void {
    if (folder === last) return;
    if (!made.has(folder)) {
      if (folder === '') mkdirSync(root, { recursive: true });
      else {
        make(folderOf(folder));
        try {
          mkdirSync(pathOf(folder));
          fresh.add(folder);
        } catch (error) {
          if (codeOf(error) !== 'EEXIST' || !statSync(pathOf(folder)).isDirectory()) throw error;
        }
      }
      made.add(folder);
    }
    last = folder;
  }

  /** Creates a file, as a hard link to `linked` if it is set; false if the file exists. */
  function create(place: string, bytes: Uint8Array, durable: boolean, linked?: string): boolean {
    const folder = folderOf(place);
    make(folder);
    const file = pathOf(place);
    // A new folder only contains files that this build wrote.
    if (!fresh.has(folder) && existsSync(file)) return false;
    try {
      if (linked === undefined) writeTo(file, bytes, durable);
      else linkSync(linked, file);
      written++;
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  function putOne(place: string, bytes: Uint8Array, durable: boolean, linked?: string): void {
    if (!create(place, bytes, durable, linked)) replace(place, bytes, durable);
  }

  return {
    /** Files that were written. */
    get written(): number {
      return written;
    },
    /** Writes one content to all places. `durable`: it is synced to disk when this returns. */
    put(places: readonly string[], bytes: Uint8Array, durable: boolean): void {
      let first: string | undefined;
      for (const place of places) {
        try {
          putOne(place, bytes, durable, first);
        } catch (error) {
          if (first === undefined || !noLinks.has(codeOf(error) ?? '')) throw error;
          putOne(place, bytes, durable);
        }
        first ??= pathOf(place);
      }
    },
    /** Writes a file atomically, new or not. It is synced to disk when this returns. */
    exchange(place: string, bytes: Uint8Array): void {
      make(folderOf(place));
      replace(place, bytes, true);
    },
    /** Like `exchange()`, for a file that does not belong to the site and is not counted. */
    note: (name: string, bytes: Uint8Array): void => writeOver(pathOf(name), bytes, true),
    /** Removes a file and parent folders that become empty; true if it existed. */
    remove(place: string): boolean {
      const file = pathOf(place);
      // There may be a folder at this path now.
      const there = sizeOf(file) !== undefined;
      if (there) rmSync(file);
      last = undefined;
      for (let folder = folderOf(place); folder !== ''; folder = folderOf(folder)) {
        try {
          rmdirSync(pathOf(folder));
        } catch (error) {
          const code = codeOf(error) ?? '';
          if (['ENOTEMPTY', 'EEXIST', 'EPERM', 'EBUSY', 'ENOTDIR'].includes(code)) break;
          if (code !== 'ENOENT') throw error;
        }
        made.delete(folder);
        fresh.delete(folder);
      }
      return there;
    },
    /** The bytes of a file, or `undefined` if there is none. */
    read(place: string): Uint8Array | undefined {
      try {
        return readFileSync(pathOf(place));
      } catch (error) {
        if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error) ?? '')) return undefined;
        throw error;
      }
    },
    /** The size of a file, or `undefined` if there is none. */
    size: (place: string): number | undefined => sizeOf(pathOf(place)),
    /** Names in a folder. */
    list: (place: string): readonly string[] => namesIn(pathOf(place)),
    /** Removes temporary files. */
    close(): void {
      rmSync(pathOf(next), { recursive: true, force: true });
    },
  };
}

export type SiteFolder = ReturnType<typeof openSiteFolder>;

/** The folder of a place; empty at the root of the site. */
function folderOf(place: string): string {
  return place.slice(0, Math.max(0, place.lastIndexOf('/')));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Removes temporary files of interrupted builds. */
export function removeLeftovers(root: string): void {
  rmSync(join(root, ownNext()), { recursive: true, force: true });
  for (const name of namesIn(root)) {
    if (!name.startsWith(nextPrefix)) continue;
    const stats = statSync(join(root, name), { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > limits.store.leftoverMs)
      rmSync(join(root, name), { recursive: true, force: true });
  }
}

function sizeOf(file: string): number | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats?.isFile() === true ? stats.size : undefined;
  } catch (error) {
    // A parent of the path is a file.
    if (codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
