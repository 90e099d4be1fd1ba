/**
 * Spares the first reading of a tree to ask of every file whether it lies where it was found. A folder can be swapped for a link only by
 * an entry of the folder above it that goes or comes, and that one is stamped then. So where every folder that has folders in it was old
 * enough when it was listed, and has the same stamp after all files below it were read, each of them was read where it was found. Asking
 * these folders once costs a fifth of asking all files.
 */
import { andThen, type MaybePromise, mapInOrder } from '../../async/maybe-promise.ts';
import { createSlices } from '../../async/slices.ts';
import type { PublishedRoot } from './changed-skills.ts';
import { folderStamp } from './folder-listing.ts';
import { type FolderNode, sameFolderStamp } from './folder-node.ts';
import { foldersToLookInto } from './resting-folder.ts';

/** A folder, and those above it up to the root. */
interface Above {
  readonly folder: FolderNode;
  readonly next: Above | undefined;
}

/** Skills, each with the folders above it. */
export type SteadySkills = ReadonlyMap<FolderNode, Above>;

/** The skills below the roots that were not read yet and whose folders were all old enough, on disks that stamp folders. */
export function steadySkills(roots: readonly PublishedRoot[]): SteadySkills {
  const found = new Map<FolderNode, Above>();
  for (const { tree, nested, stampsFolders } of roots) {
    const visit = (folder: FolderNode, next: Above | undefined): void => {
      if (!isOld(folder, tree)) return;
      const above = { folder, next };
      for (const child of foldersToLookInto(folder)) {
        if (child.skillFile !== undefined && child.assembled === undefined && isSteady(child, tree))
          found.set(child, above);
        if (child.skillFile === undefined || nested) visit(child, above);
      }
    };
    if (stampsFolders === true && tree.path.local && (tree.skillFile === undefined || nested)) visit(tree, undefined);
  }
  return found;
}

/** Whether its stamp shows every change in it. Another disk below the root may be one that does not stamp. */
function isOld({ settled, path, dev }: FolderNode, root: FolderNode): boolean {
  return settled && path.direct && dev === root.dev;
}

function isSteady(folder: FolderNode, root: FolderNode): boolean {
  if (folder.folders.length === 0) return folder.path.direct;
  return isOld(folder, root) && folder.folders.every((child) => isSteady(child, root));
}

/** Those of which a folder that has folders in it has another stamp now than when it was listed. */
export function disturbedSkills(skills: SteadySkills): MaybePromise<readonly FolderNode[]> {
  const slices = createSlices();
  const asked = new Map<FolderNode, boolean>();

  function isAsListed(folder: FolderNode): boolean {
    const known = asked.get(folder);
    if (known !== undefined) return known;
    const same = hasStamp(folder);
    asked.set(folder, same);
    return same;
  }

  const isUndisturbed = (folder: FolderNode): boolean =>
    folder.folders.length === 0 || (isAsListed(folder) && folder.folders.every(isUndisturbed));

  const disturbed: FolderNode[] = [];
  function ask([folder, above]: readonly [FolderNode, Above]): void {
    let undisturbed = isUndisturbed(folder);
    for (let next: Above | undefined = above; undisturbed && next !== undefined; next = next.next)
      undisturbed = isAsListed(next.folder);
    if (!undisturbed) disturbed.push(folder);
  }
  const inTurn = (skill: readonly [FolderNode, Above]): MaybePromise<void> => {
    const pause = slices.pause();
    return pause === undefined ? ask(skill) : pause.then(() => ask(skill));
  };
  return andThen(mapInOrder([...skills], inTurn, false), () => disturbed);
}

/** Whatever keeps the system from telling, it is not known to be as it was. */
function hasStamp(folder: FolderNode): boolean {
  try {
    const now = folderStamp(folder.path);
    return now !== undefined && !(now instanceof Promise) && sameFolderStamp(folder, now);
  } catch {
    return false;
  }
}
