/**
 * Writes a cached tree: beside the old one, then over it in one step. So no reader sees a partial file, and the last of
 * several writers wins. Writes only what the next run may trust: facts and listings whose stamp was old enough to show
 * every later change, and complete listings.
 */
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { andThen, type MaybePromise, mapInOrder } from '../../async/maybe-promise.ts';
import type { Slices } from '../../async/slices.ts';
import { limits } from '../../limits.ts';
import { skillFileName } from '../../skill/entry.ts';
import {
  binaryType,
  cachedFileName,
  entryKinds,
  factBits,
  folderBits,
  headerBytes,
  identityOf,
  magic,
  textType,
} from './cached-tree-format.ts';
import type { StampedFile } from './file-facts.ts';
import { type AssembledSkill, below, type FileNode, type FolderNode, noNotes } from './folder-node.ts';
import { LazyFolder, LazySkill } from './lazy-folder.ts';

/** Throws if it cannot be written; the previous file then stays. */
export async function writeCachedTree(folder: string, tree: FolderNode, slices: Slices): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, cachedFileName(tree.path.real));
  const draft = `${file}.${process.pid}-${randomBytes(6).toString('hex')}`;
  const fd = openSync(draft, 'wx', 0o600);
  try {
    try {
      const out = createOutput(fd);
      const identity = identityOf(tree.path.real);
      out.room(headerBytes);
      out.u32(magic);
      out.u32(Buffer.byteLength(identity));
      out.bytes(Buffer.from(identity));
      const root = await writeFolder(tree, out, slices);
      out.room(4);
      out.u32(root);
      out.finish();
    } finally {
      closeSync(fd);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  dropOldest(folder, basename(file));
}

/** Writes the subfolders, then the folder; returns its offset. */
function writeFolder(folder: FolderNode, out: Output, slices: Slices): MaybePromise<number> {
  const node = folder instanceof LazyFolder ? folder.passing() : folder;
  const write = (): MaybePromise<number> =>
    andThen(
      mapInOrder(node.folders, (child) => writeFolder(child, out, slices), false),
      (offsets) => writeRecord(node, offsets, skillBits(folder), out),
    );
  const pause = slices.pause();
  return pause === undefined ? write() : pause.then(write);
}

type Entry = { readonly name: string } & ({ readonly file: FileNode } | { readonly offset: number });

/** The record of a skill without findings, links and nested skills, all of it trusted. */
function skillBits({ assembled }: FolderNode): number {
  if (assembled === undefined || !isWhole(assembled)) return 0;
  const { wholeSkill, executables, mediaTypes } = folderBits;
  return wholeSkill | (assembled.hasExecutables ? executables : 0) | (assembled.hasMediaTypes ? mediaTypes : 0);
}

function isWhole(skill: AssembledSkill): boolean {
  if (skill instanceof LazySkill) return true;
  const { folder, frontmatter, incomplete, findings, unpublished, emptyDirectories, files } = skill;
  return (
    frontmatter !== undefined &&
    !incomplete &&
    findings.length + unpublished.length + emptyDirectories.length === 0 &&
    !folder.inherited.insideSkill &&
    folder.path.direct &&
    folder.skillFile?.diskName === skillFileName &&
    isTrusted(folder) &&
    // A file that was read again since has other facts than the assembled skill.
    files.every(({ node, facts }) => node.facts === facts)
  );
}

/** Everything in the folder is cached and has no findings. */
function isTrusted(folder: FolderNode): boolean {
  return (
    isComplete(folder) &&
    folder.files.every((file) => file.target === undefined && trustedFacts(file) !== undefined) &&
    folder.folders.every((child) => child.skillFile === undefined && isTrusted(child))
  );
}

/** True if the folder has no entries besides published files and folders: every other entry leaves a note. */
function isComplete({ settled, notes }: FolderNode): boolean {
  return settled && notes === noNotes;
}

function trustedFacts({ facts }: FileNode): StampedFile | undefined {
  return facts?.settled === true && !facts.young ? facts : undefined;
}

function writeRecord(node: FolderNode, offsets: readonly number[], skill: number, out: Output): number {
  const entries = entriesOf(node, offsets);
  out.room(64);
  const offset = out.position();
  out.f64(node.dev);
  out.f64(node.ino);
  out.f64(node.mtimeMs);
  out.f64(node.ctimeMs);
  out.u8((isComplete(node) ? folderBits.complete : 0) | skill);
  out.u32(entries.length);
  for (const entry of entries) {
    if ('offset' in entry) {
      out.entry(entryKinds.folderWithRecord, entry.name);
      out.u32(entry.offset);
      continue;
    }
    const trusted = trustedFacts(entry.file);
    out.entry(trusted === undefined ? entryKinds.file : entryKinds.fileWithFacts, entry.name);
    if (trusted !== undefined) writeFacts(trusted, out);
  }
  return offset;
}

/** Entries that are not links, by name, in listing order. */
function entriesOf(node: FolderNode, offsets: readonly number[]): readonly Entry[] {
  const { real } = node.path;
  const entries: Entry[] = [];
  for (const file of node.files) if (file.target === undefined) entries.push({ name: file.diskName, file });
  const prefix = below(real, '');
  for (const [index, { path }] of node.folders.entries()) {
    const name = path.real.startsWith(prefix) ? path.real.slice(prefix.length) : '';
    if (name !== '' && basename(path.real) === name) entries.push({ name, offset: offsets[index] ?? 0 });
  }
  return node.folders.length === 0 ? entries : entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function writeFacts(facts: StampedFile, out: Output): void {
  const { mediaType, reading } = facts;
  const bits =
    (facts.executable ? factBits.executable : 0) |
    (facts.hardLinked ? factBits.hardLinked : 0) |
    (facts.isPrivateKey ? factBits.privateKey : 0) |
    (facts.overStdioLine ? factBits.overStdioLine : 0) |
    (mediaType === textType ? factBits.text : mediaType === binaryType ? factBits.binary : 0) |
    (reading === undefined ? 0 : factBits.reading);
  out.f64(facts.mtimeMs);
  out.f64(facts.ctimeMs);
  out.f64(facts.ino);
  out.u32(facts.size);
  out.u8(bits);
  out.hex(facts.digest.slice('sha256:'.length));
  if (reading === undefined) return;
  const json = Buffer.from(JSON.stringify(reading));
  out.u32(json.length);
  out.bytes(json);
}

const chunkBytes = 1024 * 1024;

/** The most that is written without reserving space: an entry with the longest name, and facts. */
const entryRoom = 3 + 3 * 1024 + 128;

function createOutput(fd: number) {
  const chunk = Buffer.allocUnsafeSlow(chunkBytes);
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
  const digest = createHash('sha256');
  let written = 0;
  let at = 0;

  function put(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done);
    written += bytes.length;
    if (written > limits.digestCache.bytes)
      throw new Error(`it would have more than ${limits.digestCache.bytes} bytes`);
  }

  function flush(): void {
    const bytes = chunk.subarray(0, at);
    digest.update(bytes);
    put(bytes);
    at = 0;
  }

  function room(length: number): void {
    if (at + length > chunk.length) flush();
  }

  return {
    /** Reserves space. */
    room,
    position: (): number => written + at,
    u8(value: number): void {
      view.setUint8(at, value);
      at += 1;
    },
    u32(value: number): void {
      view.setUint32(at, value, true);
      at += 4;
    },
    f64(value: number): void {
      view.setFloat64(at, value, true);
      at += 8;
    },
    /** 32 bytes. */
    hex(digits: string): void {
      chunk.write(digits, at, 'hex');
      at += 32;
    },
    bytes(data: Uint8Array): void {
      room(data.length);
      if (data.length > chunk.length) {
        digest.update(data);
        put(data);
        return;
      }
      chunk.set(data, at);
      at += data.length;
    },
    /** Writes the kind and name of an entry, and reserves space for its facts. */
    entry(kind: number, name: string): void {
      room(entryRoom);
      const length = chunk.write(name, at + 3, 'utf8');
      view.setUint8(at, kind);
      view.setUint16(at + 1, length, true);
      at += 3 + length;
    },
    /** Writes the remaining bytes and the digest of everything. */
    finish(): void {
      flush();
      put(digest.digest());
    },
  };
}

type Output = ReturnType<typeof createOutput>;

/**
 * The folder has one file per root that was ever served; the oldest are deleted. Drafts of crashed writers are old too.
 */
function dropOldest(folder: string, keep: string): void {
  const files = readdirSync(folder)
    .filter((name) => name !== keep && /^[0-9a-f]{32}\.tree/.test(name))
    .flatMap((name) => {
      const stats = statSync(join(folder, name), { throwIfNoEntry: false });
      return stats === undefined ? [] : [{ name, size: stats.size, mtimeMs: stats.mtimeMs }];
    })
    .sort((a, b) => b.mtimeMs - a.mtimeMs);
  let bytes = 0;
  for (const [index, { name, size }] of files.entries()) {
    bytes += size;
    if (index + 1 >= limits.digestCache.files || bytes > limits.digestCache.folderBytes)
      rmSync(join(folder, name), { force: true });
  }
}
