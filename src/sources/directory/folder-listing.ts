/**
 * Lists a folder: the stamp first, then the entries, so that a change in between shows as another stamp next time. A
 * cached listing replaces reading if the stamp is unchanged and was old enough when the listing was made. The disk must
 * also stamp a folder whenever an entry is added, removed or renamed.
 */
import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import type { FrontmatterReading } from '../../skill/frontmatter.ts';
import type { StampedFile } from './file-facts.ts';
import { isGone, isPassingCode, isSettled } from './file-stamp.ts';
import { type EntryFile, type FolderNode, type FolderPath, type FolderStamp, sameFolderStamp } from './folder-node.ts';

export type EntryKind = 'file' | 'folder' | 'link' | 'special' | 'unknown';

/** One entry of a folder, with the facts that an earlier run cached. */
export interface ListedEntry {
  readonly name: string;
  readonly kind: EntryKind;
  readonly facts?: StampedFile | undefined;
  readonly folder?: CachedFolder | undefined;
}

/** A folder as an earlier run cached it. */
export interface CachedFolder {
  readonly stamp: FolderStamp;
  /** All entries, sorted by name, if the listing was cached. */
  readonly complete: boolean;
  entries(): readonly ListedEntry[];
  /** Set if the folder is a completely cached skill without findings, links and nested skills. */
  readonly skill: CachedTreeSkill | undefined;
  /**
   * The files of such a skill and its subfolders, in any order. `undefined` if a name contains other characters than
   * ASCII letters, digits and `_ . -`, because it may differ between disk and URI.
   */
  skillFiles(): readonly EntryFile[] | undefined;
}

/** A skill as an earlier run cached it. */
export interface CachedTreeSkill {
  readonly reading: FrontmatterReading & { readonly ok: true };
  readonly hasMediaTypes: boolean;
  readonly hasExecutables: boolean;
  /**
   * Compares the stamps of all files and folders with the disk: the number of entries, or `undefined` if one changed or
   * is unreadable. Calls `onFolder` with each folder before it is read.
   */
  entriesIfUnchanged(real: string, onFolder: (real: string) => void): number | undefined;
}

export interface FolderListing {
  readonly stamp: FolderStamp;
  /** The stamp was old enough at listing time to show every later change. */
  readonly settled: boolean;
  /** Read from the disk, not from the cache. */
  readonly fresh: boolean;
  readonly entries: readonly ListedEntry[];
}

/** The stamp of a folder; `undefined` if there is none. */
export function folderStamp({ real, local }: FolderPath): MaybePromise<FolderStamp | undefined> {
  const none = (error: unknown): undefined => {
    if (isGone((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  };
  if (!local) return stat(real).then(stampOfFolder, none);
  try {
    return stampOfFolder(statSync(real));
  } catch (error) {
    return none(error);
  }
}

function stampOfFolder({ dev, ino, mtimeMs, ctimeMs }: Stats): FolderStamp {
  return { dev, ino, mtimeMs, ctimeMs };
}

export function listFolder(
  path: FolderPath,
  cached: CachedFolder | undefined,
  trustsStamps: boolean,
): MaybePromise<FolderListing> {
  if (!path.local)
    return stat(path.real).then((stats) => {
      const nowMs = Date.now();
      return readdir(path.real, { withFileTypes: true }).then((entries) =>
        toListing(stampOfFolder(stats), nowMs, entries, cached),
      );
    });
  const stamp = stampOfFolder(statSync(path.real));
  if (trustsStamps && cached?.complete === true && sameFolderStamp(cached.stamp, stamp)) {
    const entries = entriesOf(cached);
    if (entries !== undefined) return { stamp, settled: true, fresh: false, entries };
  }
  return toListing(stamp, Date.now(), readdirSync(path.real, { withFileTypes: true }), cached);
}

function toListing(
  stamp: FolderStamp,
  nowMs: number,
  entries: readonly Dirent[],
  cached: CachedFolder | undefined,
): FolderListing {
  const known = cached === undefined ? undefined : new Map(entriesOf(cached)?.map((entry) => [entry.name, entry]));
  const listed = entries.map((entry): ListedEntry => {
    const { name } = entry;
    const kind = kindOf(entry);
    const before = known?.get(name);
    return before?.kind === kind ? before : { name, kind };
  });
  return { stamp, settled: isSettled(stamp, nowMs), fresh: true, entries: inOrder(listed) };
}

function entriesOf(cached: CachedFolder): readonly ListedEntry[] | undefined {
  return decoded(() => cached.entries());
}

/** The cached skill of a folder. */
export function skillOf(cached: CachedFolder): CachedTreeSkill | undefined {
  return decoded(() => cached.skill);
}

/** The files of such a skill, if all have ordinary names. */
export function skillFilesOf(cached: CachedFolder): readonly EntryFile[] | undefined {
  return decoded(() => cached.skillFiles());
}

/** Undecodable data counts as not cached. */
function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof RangeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Most systems list in no particular order. */
function inOrder(entries: ListedEntry[]): readonly ListedEntry[] {
  return entries.length < 2 ? entries : entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function kindOf(
  entry: Pick<
    Dirent,
    'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isFIFO' | 'isSocket' | 'isBlockDevice' | 'isCharacterDevice'
  >,
): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  return entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice()
    ? 'special'
    : 'unknown';
}

/** Names that are not UTF-8 on disk. Only names with a replacement character can be. */
export function undecodableNames(path: FolderPath, entries: readonly ListedEntry[]): MaybePromise<ReadonlySet<string>> {
  if (!entries.some(({ name }) => name.includes('\uFFFD'))) return noNames;
  return andThen(readdir(path.real, { encoding: 'buffer' }), (names) => {
    const bad = new Set<string>();
    for (const raw of names) {
      const name = raw.toString('utf8');
      if (!Buffer.from(name, 'utf8').equals(raw)) bad.add(name);
    }
    return bad;
  });
}

const noNames: ReadonlySet<string> = new Set();

export class FolderUnreadable extends Error {
  readonly code: string;
  constructor(path: string, code: string) {
    super(`Cannot read the folder "${path}" (${code}).`);
    this.code = code;
  }
}

/** For failures that may pass. */
export const passingCode = 'EAGAIN';

export function listOrThrow(
  path: FolderPath,
  cached: CachedFolder | undefined,
  trustsStamps: boolean,
): MaybePromise<FolderListing> {
  const unreadable = (error: unknown): never => {
    throw new FolderUnreadable(path.shown, (error as NodeJS.ErrnoException).code ?? String(error));
  };
  try {
    const listing = listFolder(path, cached, trustsStamps);
    return listing instanceof Promise ? listing.catch(unreadable) : listing;
  } catch (error) {
    return unreadable(error);
  }
}

/** An unreadable folder must not hide its siblings. */
export function unlessUnreadable(
  work: () => MaybePromise<FolderNode>,
  { real, shown }: FolderPath,
  findings: Finding[],
  onPassing: (real: string) => void,
  previous: FolderNode | undefined,
): MaybePromise<FolderNode | undefined> {
  const onError = (error: unknown): FolderNode | undefined => {
    if (!(error instanceof FolderUnreadable)) throw error;
    if (isPassingCode(error.code)) {
      // The folder stays unchanged until it can be read again.
      onPassing(real);
      if (previous !== undefined) return previous;
    }
    // Removed between listing and reading: the parent is read again soon.
    if (!isGone(error.code))
      findings.push(finding('file-unreadable', `the folder cannot be read (${error.code})`, { file: shown }));
    return undefined;
  };
  try {
    const node = work();
    return node instanceof Promise ? node.catch(onError) : node;
  } catch (error) {
    return onError(error);
  }
}
