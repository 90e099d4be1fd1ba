/**
 * Transactions on installed skills: all changes and the lock file take effect, or none. If the process is killed at any moment, `recover()`
 * restores the old or the new state. New folders and links are written next to the folders that agents read, synced, and then renamed.
 * Old ones are renamed before they are removed. So no agent ever reads a partly written folder.
 */
import { randomBytes } from 'node:crypto';
import { dirname, join, relative } from 'node:path';
import { codeOf, reasonOf, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { folderLock } from '../store/embedded/folder-lock.ts';
import { type InstallPlace, lockPath, savedSkills, transactionFolder } from './install-place.ts';
import { createFile, isThere, makeFolders, removeIfEmpty, removeTree, type SyncDisk } from './sync-disk.ts';
import { type Journal, type Move, readJournal, removeJournal, writeJournal } from './transaction-journal.ts';

export interface StagedFile {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** The new content of a path. If the system refuses a link, a folder with the files is written. */
export type Content =
  | { readonly kind: 'folder'; readonly files: readonly StagedFile[] }
  | { readonly kind: 'link'; readonly to: string; readonly files: readonly StagedFile[] };

export interface Change {
  /** A folder of a skill, in a folder that an agent reads. */
  readonly target: string;
  /** Absent: the target is removed. */
  readonly put?: Content;
  /** Whether the target exists and may be moved. */
  readonly replaces: boolean;
  /** The path at which the old content is saved; absent: it is removed. */
  readonly saveTo?: string;
}

export type Recovery = 'clean' | 'undone' | 'finished';

/** Runs work alone in this place, after an interrupted run has been completed or undone. */
export async function inPlace<T>(
  disk: SyncDisk,
  place: InstallPlace,
  work: (recovery: Recovery) => Promise<T>,
): Promise<T> {
  const lock = folderLock(disk, transactionFolder(place));
  try {
    return await lock.run(async () => work(await finishInterrupted(disk, place)));
  } finally {
    await lock.end();
  }
}

/** Completes or undoes an interrupted run. */
export function recover(disk: SyncDisk, place: InstallPlace): Promise<Recovery> {
  return inPlace(disk, place, async (recovery) => recovery);
}

/** Like `recover()`, without a lock if nothing was interrupted. */
export async function recoverIfNeeded(disk: SyncDisk, place: InstallPlace): Promise<Recovery> {
  return (await readJournal(disk, place)) === undefined ? 'clean' : recover(disk, place);
}

/** Call it inside `inPlace()`. `record` runs first. @throws SkillwireError WRITE_FAILED; then nothing changed */
export async function commit(
  disk: SyncDisk,
  place: InstallPlace,
  changes: readonly Change[],
  lockText: string,
  record: () => Promise<void> = async () => undefined,
): Promise<void> {
  const id = `.skillwire-${randomBytes(6).toString('hex')}`;
  const target = lockPath(place);
  const plan = changes.map((change, index) => ({ change, move: moveOf(change, id, index) }));
  const stages = new Set(plan.map(({ change }) => stageOf(change.target, id)));
  const parents = new Set(plan.flatMap(({ change }) => (change.put === undefined ? [] : [dirname(change.target)])));
  const saved = new Set(plan.flatMap(({ change }) => (change.saveTo === undefined ? [] : [dirname(change.saveTo)])));
  const lock = { staged: join(dirname(target), `${id}.lock`), target };
  let journal: Journal = {
    phase: 'staging',
    stages: [...stages],
    made: await missingFolders(disk, [
      ...parents,
      ...saved,
      ...[...stages].map((stage) => dirname(stage)),
      dirname(target),
    ]),
    moves: plan.map(({ move }) => move),
    lock,
  };
  try {
    await record();
    await writeJournal(disk, place, journal);
    for (const folder of [...journal.made, ...stages]) await makeFolders(disk, folder);
    const files = changes.reduce((sum, { put }) => sum + (put?.files.length ?? 0), 0);
    const writing = files > limits.sync.syncedFiles ? withoutSync(disk) : disk;
    for (const { change, move } of plan) await stage(writing, place, change, move);
    for (const folder of stages) await disk.syncFolder(folder);
    await createFile(disk, lock.staged, new TextEncoder().encode(lockText), 0o644);
    await requireUnchanged(disk, journal.moves);
    journal = { ...journal, phase: 'moving' };
    await writeJournal(disk, place, journal);
    await finish(disk, place, journal);
  } catch (error) {
    // With the new lock file in place, only cleaning up is left, which the next run does.
    if (await undo(disk, place, journal, error)) throw failure(error);
  }
}

/** Very many files are not synced one by one: after a power failure, the digests of the lock file show what is missing. */
function withoutSync(disk: SyncDisk): SyncDisk {
  return {
    ...disk,
    open: async (...args) => ({ ...(await disk.open(...args)), sync: async () => undefined }),
    syncFolder: async () => undefined,
  };
}

function stageOf(target: string, id: string): string {
  return join(dirname(dirname(target)), id);
}

function moveOf({ target, put, replaces, saveTo }: Change, id: string, index: number): Move {
  const stage = stageOf(target, id);
  return {
    target,
    staged: put === undefined ? undefined : join(stage, `new-${index}`),
    old: saveTo ?? join(stage, `old-${index}`),
    replaces,
  };
}

/** The missing ones of these folders and their parents, outermost first. */
async function missingFolders(disk: SyncDisk, folders: readonly string[]): Promise<readonly string[]> {
  const missing = new Set<string>();
  for (const folder of folders)
    for (let path = folder; !missing.has(path) && !(await isThere(disk, path)); path = dirname(path)) missing.add(path);
  return [...missing].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

async function stage(disk: SyncDisk, place: InstallPlace, { put, target }: Change, { staged }: Move): Promise<void> {
  if (put === undefined || staged === undefined) return;
  if (put.kind === 'link' && (await stageLink(disk, place, put.to, target, staged))) return;
  await writeFolder(disk, staged, put.files);
}

/** Error codes of systems and disks without links: no permission, a network drive, FAT. */
const noLinks: ReadonlySet<string | undefined> = new Set([
  'EPERM',
  'EACCES',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EINVAL',
  'UNKNOWN',
]);

/** A junction needs an absolute target: a relative one would be resolved from the working directory. */
async function stageLink(
  disk: SyncDisk,
  { platform }: InstallPlace,
  to: string,
  target: string,
  staged: string,
): Promise<boolean> {
  try {
    if (platform === 'win32') await disk.symlink(to, staged, 'junction');
    else await disk.symlink(relative(dirname(target), to), staged, 'link');
    return true;
  } catch (error) {
    if (noLinks.has(codeOf(error))) return false;
    throw error;
  }
}

async function writeFolder(disk: SyncDisk, folder: string, files: readonly StagedFile[]): Promise<void> {
  const folders = new Set<string>([folder]);
  for (const { path } of files)
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
      folders.add(join(folder, path.slice(0, slash)));
  for (const path of folders) await disk.mkdir(path, 0o755);
  for (let at = 0; at < files.length; at += limits.sync.parallelWrites) {
    const group = files.slice(at, at + limits.sync.parallelWrites);
    // A failure is handled after the whole group has settled, so that no file is created after the cleanup.
    const written = await Promise.allSettled(
      group.map(({ path, bytes, executable }) =>
        createFile(disk, join(folder, path), bytes, executable ? 0o755 : 0o644),
      ),
    );
    const failed = written.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
  for (const path of [...folders].reverse()) await disk.syncFolder(path);
}

/** No other program may have changed the targets meanwhile. */
async function requireUnchanged(disk: SyncDisk, moves: readonly Move[]): Promise<void> {
  for (const { target, replaces } of moves) {
    if ((await isThere(disk, target)) === replaces) continue;
    const what = replaces ? 'was removed' : 'appeared';
    throw new SkillwireError(
      'UNSTABLE',
      `${quoteText(target)} ${what} during the installation. Run the command again.`,
      { data: { path: target } },
    );
  }
}

/** Works from the journal alone and does what is not done yet. The lock file is moved last. */
async function finish(disk: SyncDisk, place: InstallPlace, journal: Journal): Promise<void> {
  const { staged, target } = journal.lock;
  if (await isThere(disk, staged)) {
    for (const [index, move] of journal.moves.entries()) await moveOne(disk, place, move, index);
    for (const folder of new Set(journal.moves.map((move) => dirname(move.target))))
      if (await isThere(disk, folder)) await disk.syncFolder(folder);
    await disk.rename(staged, target);
    await disk.syncFolder(dirname(target));
  }
  for (const folder of journal.stages) await removeTree(disk, folder);
  await removeJournal(disk, place);
}

async function moveOne(disk: SyncDisk, place: InstallPlace, move: Move, index: number): Promise<void> {
  const { target, staged, old, replaces } = move;
  if (staged !== undefined && !(await isThere(disk, staged))) return;
  if (await isThere(disk, target)) {
    if (replaces && !(await isThere(disk, old))) await disk.rename(target, old);
    // Another program created it meanwhile, so it is saved.
    else if (staged !== undefined) await setAside(disk, place, target, index);
  }
  if (staged !== undefined) await disk.rename(staged, target);
}

async function setAside(disk: SyncDisk, place: InstallPlace, path: string, index: number): Promise<void> {
  await makeFolders(disk, savedSkills(place));
  await disk.rename(path, join(savedSkills(place), `found-${index}-${randomBytes(6).toString('hex')}`));
}

/**
 * Restores the old state. If that fails too, the journal stays, and the next run continues from it.
 *
 * @returns false if the new state is already in effect
 */
async function undo(disk: SyncDisk, place: InstallPlace, journal: Journal, reason: unknown): Promise<boolean> {
  try {
    if (journal.phase === 'moving') {
      if (!(await isThere(disk, journal.lock.staged))) return false;
      for (const move of [...journal.moves].reverse()) await moveBack(disk, move);
      await writeJournal(disk, place, { ...journal, phase: 'staging' });
    }
    await clearStages(disk, place, journal);
    return true;
  } catch (error) {
    const [why, also] = [reason, error].map(reasonOf);
    const message = `Cannot install: ${why}. Undoing failed too: ${also}. The next run will complete it.`;
    throw new SkillwireError('WRITE_FAILED', message, { cause: reason });
  }
}

async function moveBack(disk: SyncDisk, { target, staged, old }: Move): Promise<void> {
  if (staged !== undefined && !(await isThere(disk, staged)) && (await isThere(disk, target)))
    await disk.rename(target, staged);
  if ((await isThere(disk, old)) && !(await isThere(disk, target))) await disk.rename(old, target);
}

async function clearStages(disk: SyncDisk, place: InstallPlace, { stages, made, lock }: Journal): Promise<void> {
  for (const folder of stages) await removeTree(disk, folder);
  await removeTree(disk, lock.staged);
  for (const folder of [...made].reverse()) await removeIfEmpty(disk, folder);
  await removeJournal(disk, place);
}

async function finishInterrupted(disk: SyncDisk, place: InstallPlace): Promise<Recovery> {
  const journal = await readJournal(disk, place);
  if (journal === undefined) return 'clean';
  if (journal.phase === 'staging') {
    await clearStages(disk, place, journal);
    return 'undone';
  }
  await finish(disk, place, journal);
  return 'finished';
}

function failure(error: unknown): unknown {
  const code = codeOf(error);
  if (error instanceof SkillwireError || code === undefined) return error;
  const path = (error as NodeJS.ErrnoException).path;
  const where = path === undefined ? '' : ` ${quoteText(path)}`;
  const message = `Cannot write${where}: ${error instanceof Error ? error.message : code}. Nothing was changed. Free disk space or fix the permissions, then try again.`;
  return new SkillwireError('WRITE_FAILED', message, {
    data: { errno: code, ...(path === undefined ? {} : { path }) },
    cause: error,
  });
}
