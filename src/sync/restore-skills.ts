/**
 * Installs exactly what the lock file says: the same bytes, in the same folders, for the same agents. No approval is needed: the lock file
 * pins every byte, and an origin with other bytes is an error that changes nothing. Rules about signers still count. If everything is in
 * place, no origin is queried and nothing is written.
 */
import { dirname } from 'node:path';
import { codeOf, SkillwireError, VerificationError } from '../errors.ts';
import { limits } from '../limits.ts';
import {
  callback,
  checkOptions,
  flag,
  type OptionChecks,
  required,
  texts,
  withMembers,
} from '../skill/checked-options.ts';
import { quoteText } from '../skill/display-text.ts';
import type { Store } from '../store/store.ts';
import { type CheckedFolders, readChecked, writeChecked } from './checked-record.ts';
import { sha256Of } from './drift.ts';
import { type LockedSkill, lockedLocationText, readLock } from './install-lock.ts';
import { type InstallPlace, installPlaceCheck } from './install-place.ts';
import { checkSkill, type InstalledSkill, installedBytes } from './installed.ts';
import { type EditedFolder, type Edits, editsCheck, spotFinder, type WantedSkill } from './plan-skill.ts';
import { nodeSyncDisk, type SyncDisk } from './sync-disk.ts';
import type { StagedFile } from './transaction.ts';
import { readJournal } from './transaction-journal.ts';

export interface LockedByName {
  readonly name: string;
  readonly locked: LockedSkill;
}

/** The bytes of a skill's files by path. */
export type SkillBytes = ReadonlyMap<string, Uint8Array>;

/** Options of `restoreSkills()`. */
export interface RestoreOptions {
  readonly place: InstallPlace;
  /** Default: all of the lock file. */
  readonly names?: readonly string[];
  readonly edits?: Edits;
  readonly replace?: boolean;
  readonly dryRun?: boolean;
  readonly store?: Pick<Store, 'blobs'>;
  /** Fetches from origins what is neither installed nor cached; called at most once. */
  readonly fetch: (missing: readonly LockedByName[]) => Promise<ReadonlyMap<string, SkillBytes>>;
  /** Called for each skill before anything is written, with bytes that match the lock file. Throws to refuse the skill. */
  readonly accept?: (skill: LockedByName, bytes: SkillBytes) => Promise<void>;
  readonly disk?: SyncDisk;
  /**
   * Whether the disk of a folder stamps every change of files and folders. If so, unchanged folders are not read again. Absent: every
   * file is read.
   */
  readonly stampsChanges?: (folder: string) => Promise<boolean>;
}

const restoreChecks: OptionChecks<RestoreOptions> = {
  place: required(installPlaceCheck),
  names: texts,
  edits: editsCheck,
  replace: flag,
  dryRun: flag,
  store: withMembers('a store', 'blobs'),
  fetch: required(callback()),
  accept: callback(),
  disk: withMembers('a disk'),
  stampsChanges: callback(),
};

export interface RestoredSkill extends LockedByName {
  /** `restored`: it was missing. `updated`: it was another version. `repaired`: a folder or link was missing. */
  readonly action: 'restored' | 'updated' | 'repaired' | 'unchanged' | 'kept';
  readonly edited: readonly EditedFolder[];
  readonly saved: readonly string[];
}

/**
 * Installs exactly what the lock file names.
 *
 * @throws SkillwireError USAGE, LOCK_INVALID, EDITED, NAME_TAKEN; VerificationError; then nothing changed
 */
export async function restoreSkills(options: RestoreOptions): Promise<readonly RestoredSkill[]> {
  checkOptions('restoreSkills()', options, restoreChecks);
  const { place, names, edits = 'refuse', replace = false, dryRun = false, disk = nodeSyncDisk } = options;
  // The writing code is loaded only if needed: most runs find everything in place.
  if ((await readJournal(disk, place)) !== undefined) await (await import('./transaction.ts')).recover(disk, place);
  const read = await readLock(disk, place);
  const rows: InstalledSkill[] = [];
  const spots = spotFinder(disk, place);
  const remembers = options.stampsChanges !== undefined && names === undefined && read.text !== undefined;
  const checked = remembers ? await readChecked(disk, place, read.text) : undefined;
  for (const [name, locked] of Object.entries(read.lock.skills))
    if (names === undefined || names.includes(name))
      rows.push(await checkSkill(disk, place, name, locked, spots, checked));
  const open = rows.filter(({ state }) => state !== 'ok');
  if (open.length === 0) {
    if (!dryRun && checked !== undefined) await remember(disk, options, read.text ?? '', checked, rows);
    return rows.map((row) => restored(row, 'unchanged'));
  }
  const put = await wantedOf(open, options, disk);
  const { applySkills } = await import('./apply-skills.ts');
  const { skills } = await applySkills(disk, place, { read, put, edits, replace, dryRun });
  const applied = new Map(skills.map((skill) => [skill.name, skill]));
  return rows.map((row) => {
    const done = applied.get(row.name);
    if (done === undefined || done.outcome === 'unchanged') return restored(row, 'unchanged');
    if (done.outcome === 'kept') return { ...restored(row, 'kept'), edited: done.edited };
    const { edited, saved } = done;
    return { ...restored(row, actions[row.state] ?? 'repaired'), edited, saved };
  });
}

/** For the next run. If the state cannot be written, that run reads the files again: nothing is lost, so no error is reported. */
async function remember(
  disk: SyncDisk,
  { place, stampsChanges }: RestoreOptions,
  lockText: string,
  checked: CheckedFolders,
  rows: readonly InstalledSkill[],
): Promise<void> {
  const compared = rows.flatMap(({ folders }) => folders.map(({ path }) => path));
  const stamps = await checked.toRecord(compared);
  if (stamps === undefined) return;
  for (const folder of new Set([...stamps.keys()].map((path) => dirname(path))))
    if ((await stampsChanges?.(folder)) !== true) return;
  const { inPlace } = await import('./transaction.ts');
  try {
    await inPlace(disk, place, () => writeChecked(disk, place, lockText, stamps));
  } catch (error) {
    if (!(error instanceof SkillwireError) && codeOf(error) === undefined) throw error;
  }
}

const actions: Partial<Record<InstalledSkill['state'], RestoredSkill['action']>> = {
  missing: 'restored',
  outdated: 'updated',
};

function restored({ name, locked }: InstalledSkill, action: RestoredSkill['action']): RestoredSkill {
  return { name, locked, action, edited: [], saved: [] };
}

async function wantedOf(
  open: readonly InstalledSkill[],
  options: RestoreOptions,
  disk: SyncDisk,
): Promise<WantedSkill[]> {
  const { place, edits = 'refuse', store, fetch, accept } = options;
  const bytes = new Map<string, SkillBytes>();
  const missing: LockedByName[] = [];
  for (const { name, locked, state } of open) {
    // An edited skill that is not touched needs no bytes.
    if (state === 'edited' && (edits === 'refuse' || edits === 'keep')) bytes.set(name, new Map());
    else {
      const known = await knownBytes({ disk, place, blobs: store?.blobs }, name, locked);
      if (known === undefined) missing.push({ name, locked });
      else bytes.set(name, known);
    }
  }
  if (missing.length > 0) {
    const fetched = await fetch(missing);
    for (const { name, locked } of missing) bytes.set(name, requireLocked(name, locked, fetched.get(name)));
  }
  if (accept !== undefined)
    for (const { name, locked } of open) {
      const found = bytes.get(name);
      if (found !== undefined && found.size > 0) await accept({ name, locked }, found);
    }
  return open.map(({ name, locked }): WantedSkill => ({ name, locked, files: stagedOf(locked, bytes.get(name)) }));
}

async function knownBytes(
  sources: Parameters<typeof installedBytes>[0],
  name: string,
  { files }: LockedSkill,
): Promise<SkillBytes | undefined> {
  const found = new Map<string, Uint8Array>();
  for (const [path, file] of Object.entries(files)) {
    const bytes = await installedBytes(sources, name, path, file);
    if (bytes === undefined) return undefined;
    found.set(path, bytes);
  }
  return found;
}

/** The digests of the lock file decide, whatever the origin promises. */
function requireLocked(name: string, locked: LockedSkill, bytes: SkillBytes | undefined): SkillBytes {
  const found = bytes ?? new Map<string, Uint8Array>();
  const other = Object.entries(locked.files)
    .filter(([path, { digest }]) => {
      const content = found.get(path);
      return content === undefined || sha256Of(content) !== digest;
    })
    .map(([path]) => path);
  const extra = [...found.keys()].filter((path) => !Object.hasOwn(locked.files, path));
  const paths = [...other, ...extra];
  if (paths.length === 0) return found;
  const shown = paths.slice(0, limits.sync.editsReported).map((path) => quoteText(path));
  throw new VerificationError(
    'digest',
    `Cannot install ${quoteText(name)} from ${quoteText(lockedLocationText(locked.origin))}: ${shown.join(', ')} ${paths.length === 1 ? 'does' : 'do'} not match the lock file. ` +
      'Nothing was changed. Run "skillwire update --check" to see the current version.',
    { data: { name, origin: lockedLocationText(locked.origin), uri: locked.uri, paths } },
  );
}

function stagedOf({ files, scripts }: LockedSkill, bytes: SkillBytes | undefined): readonly StagedFile[] {
  return Object.entries(files).flatMap(([path, { executable }]) => {
    const content = bytes?.get(path);
    return content === undefined ? [] : [{ path, bytes: content, executable: scripts && executable === true }];
  });
}
