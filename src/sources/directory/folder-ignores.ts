/**
 * The `.skillignore` files that apply to a folder or a link, and the folder whose file is unusable. While the file is
 * temporarily unreadable or being saved, the folder stays unchanged, so that hidden files are never published in
 * between.
 */

import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Finding } from '../../skill/finding.ts';
import { type EntryKind, type FolderListing, FolderUnreadable, kindOf, passingCode } from './folder-listing.ts';
import { below, type FolderNode, noFolders, noNotes } from './folder-node.ts';
import { isJustWritten } from './follow-folders.ts';
import { type IgnoreLevel, type IgnoreReading, ignoreFileName, readIgnoreFile } from './ignore-file.ts';
import { isInside, type LinkPlace } from './links.ts';
import type { TreePosition } from './walk.ts';

interface IgnoreContext {
  readonly place: TreePosition;
  readonly previous: FolderNode | undefined;
  readonly listing: FolderListing;
}

/** `undefined` if the folder has none. */
export async function ownIgnores({ place, previous, listing }: IgnoreContext): Promise<IgnoreReading | undefined> {
  const { real, shown, local } = place.path;
  const path = below(real, ignoreFileName);
  const entry = listing.entries.find(({ name }) => name === ignoreFileName);
  const own =
    entry === undefined
      ? undefined
      : await readIgnoreFile(real, path, below(shown, ignoreFileName), { kind: entry.kind, local });
  if (previous === undefined) return own;
  if (own !== undefined && 'unusable' in own) {
    if (own.passing) throw new FolderUnreadable(shown, passingCode);
    return own;
  }
  const isEmptied = previous.notes.hides === true && (own?.level.text ?? '') === '';
  if (isEmptied && (await isJustWritten(entry === undefined ? real : path)))
    throw new FolderUnreadable(shown, passingCode);
  return own;
}

/** A folder that publishes nothing, because its `.skillignore` is unusable. */
export function unpublishedFolder(
  { path, name, inherited }: TreePosition,
  { stamp, settled }: Pick<FolderListing, 'stamp' | 'settled'>,
  unusable: Finding,
): FolderNode {
  const unpublished = [{ file: path.shown, reason: `its ${ignoreFileName} cannot be used` }];
  return {
    ...stamp,
    path,
    name,
    settled,
    folders: noFolders,
    files: [],
    skillFile: undefined,
    notes: { ...noNotes, findings: [unusable], unpublished, hides: true },
    inherited,
    assembled: undefined,
  };
}

/**
 * The ignore levels between a root and a link's target that the link's folder does not have: a link must not publish
 * what they hide. `undefined` if one of them is unusable.
 */
export async function ignoresOnTheWay(
  target: string,
  place: LinkPlace,
  roots: readonly string[],
): Promise<readonly IgnoreLevel[] | undefined> {
  const levels: IgnoreLevel[] = [];
  for (const folder of foldersOnTheWay(target, place, roots)) {
    const file = below(folder, ignoreFileName);
    const kind = await kindOnDisk(file);
    if (kind === 'gone') continue;
    const read = await readIgnoreFile(folder, file, file, { kind, local: false });
    // It may become usable; until then the folder of the link stays unchanged.
    if ('unusable' in read && read.passing) throw new FolderUnreadable(place.real, passingCode);
    if ('unusable' in read) return undefined;
    levels.push(read.level);
  }
  return levels;
}

/** From the outermost inwards, without the folders around the link, whose levels are known. */
function foldersOnTheWay(target: string, place: LinkPlace, roots: readonly string[]): readonly string[] {
  const base = [...place.areas, ...roots].find((folder) => isInside(folder, dirname(target)));
  if (base === undefined) return [];
  const folders: string[] = [];
  for (let folder = dirname(target); isInside(base, folder); folder = dirname(folder)) {
    if (!isInside(folder, place.real)) folders.unshift(folder);
    if (folder === base) break;
  }
  return folders;
}

/** The kind of an entry that a listing does not show. */
export async function kindOnDisk(path: string): Promise<EntryKind | 'gone'> {
  try {
    const kind = kindOf(await lstat(path));
    return kind === 'unknown' ? 'special' : kind;
  } catch (error) {
    // An entry that cannot be examined cannot be served.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'gone' : 'special';
  }
}
