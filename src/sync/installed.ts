/** Compares the installed skills of a place with the lock file. It only reads, and queries no origin. */
import { basename, dirname, join } from 'node:path';
import { isAbsent } from '../store/embedded/file-system.ts';
import type { BlobStore } from '../store/store.ts';
import { sharedFolderOf } from './agent-folders.ts';
import type { CheckedFolders } from './checked-record.ts';
import { type FileDrift, type FolderState, folderState, sha256Of } from './drift.ts';
import { type InstallLock, type LockedFile, type LockedSkill, readLock } from './install-lock.ts';
import { type InstallPlace, lockPath } from './install-place.ts';
import { type SpotFinder, spotFinder } from './plan-skill.ts';
import { nodeSyncDisk, type SyncDisk } from './sync-disk.ts';
import { readJournal } from './transaction-journal.ts';

/**
 * - `copy`: the right bytes instead of a link, because the system has no links
 * - `outdated`: an unedited version that was installed here before the lock file changed
 * - `foreign`: not installed by us
 */
export type InstalledState = 'ok' | 'copy' | 'missing' | 'outdated' | 'edited' | 'foreign' | 'broken-link';

export interface InstalledFolder {
  readonly path: string;
  /** The agents that read it there; empty for the shared folder. */
  readonly agents: readonly string[];
  readonly state: InstalledState;
  readonly drift: readonly FileDrift[];
}

/** An installed skill and the state of its folders. */
export interface InstalledSkill {
  readonly name: string;
  readonly locked: LockedSkill;
  /** `ok` if every folder is `ok` or `copy`. */
  readonly state: 'ok' | 'missing' | 'outdated' | 'edited' | 'broken';
  /** The real copy first. */
  readonly folders: readonly InstalledFolder[];
}

/** The state of all installed skills of a place. */
export interface InstalledReport {
  readonly place: InstallPlace;
  readonly lockFile: string;
  readonly skills: readonly InstalledSkill[];
  /** A run was interrupted; the next one completes it, as `recover()` does. */
  readonly unfinished: boolean;
  /** Temporary folders of unknown runs: of another user, or of a deleted state. */
  readonly leftovers: readonly string[];
}

/** The lock file; empty if there is none. @throws SkillwireError LOCK_INVALID */
export async function readInstalled(place: InstallPlace, disk: SyncDisk = nodeSyncDisk): Promise<InstallLock> {
  return (await readLock(disk, place)).lock;
}

/**
 * Compares installed skills with the lock file.
 *
 * @throws SkillwireError LOCK_INVALID
 */
export async function checkInstalled(place: InstallPlace, disk: SyncDisk = nodeSyncDisk): Promise<InstalledReport> {
  const lock = await readInstalled(place, disk);
  const journal = await readJournal(disk, place);
  const skills: InstalledSkill[] = [];
  const parents = new Set<string>();
  const spots = spotFinder(disk, place);
  for (const [name, locked] of Object.entries(lock.skills)) {
    const skill = await checkSkill(disk, place, name, locked, spots);
    skills.push(skill);
    for (const { path } of skill.folders) parents.add(dirname(dirname(path)));
  }
  const leftovers = journal === undefined ? await leftoversIn(disk, [...parents]) : [];
  return { place, lockFile: lockPath(place), skills, unfinished: journal !== undefined, leftovers };
}

export async function checkSkill(
  disk: SyncDisk,
  place: InstallPlace,
  name: string,
  locked: LockedSkill,
  spotsOf: SpotFinder = spotFinder(disk, place),
  checked?: CheckedFolders,
): Promise<InstalledSkill> {
  const spots = await spotsOf(name, locked.agents);
  const real = spots[0]?.path ?? '';
  const folders: InstalledFolder[] = [];
  for (const { path, own, earlier } of spots) {
    const question = {
      before: locked,
      earlier,
      platform: place.platform,
      real: own === undefined ? undefined : real,
      unchanged: checked?.isUnchanged,
    };
    const state = await folderState(disk, path, question);
    const links = own !== undefined && locked.mode === 'link' && !own.copyOnly;
    const realIsThere = folders[0] === undefined || folders[0].state !== 'missing';
    folders.push({
      path,
      agents: own?.agents ?? [],
      state: stateOf(state, own !== undefined, links, realIsThere),
      drift: state.kind === 'edited' ? state.drift : [],
    });
  }
  return { name, locked, state: worst(folders), folders };
}

function stateOf({ kind }: FolderState, isOwn: boolean, links: boolean, realIsThere: boolean): InstalledState {
  if (kind === 'absent') return 'missing';
  if (kind === 'edited' || kind === 'outdated') return kind;
  if (kind === 'link') return !links ? 'foreign' : realIsThere ? 'ok' : 'broken-link';
  if (kind === 'foreign') return 'foreign';
  return isOwn && links ? 'copy' : 'ok';
}

function worst(folders: readonly InstalledFolder[]): InstalledSkill['state'] {
  if (folders.some(({ state }) => state === 'edited')) return 'edited';
  if (folders[0]?.state === 'missing') return 'missing';
  if (folders.some(({ state }) => state === 'outdated')) return 'outdated';
  return folders.every(({ state }) => state === 'ok' || state === 'copy') ? 'ok' : 'broken';
}

async function leftoversIn(disk: SyncDisk, folders: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    try {
      for (const { name } of await disk.list(folder))
        if (/^\.skillwire-[0-9a-f]{12}(?:\.lock)?$/.test(basename(name))) found.push(`${folder}/${name}`);
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }
  return found;
}

export interface ByteSources {
  readonly disk: SyncDisk;
  readonly place: InstallPlace;
  readonly blobs?: BlobStore | undefined;
}

/** A file of an installed skill with exactly the bytes of the lock file, from its folder or from the cache. */
export async function installedBytes(
  { disk, place, blobs }: ByteSources,
  name: string,
  path: string,
  { digest }: LockedFile,
): Promise<Uint8Array | undefined> {
  try {
    const bytes = await disk.read(join(await sharedFolderOf(disk, place), name, path));
    if (sha256Of(bytes) === digest) return bytes;
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  return blobs?.get(digest);
}
