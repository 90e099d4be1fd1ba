/**
 * Writes files of a static site. A file that is there is replaced by a rename, never in place, and not at all where it has the
 * same bytes; so whoever reads meanwhile gets the old or the new file, and copying tools see only what changed. Copies of one
 * content are hard links where the disk has them.
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
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';

export interface SiteFolder {
  /** Files that were written. */
  readonly written: number;
  /** Puts one content at each of the places. `durable`: it is on the disk, not only with the system, when this returns. */
  put(places: readonly string[], bytes: Uint8Array, durable: boolean): void;
  /** Puts a file in one step, also where none is: nobody sees half of it. It is on the disk when this returns. */
  exchange(place: string, bytes: Uint8Array): void;
  /** As `exchange()`, of a file that is none of the site and is not counted. */
  note(name: string, bytes: Uint8Array): void;
  /** Removes a file, and the folders above it that are empty then; true where it was there. */
  remove(place: string): boolean;
  /** Names in a folder. */
  list(place: string): readonly string[];
  /** The bytes of a file, or undefined where there is none. */
  read(place: string): Uint8Array | undefined;
  /** The size of a file, or undefined where there is none. */
  size(place: string): number | undefined;
  /** Removes what was being written. */
  close(): void;
}

const nextPrefix = '.skillwire-next-';
const ownNext = (): string => `${nextPrefix}${process.pid}`;

/** Reasons for which a disk has no link where a copy does as well. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EACCES']);

function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

export function openSiteFolder(root: string): SiteFolder {
  const next = ownNext();
  let written = 0;
  let numbered = 0;

  /** Folders that exist, and those of them that did not before. */
  const made = new Set<string>();
  const fresh = new Set<string>();
  /** The folder of the file before, which is most often that of the next one, too. */
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

  /** Replaces what is there, unless it is the same. */
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

  /** Makes a folder and those above it; the site itself is the empty one. */
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

  /** Puts a file where none is, as a link where `linked` is the path of another one; false where one is. */
  function create(place: string, bytes: Uint8Array, durable: boolean, linked?: string): boolean {
    const folder = folderOf(place);
    make(folder);
    const file = pathOf(place);
    // In a folder that was just made there is nothing yet, except what was put there since.
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
    get written() {
      return written;
    },
    put(places, bytes, durable) {
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
    exchange(place, bytes) {
      make(folderOf(place));
      replace(place, bytes, true);
    },
    note: (name, bytes) => writeOver(pathOf(name), bytes, true),
    remove(place) {
      const file = pathOf(place);
      // Where a file was, there may be a folder by now.
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
    read(place) {
      try {
        return readFileSync(pathOf(place));
      } catch (error) {
        if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error) ?? '')) return undefined;
        throw error;
      }
    },
    size: (place) => sizeOf(pathOf(place)),
    list: (place) => namesIn(pathOf(place)),
    close() {
      rmSync(pathOf(next), { recursive: true, force: true });
    },
  };
}

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

/** Removes what builds were writing that ended in the middle. */
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
    // A file stands where the path has a folder.
    if (codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** The error of a disk in words for whoever runs the command. */
export function cannotWrite(root: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined || !(error instanceof Error && 'syscall' in error)) return error;
  return new SkillwireError(
    'USAGE',
    `cannot write the site to "${root}": ${error.message}; name a folder that may be written with --out`,
    { data: { folder: root, code }, cause: error },
  );
}
