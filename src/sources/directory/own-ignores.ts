/**
 * The `.skillignore` of one folder, and the folder where it cannot be used. While the file cannot be read for a moment, or is just
 * being saved, the folder stays as it was: what the file hides is never published in between.
 */
import type { Finding } from '../../skill/finding.ts';
import type { FolderListing } from './folder-listing.ts';
import { below, type FolderNode, noFolders, noNotes } from './folder-node.ts';
import { FolderUnreadable, passingCode } from './folder-unreadable.ts';
import { isJustWritten } from './follow-folders.ts';
import { type IgnoreReading, ignoreFileName, readIgnoreFile } from './ignore-file.ts';
import type { Place } from './walk.ts';

interface ReadPlace {
  readonly place: Place;
  readonly previous: FolderNode | undefined;
  readonly listing: FolderListing;
}

/** Undefined if the folder has none. */
export async function ownIgnores({ place, previous, listing }: ReadPlace): Promise<IgnoreReading | undefined> {
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

/** A folder of which nothing is published, because its `.skillignore` cannot be used. */
export function unpublishedFolder(
  { path, name, inherited }: Place,
  { stamp, settled }: Pick<FolderListing, 'stamp' | 'settled'>,
  unusable: Finding,
): FolderNode {
  const withheld = [{ file: path.shown, reason: `its ${ignoreFileName} cannot be used` }];
  return {
    ...stamp,
    path,
    name,
    settled,
    folders: noFolders,
    files: [],
    skillFile: undefined,
    notes: { ...noNotes, findings: [unusable], withheld, hides: true },
    inherited,
    assembled: undefined,
  };
}
