/**
 * What a run is about to do, written down before it does it. Two phases: `staging`, in which everything new is put together where
 * nobody looks and nothing old is touched, and `moving`, from which on everything new is on the disk and only renames are left. So
 * a run that ended in `staging` is undone and one that ended in `moving` is finished, whatever of it has happened already.
 */
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';
import { isAbsent, unlinkIfThere } from '../store/embedded/file-system.ts';
import { replaceFile } from '../store/embedded/replace-file.ts';
import { type InstallPlace, transactionFolder } from './install-place.ts';
import type { SyncDisk } from './sync-disk.ts';

/** One thing that comes, goes, or takes the place of another. */
export interface Move {
  readonly target: string;
  /** What comes; absent where something only goes. */
  readonly staged?: string;
  /** Where that goes what is at the target. */
  readonly old: string;
  /** Something that belongs there was at the target when the run began. */
  readonly replaces: boolean;
}

export interface Journal {
  readonly phase: 'staging' | 'moving';
  /** Folders of this run, with everything in them. */
  readonly stages: readonly string[];
  /** Folders that were made for it, outermost first. */
  readonly made: readonly string[];
  readonly moves: readonly Move[];
  /** The lock file as it will be, moved last. */
  readonly lock: { readonly staged: string; readonly target: string };
}

const version = 1;
const encoder = new TextEncoder();

function journalPath(place: InstallPlace): string {
  return join(transactionFolder(place), 'journal.json');
}

/** Paths are kept as seen from the place, so that a project that was moved can still be mended. */
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
    const message = `cannot read ${quoteText(path)}, the notes of a run that was interrupted; use the version of this program that wrote it, or remove it and run "skillwire doctor"`;
    throw new SkillwireError('STATE_UNUSABLE', message, { data: { path }, cause: error });
  }
}

/** The end of a run. */
export async function removeJournal(disk: SyncDisk, place: InstallPlace): Promise<void> {
  if (await unlinkIfThere(disk, journalPath(place))) await disk.syncFolder(transactionFolder(place));
}

/** `relative()` for what nearly always lies below. */
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
