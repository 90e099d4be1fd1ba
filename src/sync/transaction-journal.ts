/**
 * The journal of a run, written before each phase. In `staging`, new content is written to temporary folders and nothing old is touched. In
 * `moving`, all new content is on the disk and only renames are left. So a run that was interrupted in `staging` is undone, and one in
 * `moving` is completed, however far it got.
 */
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';
import { isAbsent, unlinkIfThere } from '../store/embedded/file-system.ts';
import { replaceFile } from '../store/embedded/replace-file.ts';
import { type InstallPlace, transactionFolder } from './install-place.ts';
import type { SyncDisk } from './sync-disk.ts';

/** A folder or link that is added, removed or replaced. */
export interface Move {
  readonly target: string;
  /** The new content; absent for a removal. */
  readonly staged?: string;
  /** The path to which the old content is moved. */
  readonly old: string;
  /** The target existed when the run began. */
  readonly replaces: boolean;
}

export interface Journal {
  readonly phase: 'staging' | 'moving';
  /** Temporary folders of this run. */
  readonly stages: readonly string[];
  /** Folders that it created, outermost first. */
  readonly made: readonly string[];
  readonly moves: readonly Move[];
  /** The new lock file, moved last. */
  readonly lock: { readonly staged: string; readonly target: string };
}

const version = 1;
const encoder = new TextEncoder();

function journalPath(place: InstallPlace): string {
  return join(transactionFolder(place), 'journal.json');
}

/** Paths are relative to the place, so that a project that was moved can still be recovered. */
export async function writeJournal(disk: SyncDisk, place: InstallPlace, journal: Journal): Promise<void> {
  const text = JSON.stringify({ version, ...mapPaths(journal, (path) => pathFrom(place.root, path)) });
  await replaceFile(disk, journalPath(place), [encoder.encode(text)]);
}

export async function readJournal(disk: SyncDisk, place: InstallPlace): Promise<Journal | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await disk.read(journalPath(place));
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
  try {
    const value = JSON.parse(new TextDecoder().decode(bytes)) as Journal & { readonly version: unknown };
    if (value.version !== version) throw new TypeError(`its version is ${String(value.version)}`);
    return mapPaths(value, (path) => resolve(place.root, path));
  } catch (error) {
    const path = journalPath(place);
    const message = `Cannot read ${quoteText(path)}, the journal of an interrupted run. Use the skillwire version that wrote it, or delete it and run "skillwire doctor".`;
    throw new SkillwireError('STATE_UNUSABLE', message, { data: { path }, cause: error });
  }
}

/** Ends a run. */
export async function removeJournal(disk: SyncDisk, place: InstallPlace): Promise<void> {
  if (await unlinkIfThere(disk, journalPath(place))) await disk.syncFolder(transactionFolder(place));
}

/** A faster `relative()` for paths below the root. */
function pathFrom(root: string, path: string): string {
  const below = path.startsWith(`${root}${sep}`) ? path.slice(root.length + 1) : '';
  return below === '' || isAbsolute(below) ? relative(root, path) : below;
}

function mapPaths({ phase, stages, made, moves, lock }: Journal, path: (path: string) => string): Journal {
  return {
    phase,
    stages: stages.map(path),
    made: made.map(path),
    moves: moves.map(({ target, staged, old, replaces }) => ({
      target: path(target),
      staged: staged === undefined ? undefined : path(staged),
      old: path(old),
      replaces,
    })),
    lock: { staged: path(lock.staged), target: path(lock.target) },
  };
}
