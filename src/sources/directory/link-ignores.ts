/** A link must not publish what a `.skillignore` hides on the way to its target: those between the root and the target count too. */
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type EntryKind, kindOf } from './folder-listing.ts';
import { below } from './folder-node.ts';
import { FolderUnreadable, passingCode } from './folder-unreadable.ts';
import { type IgnoreLevel, ignoreFileName, readIgnoreFile } from './ignore-file.ts';
import { isInside, type LinkPlace } from './links.ts';

/** The levels between a root and a target that a place does not have itself; undefined if one of them cannot be used. */
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
    // Tried again, it may be usable: until then the folder of the link stays as it was.
    if ('unusable' in read && read.passing) throw new FolderUnreadable(place.real, passingCode);
    if ('unusable' in read) return undefined;
    levels.push(read.level);
  }
  return levels;
}

/** From the outermost one inwards; without those around the place, whose levels it has. */
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

/** What is at a path, for whatever a listing does not tell. */
export async function kindOnDisk(path: string): Promise<EntryKind | 'gone'> {
  try {
    const kind = kindOf(await lstat(path));
    return kind === 'unknown' ? 'special' : kind;
  } catch (error) {
    // What cannot even be looked at cannot be served.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'gone' : 'special';
  }
}
