/**
 * Follows changes in the served folders and marks folders as dirty. Watches are set after the first listing, in slices. Each folder is then
 * compared with what was read, so no change in between is lost. Periodic rounds check what no watch reports: a root that moved or is back,
 * a link that works again, a failed read. If the system's watch limit is reached, they check everything.
 */
import { stat } from 'node:fs/promises';
import type { Slices } from '../../async/slices.ts';
import { limits } from '../../limits.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { hasMoved, type RootState } from './directory-root.ts';
import { isGone, sameStamp } from './file-stamp.ts';
import { folderStamp } from './folder-listing.ts';
import { type FolderNode, noNotes, sameFolderStamp } from './folder-node.ts';
import { createFolderWatcher, type FolderWatcher } from './folder-watcher.ts';
import { nodesOf } from './lazy-folder.ts';
import { isInside } from './links.ts';
import { readStamp } from './stable-read.ts';

export interface FollowerOptions {
  /** Most folders to watch. */
  readonly most: number;
  readonly slices: Slices;
  readonly roots: () => readonly RootState[];
  /** Real folders that could not be read because of a passing failure. */
  readonly passing: ReadonlySet<string>;
  readonly mark: (folder: string) => void;
  readonly markAll: () => void;
}

export function createFollower({ most, slices, roots, passing, mark, markAll }: FollowerOptions) {
  let watcher: FolderWatcher | undefined;
  let arming: NodeJS.Timeout | undefined;
  let round: NodeJS.Timeout | undefined;
  let watchNote: Finding | undefined;
  let links: { readonly from: string; readonly target: string }[] = [];
  let broken: { readonly folder: string; readonly link: string }[] = [];
  let scanMs = 0;
  let closed = false;

  function cannotWatch(reason: string): void {
    watchNote = finding('watch-limit', `folders cannot be watched (${reason}), so they are polled`);
    markAll();
  }

  async function arm(): Promise<void> {
    const own = createFolderWatcher({ most, onChange: mark, onLimit: cannotWatch });
    watcher = own;
    const trees = roots().flatMap(({ tree }) => (tree === undefined ? [] : [tree]));
    takeStock(trees);
    for (const tree of trees)
      for (const node of nodesOf(tree)) {
        const pause = slices.pause();
        if (pause !== undefined) await pause;
        if (closed || watchNote !== undefined) return;
        own.add(node.path.real, false);
        if (await hasChanged(node)) mark(node.path.real);
      }
  }

  /** Records all folders and links for later queries. */
  function takeStock(trees: readonly FolderNode[]): void {
    const folders = new Set(roots().map(({ real }) => real));
    broken = [];
    links = [];
    for (const tree of trees)
      for (const { path, notes } of nodesOf(tree)) {
        folders.add(path.real);
        for (const link of notes.broken) broken.push({ folder: path.real, link });
        for (const { target } of notes.links) links.push({ from: path.real, target });
      }
    watcher?.retain(folders);
  }

  /** Checks periodically for changes that no watch reports. */
  function scheduleRound(): void {
    const lost = roots().some((state) => state.tree === undefined);
    if (closed || round !== undefined || !(lost || watcher !== undefined || passing.size > 0)) return;
    // When polling, most of the time is left to other work.
    const pauseMs = watchNote === undefined ? limits.watch.pollMs : Math.max(limits.watch.pollMs, 10 * scanMs);
    round = setTimeout(() => {
      makeRound().catch((error: unknown) => {
        watchNote = finding('watch-limit', `folders cannot be watched: ${(error as Error).message}`);
      });
    }, pauseMs);
    round.unref();
  }

  async function makeRound(): Promise<void> {
    try {
      if (watchNote !== undefined) markAll();
      for (const folder of [...passing]) mark(folder);
      for (const state of roots()) if (await hasMoved(state)) mark(state.real);
      for (const { folder, link } of broken) if (await exists(link)) mark(folder);
    } finally {
      round = undefined;
      scheduleRound();
    }
  }

  return {
    /** Sets the watches soon, once. */
    armSoon(): void {
      if (closed || arming !== undefined) return;
      arming = setTimeout(() => {
        arm().then(scheduleRound, (error: unknown) => cannotWatch((error as Error).message));
      }, limits.watch.armMs);
      arming.unref();
    },
    /** A real folder is about to be read. */
    add: (folder: string, isNew: boolean): void => watcher?.add(folder, isNew),
    /** Real folders with links that lead to a folder, into it or around it. */
    linksTo: (folder: string): readonly string[] =>
      links.flatMap(({ from, target }) => (isInside(target, folder) || isInside(folder, target) ? [from] : [])),
    treesChanged(before: readonly FolderNode[], after: readonly FolderNode[]): void {
      if (watcher !== undefined && !sameOutline(before, after)) takeStock(after);
      scheduleRound();
    },
    scanTook(ms: number): void {
      scanMs = ms;
    },
    scheduleRound,
    /** Why the folders cannot be watched. */
    note: (): Finding | undefined => watchNote,
    close(): void {
      closed = true;
      clearTimeout(arming);
      clearTimeout(round);
      watcher?.close();
    },
  };
}

/**
 * True if a folder changed since it was read, or if that is unknown: link targets, `.skillignore` files and unreadable
 * files have no stamp here.
 */
async function hasChanged(node: FolderNode): Promise<boolean> {
  if (node.notes !== noNotes) return true;
  const stamp = folderStamp(node.path);
  const now = stamp instanceof Promise ? await stamp : stamp;
  if (now === undefined || !sameFolderStamp(now, node)) return true;
  // Files outside of skills were never read.
  if (!node.inherited.insideSkill && node.skillFile === undefined) return false;
  for (const file of node.files) {
    const { facts } = file;
    if (facts === undefined) return true;
    const read = readStamp(file.real, file.local);
    const stampNow = read instanceof Promise ? await read : read;
    if (facts.young || 'fault' in stampNow || !sameStamp(facts, stampNow)) return true;
  }
  return false;
}

/** True if two lists of trees contain the same folders and links, without visiting shared nodes. */
function sameOutline(before: readonly FolderNode[], after: readonly FolderNode[]): boolean {
  return (
    before.length === after.length &&
    before.every((was, index) => {
      const is = after[index];
      if (is === was) return true;
      if (is === undefined || is.path.real !== was.path.real) return false;
      for (const { notes } of [was, is]) if (notes.links.length + notes.broken.length > 0) return false;
      return sameOutline(was.folders, is.folders);
    })
  );
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    // A folder without read permission still exists.
    return !isGone((error as NodeJS.ErrnoException).code);
  }
}

/** True if the file was written within the quiet period. A timestamp in the future counts as long ago. */
export async function isJustWritten(path: string): Promise<boolean> {
  try {
    // The clock is read afterwards, in whole milliseconds: a file may be written during the check.
    const { mtimeMs } = await stat(path);
    const age = Date.now() - mtimeMs;
    return age > -1 && age < limits.watch.longestWaitMs;
  } catch (error) {
    // If it is gone or unreadable, nothing shows that it is being saved; the scan reports the fault.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return false;
  }
}
