/**
 * Reads a kept tree. A file that is not there, not ours, too large, cut off, altered or of another version is as if there
 * were none. Records are decoded when a walk gets to them.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { limits } from '../../limits.ts';
import type { FrontmatterReading } from '../../skill/frontmatter.ts';
import type { FileFacts } from './file-facts.ts';
import type { KeptFolder, ListedEntry } from './folder-listing.ts';
import {
  binaryType,
  entryKinds,
  factBits,
  folderComplete,
  footerBytes,
  headerBytes,
  identityOf,
  magic,
  textType,
} from './kept-tree-format.ts';

/** What was kept of a root, or undefined where nothing usable was. */
export function readKeptTree(file: string, root: string): KeptFolder | undefined {
  const bytes = readWhole(file);
  if (bytes === undefined || bytes.length < headerBytes + footerBytes) return undefined;
  const end = bytes.length - 32;
  if (bytes.readUInt32LE(0) !== magic) return undefined;
  const identity = Buffer.from(identityOf(root));
  if (!bytes.subarray(headerBytes, headerBytes + bytes.readUInt32LE(4)).equals(identity)) return undefined;
  if (!createHash('sha256').update(bytes.subarray(0, end)).digest().equals(bytes.subarray(end))) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return folderAt({ bytes, view }, view.getUint32(end - 4, true));
}

/** Another user's file is not trusted: it says which bytes are in files. */
function isOurs(uid: number): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own;
}

function readWhole(file: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > limits.digestCache.bytes || !isOurs(stats.uid)) return undefined;
    const bytes = Buffer.allocUnsafeSlow(stats.size);
    let length = 0;
    while (length < bytes.length) {
      const count = readSync(fd, bytes, length, bytes.length - length, length);
      if (count === 0) return undefined;
      length += count;
    }
    return bytes;
  } catch {
    // Whatever keeps it from being read, the folders themselves can be.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

interface Kept {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** Stamp (four doubles), flags, number of entries. */
const folderHeadBytes = 4 * 8 + 1 + 4;

function folderAt(kept: Kept, at: number): KeptFolder {
  const { view } = kept;
  return {
    stamp: {
      dev: view.getFloat64(at, true),
      ino: view.getFloat64(at + 8, true),
      mtimeMs: view.getFloat64(at + 16, true),
      ctimeMs: view.getFloat64(at + 24, true),
    },
    complete: (view.getUint8(at + 32) & folderComplete) !== 0,
    entries: () => entriesAt(kept, at + folderHeadBytes, view.getUint32(at + 33, true)),
  };
}

function entriesAt(kept: Kept, start: number, count: number): readonly ListedEntry[] {
  const { bytes, view } = kept;
  const entries: ListedEntry[] = [];
  let at = start;
  for (let index = 0; index < count; index++) {
    const kind = view.getUint8(at);
    const nameEnd = at + 3 + view.getUint16(at + 1, true);
    const name = bytes.toString('utf8', at + 3, nameEnd);
    at = nameEnd;
    if (kind === entryKinds.folderWithRecord) {
      entries.push({ name, kind: 'folder', facts: undefined, folder: folderAt(kept, view.getUint32(at, true)) });
      at += 4;
    } else if (kind === entryKinds.fileWithFacts) {
      const end = factsEnd(kept, at);
      entries.push({ name, kind: 'file', facts: factsAt(kept, at, end), folder: undefined });
      at = end;
    } else {
      entries.push({ name, kind: kind === entryKinds.folder ? 'folder' : 'file', facts: undefined, folder: undefined });
    }
  }
  return entries;
}

/** Three doubles, size, bits, digest; then the length of the reading, where there is one. */
const factsBytes = 3 * 8 + 4 + 1 + 32;

function factsEnd({ view }: Kept, at: number): number {
  const end = at + factsBytes;
  return (view.getUint8(at + 28) & factBits.reading) === 0 ? end : end + 4 + view.getUint32(end, true);
}

function factsAt({ bytes, view }: Kept, at: number, end: number): FileFacts {
  const bits = view.getUint8(at + 28);
  return {
    size: view.getUint32(at + 24, true),
    mtimeMs: view.getFloat64(at, true),
    ctimeMs: view.getFloat64(at + 8, true),
    ino: view.getFloat64(at + 16, true),
    executable: (bits & factBits.executable) !== 0,
    young: false,
    settled: true,
    digest: `sha256:${bytes.toString('hex', at + 29, at + factsBytes)}`,
    mediaType: (bits & factBits.text) !== 0 ? textType : (bits & factBits.binary) !== 0 ? binaryType : undefined,
    isPrivateKey: (bits & factBits.privateKey) !== 0,
    overStdioLine: (bits & factBits.overStdioLine) !== 0,
    reading:
      (bits & factBits.reading) === 0
        ? undefined
        : (JSON.parse(bytes.toString('utf8', at + factsBytes + 4, end)) as FrontmatterReading),
  };
}
