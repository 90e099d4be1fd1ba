/**
 * Follows changes in the served folders and marks folders as dirty. Watches are set after the first listing was handed out,
 * in slices, and each folder is then compared with what was read of it: what changed in between is not lost. Now and then it
 * looks for what no watch tells (a root that moved or is back, a link that leads somewhere again, a read that failed), and
 * where the system's limit of watches is reached, for everything.
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
import { isInside } from './links.ts';
import { nodesOf } from './resting-folder.ts';
import { readStamp } from './stable-read.ts';

export interface FollowerOptions {
  /** Folders that are watched at most. */
  readonly most: number;
  readonly slices: Slices;
  readonly roots: () => readonly RootState[];
  /** Real folders that a passing failure kept from being read. */
  readonly passing: ReadonlySet<string>;
  readonly mark: (folder: string) => void;
  readonly markAll: () => void;
}

export interface Follower {
  /** Sets the watches soon, once. */
  armSoon(): void;
  /** A real folder is about to be read. */
  add(folder: string, isNew: boolean): void;
  /** Real folders in which links stand that lead to a folder, into it or around it. */
  linksTo(folder: string): readonly string[];
  treesChanged(before: readonly FolderNode[], after: readonly FolderNode[]): void;
  scanTook(ms: number): void;
  scheduleRound(): void;
  /** What keeps the folders from being watched. */
  note(): Finding | undefined;
  close(): void;
}

export function createFollower({ most, slices, roots, passing, mark, markAll }: FollowerOptions): Follower {
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

  /** Takes note of all folders and links, for what is asked about them later. */
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

  /** Looks now and then for what no watch tells. */
  function scheduleRound(): void {
    const lost = roots().some((state) => state.tree === undefined);
    if (closed || round !== undefined || !(lost || watcher !== undefined || passing.size > 0)) return;
    // Where everything is polled, most of the time is left to other work.
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
    armSoon() {
      if (closed || arming !== undefined) return;
      arming = setTimeout(() => {
        arm().then(scheduleRound, (error: unknown) => cannotWatch((error as Error).message));
      }, limits.watch.armMs);
      arming.unref();
    },
    add: (folder, isNew) => watcher?.add(folder, isNew),
    linksTo: (folder) =>
      links.flatMap(({ from, target }) => (isInside(target, folder) || isInside(folder, target) ? [from] : [])),
    treesChanged(before, after) {
      if (watcher !== undefined && !sameOutline(before, after)) takeStock(after);
      scheduleRound();
    },
    scanTook(ms) {
      scanMs = ms;
    },
    scheduleRound,
    note: () => watchNote,
    close() {
      closed = true;
      clearTimeout(arming);
      clearTimeout(round);
      watcher?.close();
    },
  };
}

/**
 * True if a folder is not as it was when it was read, or if that cannot be told: what stands behind links, in `.skillignore` or
 * in a file that could not be read has no stamp here.
 */
async function hasChanged(node: FolderNode): Promise<boolean> {
  if (node.notes !== noNotes) return true;
  const stamp = folderStamp(node.path);
  const now = stamp instanceof Promise ? await stamp : stamp;
  if (now === undefined || !sameFolderStamp(now, node)) return true;
  // What belongs to no skill was never read.
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

/** True if the same folders and links are in two lists of trees, found without looking at what both share. */
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
    // A folder that may not be looked into is still there.
    return !isGone((error as NodeJS.ErrnoException).code);
  }
}

/** True if something was written to the file within the wait for rest. A clock that is ahead counts as long ago. */
export async function isJustWritten(path: string): Promise<boolean> {
  try {
    // The clock is looked at afterwards, and knows whole milliseconds only: a file may be written while it is asked for.
    const { mtimeMs } = await stat(path);
    const age = Date.now() - mtimeMs;
    return age > -1 && age < limits.watch.longestWaitMs;
  } catch (error) {
    // Where it is gone or may not be looked at, nobody is seen saving it; the scan reports what is wrong.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return false;
  }
}
