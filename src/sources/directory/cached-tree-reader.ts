/**
 * Reads a cached tree. A file that is missing, foreign, too large, truncated, altered or of another version is ignored.
 * Records are decoded when a walk reaches them.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { limits } from '../../limits.ts';
import { skillFileName } from '../../skill/entry.ts';
import type { FrontmatterReading } from '../../skill/frontmatter.ts';
import {
  binaryType,
  entryKinds,
  factBits,
  folderBits,
  footerBytes,
  headerBytes,
  identityOf,
  magic,
  textType,
} from './cached-tree-format.ts';
import type { StampedFile } from './file-facts.ts';
import { isExecutable } from './file-stamp.ts';
import type { CachedFolder, CachedTreeSkill, ListedEntry } from './folder-listing.ts';
import { below, type EntryFile, type FolderStamp } from './folder-node.ts';

/** The cached tree of a root; `undefined` if there is no usable one. */
export function readCachedTree(file: string, root: string): CachedFolder | undefined {
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

/** Another user's file is not trusted, because its digests would be taken as those of our files. */
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
    // A cache that cannot be read is ignored: the folders themselves can still be read.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

interface CachedTree {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** Stamp (four doubles), flags, number of entries. */
const folderHeadBytes = 4 * 8 + 1 + 4;

function folderAt(tree: CachedTree, at: number): CachedFolder {
  return new CachedRecord(tree, at);
}

/** Decoded on demand. A class, because a lazy folder references one. */
class CachedRecord implements CachedFolder {
  private readonly tree: CachedTree;
  private readonly at: number;

  constructor(tree: CachedTree, at: number) {
    this.tree = tree;
    this.at = at;
  }

  get stamp(): FolderStamp {
    const { at } = this;
    const { view } = this.tree;
    return {
      dev: view.getFloat64(at, true),
      ino: view.getFloat64(at + 8, true),
      mtimeMs: view.getFloat64(at + 16, true),
      ctimeMs: view.getFloat64(at + 24, true),
    };
  }

  get complete(): boolean {
    return (this.tree.view.getUint8(this.at + 32) & folderBits.complete) !== 0;
  }

  get skill(): CachedTreeSkill | undefined {
    return skillAt(this.tree, this.at);
  }

  entries(): readonly ListedEntry[] {
    const { tree, at } = this;
    return entriesAt(tree, at + folderHeadBytes, tree.view.getUint32(at + 33, true));
  }

  skillFiles(): readonly EntryFile[] | undefined {
    const files: EntryFile[] = [];
    return collectFiles(this.tree, this.at, '', files) ? files : undefined;
  }
}

/** Names that are the same in a URI and on disk. */
const ordinaryName = /^[A-Za-z0-9_][\w.-]*$/;

/** False if a name is not ordinary. */
function collectFiles(tree: CachedTree, folder: number, prefix: string, files: EntryFile[]): boolean {
  const { bytes, view } = tree;
  const count = view.getUint32(folder + 33, true);
  let at = folder + folderHeadBytes;
  for (let index = 0; index < count; index++) {
    const kind = view.getUint8(at);
    const nameEnd = at + 3 + view.getUint16(at + 1, true);
    const name = bytes.toString('latin1', at + 3, nameEnd);
    if (!ordinaryName.test(name)) return false;
    if (kind === entryKinds.folderWithRecord) {
      if (!collectFiles(tree, view.getUint32(nameEnd, true), `${prefix}${name}/`, files)) return false;
    } else if (kind === entryKinds.fileWithFacts)
      files.push({
        path: prefix + name,
        digest: digestAt(tree, nameEnd),
        size: view.getUint32(nameEnd + 24, true),
        executable: (view.getUint8(nameEnd + 28) & factBits.executable) !== 0,
        mtimeMs: view.getFloat64(nameEnd, true),
      });
    else return false;
    at = entryEnd(tree, kind, nameEnd);
  }
  return true;
}

/** @param at the end of the name of the entry */
function entryEnd(tree: CachedTree, kind: number, at: number): number {
  if (kind === entryKinds.folderWithRecord) return at + 4;
  return kind === entryKinds.fileWithFacts ? factsEnd(tree, at) : at;
}

/** `undefined` if the folder is not a complete skill. */
function skillAt(tree: CachedTree, folder: number): CachedTreeSkill | undefined {
  const { bytes, view } = tree;
  const bits = view.getUint8(folder + 32);
  if ((bits & folderBits.wholeSkill) === 0) return undefined;
  const count = view.getUint32(folder + 33, true);
  let at = folder + folderHeadBytes;
  for (let index = 0; index < count; index++) {
    const kind = view.getUint8(at);
    const nameEnd = at + 3 + view.getUint16(at + 1, true);
    const end = entryEnd(tree, kind, nameEnd);
    if (kind === entryKinds.fileWithFacts && bytes.toString('latin1', at + 3, nameEnd) === skillFileName) {
      const reading = readingAt(tree, nameEnd, end);
      if (reading?.ok !== true) return undefined;
      return {
        reading,
        hasExecutables: (bits & folderBits.executables) !== 0,
        hasMediaTypes: (bits & folderBits.mediaTypes) !== 0,
        entriesIfUnchanged: (real, onFolder) => entriesIfUnchanged(tree, folder, real, onFolder),
      };
    }
    at = end;
  }
  return undefined;
}

function entriesIfUnchanged(
  tree: CachedTree,
  folder: number,
  real: string,
  onFolder: (real: string) => void,
): number | undefined {
  const { bytes, view } = tree;
  onFolder(real);
  const stats = statOf(real);
  if (
    stats?.isDirectory() !== true ||
    stats.dev !== view.getFloat64(folder, true) ||
    stats.ino !== view.getFloat64(folder + 8, true) ||
    stats.mtimeMs !== view.getFloat64(folder + 16, true) ||
    stats.ctimeMs !== view.getFloat64(folder + 24, true)
  )
    return undefined;
  const prefix = below(real, '');
  const count = view.getUint32(folder + 33, true);
  let entries = count;
  let at = folder + folderHeadBytes;
  for (let index = 0; index < count; index++) {
    const kind = view.getUint8(at);
    const nameEnd = at + 3 + view.getUint16(at + 1, true);
    const path = prefix + bytes.toString('utf8', at + 3, nameEnd);
    if (kind === entryKinds.folderWithRecord) {
      const inside = entriesIfUnchanged(tree, view.getUint32(nameEnd, true), path, onFolder);
      if (inside === undefined) return undefined;
      entries += inside;
    } else if (kind !== entryKinds.fileWithFacts || !isUnchanged(tree, nameEnd, path)) return undefined;
    at = entryEnd(tree, kind, nameEnd);
  }
  return entries;
}

function isUnchanged({ view }: CachedTree, facts: number, path: string): boolean {
  const stats = statOf(path);
  return (
    stats?.isFile() === true &&
    stats.size === view.getUint32(facts + 24, true) &&
    stats.mtimeMs === view.getFloat64(facts, true) &&
    stats.ctimeMs === view.getFloat64(facts + 8, true) &&
    stats.ino === view.getFloat64(facts + 16, true) &&
    isExecutable(stats) === ((view.getUint8(facts + 28) & factBits.executable) !== 0)
  );
}

/** An unreadable entry counts as changed; the following walk finds the reason. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function entriesAt(tree: CachedTree, start: number, count: number): readonly ListedEntry[] {
  const { bytes, view } = tree;
  const entries: ListedEntry[] = [];
  let at = start;
  for (let index = 0; index < count; index++) {
    const kind = view.getUint8(at);
    const nameEnd = at + 3 + view.getUint16(at + 1, true);
    const name = bytes.toString('utf8', at + 3, nameEnd);
    at = nameEnd;
    if (kind === entryKinds.folderWithRecord) {
      entries.push({ name, kind: 'folder', facts: undefined, folder: folderAt(tree, view.getUint32(at, true)) });
      at += 4;
    } else if (kind === entryKinds.fileWithFacts) {
      const end = factsEnd(tree, at);
      entries.push({ name, kind: 'file', facts: factsAt(tree, at, end), folder: undefined });
      at = end;
    } else {
      entries.push({ name, kind: kind === entryKinds.folder ? 'folder' : 'file', facts: undefined, folder: undefined });
    }
  }
  return entries;
}

/** Three doubles, size, bits, digest; then the length of the reading, if there is one. */
const factsBytes = 3 * 8 + 4 + 1 + 32;

function factsEnd({ view }: CachedTree, at: number): number {
  const end = at + factsBytes;
  return (view.getUint8(at + 28) & factBits.reading) === 0 ? end : end + 4 + view.getUint32(end, true);
}

function digestAt({ bytes }: CachedTree, facts: number): string {
  return `sha256:${bytes.toString('hex', facts + 29, facts + factsBytes)}`;
}

function factsAt(tree: CachedTree, at: number, end: number): StampedFile {
  const { view } = tree;
  const bits = view.getUint8(at + 28);
  return {
    size: view.getUint32(at + 24, true),
    mtimeMs: view.getFloat64(at, true),
    ctimeMs: view.getFloat64(at + 8, true),
    ino: view.getFloat64(at + 16, true),
    executable: (bits & factBits.executable) !== 0,
    hardLinked: (bits & factBits.hardLinked) !== 0,
    young: false,
    settled: true,
    digest: digestAt(tree, at),
    mediaType: (bits & factBits.text) !== 0 ? textType : (bits & factBits.binary) !== 0 ? binaryType : undefined,
    isPrivateKey: (bits & factBits.privateKey) !== 0,
    overStdioLine: (bits & factBits.overStdioLine) !== 0,
    reading: readingAt(tree, at, end),
  };
}

function readingAt({ bytes, view }: CachedTree, at: number, end: number): FrontmatterReading | undefined {
  if ((view.getUint8(at + 28) & factBits.reading) === 0) return undefined;
  return JSON.parse(bytes.toString('utf8', at + factsBytes + 4, end)) as FrontmatterReading;
}
