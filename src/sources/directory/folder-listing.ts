/**
 * Lists a folder: its stamp first and then its entries, so that a change in between shows as another stamp at the next look.
 * A listing that was kept from an earlier run is taken instead of reading the folder if the stamp is still the same, was old
 * enough when the listing was made, and the disk is one that stamps a folder whenever an entry comes, goes or is renamed.
 */
import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts';
import type { FrontmatterReading } from '../../skill/frontmatter.ts';
import type { FileFacts } from './file-facts.ts';
import { isGone, isSettled } from './file-stamp.ts';
import { type FolderPath, type FolderStamp, type KeptFile, sameFolderStamp } from './folder-node.ts';

export type EntryKind = 'file' | 'folder' | 'link' | 'special' | 'unknown';

/** One entry of a folder, with what an earlier run knew of it. */
export interface ListedEntry {
  readonly name: string;
  readonly kind: EntryKind;
  readonly facts?: FileFacts | undefined;
  readonly folder?: KeptFolder | undefined;
}

/** A folder as an earlier run knew it. */
export interface KeptFolder {
  readonly stamp: FolderStamp;
  /** All entries, sorted by name, where the listing of the folder was kept. */
  readonly complete: boolean;
  entries(): readonly ListedEntry[];
  /** Where the folder is a skill of which there was nothing to tell, no link and no skill inside, and all of it was kept. */
  readonly skill: KeptSkill | undefined;
  /**
   * Of such a skill: the files in it and in the folders below, in any order. Undefined where a name is not made of ASCII letters, digits
   * and `_ . -` alone, and may be another one on the disk than in a URI.
   */
  skillFiles(): readonly KeptFile[] | undefined;
}

/** A skill as an earlier run knew it. */
export interface KeptSkill {
  readonly reading: FrontmatterReading & { readonly ok: true };
  readonly hasMediaTypes: boolean;
  readonly hasExecutables: boolean;
  /**
   * Asks the disk for the stamp of every file and folder: how many entries there are, or undefined where one is not as it was
   * or cannot be looked at. Called with each folder before it is looked at.
   */
  entriesIfUnchanged(real: string, onFolder: (real: string) => void): number | undefined;
}

export interface FolderListing {
  readonly stamp: FolderStamp;
  /** The stamp was old enough when the folder was listed to show every later change. */
  readonly settled: boolean;
  /** Read from the disk, not taken from what was kept. */
  readonly fresh: boolean;
  readonly entries: readonly ListedEntry[];
}

/** The stamp of a folder; undefined where there is none. */
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
  kept: KeptFolder | undefined,
  trustsStamps: boolean,
): MaybePromise<FolderListing> {
  if (!path.local)
    return stat(path.real).then((stats) => {
      const nowMs = Date.now();
      return readdir(path.real, { withFileTypes: true }).then((entries) =>
        toListing(stampOfFolder(stats), nowMs, entries, kept),
      );
    });
  const stamp = stampOfFolder(statSync(path.real));
  if (trustsStamps && kept?.complete === true && sameFolderStamp(kept.stamp, stamp)) {
    const entries = entriesOf(kept);
    if (entries !== undefined) return { stamp, settled: true, fresh: false, entries };
  }
  return toListing(stamp, Date.now(), readdirSync(path.real, { withFileTypes: true }), kept);
}

function toListing(
  stamp: FolderStamp,
  nowMs: number,
  entries: readonly Dirent[],
  kept: KeptFolder | undefined,
): FolderListing {
  const known = kept === undefined ? undefined : new Map(entriesOf(kept)?.map((entry) => [entry.name, entry]));
  const listed = entries.map((entry): ListedEntry => {
    const { name } = entry;
    const kind = kindOf(entry);
    const before = known?.get(name);
    return before?.kind === kind ? before : { name, kind };
  });
  return { stamp, settled: isSettled(stamp, nowMs), fresh: true, entries: inOrder(listed) };
}

function entriesOf(kept: KeptFolder): readonly ListedEntry[] | undefined {
  return decoded(() => kept.entries());
}

/** The skill that a folder was kept as. */
export function skillOf(kept: KeptFolder): KeptSkill | undefined {
  return decoded(() => kept.skill);
}

/** The files of such a skill, where all have ordinary names. */
export function skillFilesOf(kept: KeptFolder): readonly KeptFile[] | undefined {
  return decoded(() => kept.skillFiles());
}

/** What cannot be decoded was not kept. */
function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof RangeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Most systems list in no order. */
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

/** Names that are not UTF-8 on disk: only those that were decoded with a replacement character can be. */
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
