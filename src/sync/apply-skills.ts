/**
 * Applies a plan to the disk, to install or remove skills. It checks everything first, refuses to hide another skill or to lose an edit,
 * and then changes everything in one transaction. The lock file must not have changed since the plan was made.
 */
import { SkillwireError } from '../errors.ts';
import { checkOptions, flag, required, texts, withMembers } from '../skill/checked-options.ts';
import { didYouMean } from '../skill/did-you-mean.ts';
import { quoteText } from '../skill/display-text.ts';
import { sameJson } from '../skill/json.ts';
import { editsText } from './drift.ts';
import { type InstallLock, type LockedSkill, lockedAs, lockText, type ReadLock, readLock } from './install-lock.ts';
import { type InstallPlace, installPlaceCheck, lockPath } from './install-place.ts';
import { writeRecord } from './installed-record.ts';
import {
  type EditedFolder,
  type Edits,
  editsCheck,
  type PlannedSkill,
  planPut,
  planRemove,
  type SpotFinder,
  spotFinder,
  type WantedSkill,
} from './plan-skill.ts';
import { shadowedBy } from './shadowed.ts';
import { nodeSyncDisk, type SyncDisk } from './sync-disk.ts';
import { commit, inPlace, type Recovery, recoverIfNeeded } from './transaction.ts';

export interface RemovedSkill {
  readonly name: string;
  /** Only for these agents; absent: the skill is removed entirely. */
  readonly agents?: readonly string[];
}

export interface Wanted {
  /** The lock file that the plan is based on. */
  readonly read: ReadLock;
  readonly put?: readonly WantedSkill[];
  readonly remove?: readonly RemovedSkill[];
  readonly edits: Edits;
  readonly replace: boolean;
  /** Only plans. */
  readonly dryRun?: boolean;
}

export interface AppliedSkill {
  readonly name: string;
  /** `changed`: files, links or its row of the lock file. `kept`: it has local edits, so it was not touched. */
  readonly outcome: 'changed' | 'unchanged' | 'kept';
  readonly edited: readonly EditedFolder[];
  readonly saved: readonly string[];
}

export interface Applied {
  readonly skills: readonly AppliedSkill[];
  readonly lock: InstallLock;
  readonly recovery: Recovery;
}

/** @throws SkillwireError NAME_TAKEN, EDITED, UNSTABLE, WRITE_FAILED; then nothing changed */
export async function applySkills(disk: SyncDisk, place: InstallPlace, wanted: Wanted): Promise<Applied> {
  if (wanted.dryRun === true) return (await plan(disk, place, wanted)).applied;
  return inPlace(disk, place, async (recovery) => {
    const now = await readLock(disk, place);
    if (now.text !== wanted.read.text) throw changedMeanwhile(place);
    const { applied, changes } = await plan(disk, place, wanted);
    const text = lockText(applied.lock);
    if (changes.length > 0 || text !== (now.text ?? lockText(now.lock)))
      await commit(disk, place, changes, text, () => recordRun(disk, place, wanted, applied));
    return { ...applied, recovery };
  });
}

/** Records what is about to be installed. A skill removed for some agents only stays recorded. */
async function recordRun(
  disk: SyncDisk,
  place: InstallPlace,
  { put = [], remove = [] }: Wanted,
  { skills }: Pick<Applied, 'skills'>,
): Promise<void> {
  const left = new Set(skills.filter(({ outcome }) => outcome === 'kept').map(({ name }) => name));
  const there = put.filter(({ name }) => !left.has(name)).map(({ name, locked }) => [name, locked] as const);
  const gone = remove.filter(({ name, agents }) => agents === undefined && !left.has(name)).map(({ name }) => name);
  await writeRecord(disk, place, new Map(there), gone);
}

async function plan(disk: SyncDisk, place: InstallPlace, wanted: Wanted) {
  const { read, put = [], remove = [], edits, replace } = wanted;
  const { skills } = read.lock;
  const options = { edits, replace, stamp: new Date().toISOString().replace(/[:.]/g, '-') };
  const spots = spotFinder(disk, place);
  const planned: { plan: PlannedSkill; after: LockedSkill | undefined; before: LockedSkill | undefined }[] = [];
  for (const skill of put) {
    const before = lockedAs(read.lock, skill.name);
    planned.push({ plan: await planPut(disk, place, before, skill, options, spots), after: skill.locked, before });
  }
  for (const { name, agents } of remove) {
    const before = lockedAs(read.lock, name);
    if (before === undefined) continue;
    const left = agents === undefined ? [] : before.agents.filter((id) => !agents.includes(id));
    const made = await planRemove(disk, place, name, before, agents ?? 'all', options, spots);
    planned.push({ plan: made, after: agents === undefined ? undefined : { ...before, agents: left }, before });
  }
  if (!replace)
    await refuseForeign(
      disk,
      place,
      read.lock,
      put,
      planned.map((one) => one.plan),
      spots,
    );
  const edited = planned.map((one) => one.plan).filter((one) => one.edited.length > 0);
  if (edits === 'refuse' && edited.length > 0) throw editedBySomebody(edited);
  const lock = { ...read.lock, skills: { ...skills } as Record<string, LockedSkill> };
  const applied = planned.map(({ plan: one, after, before }): AppliedSkill => {
    const keepsEdits = edits === 'keep' && one.edited.length > 0;
    if (!keepsEdits && after === undefined) delete lock.skills[one.name];
    else if (!keepsEdits && after !== undefined) lock.skills[one.name] = after;
    const changed = one.changes.length > 0 || !sameJson(after, before);
    return {
      name: one.name,
      outcome: keepsEdits ? 'kept' : changed ? 'changed' : 'unchanged',
      edited: one.edited,
      saved: one.saved,
    };
  });
  const changes = planned.flatMap(({ plan: one }) => one.changes);
  return { applied: { skills: applied, lock, recovery: 'clean' as const }, changes };
}

async function refuseForeign(
  disk: SyncDisk,
  place: InstallPlace,
  lock: InstallLock,
  put: readonly WantedSkill[],
  planned: readonly PlannedSkill[],
  spots: SpotFinder,
): Promise<void> {
  const fresh = put.filter(({ name }) => lockedAs(lock, name) === undefined);
  const shadowed = await shadowedBy(disk, place, lock, fresh, spots);
  const foreign = planned.map(({ name, foreign: paths }) => ({
    name,
    paths: [...paths, ...(shadowed.get(name) ?? [])],
  }));
  const names = foreign.filter(({ paths }) => paths.length > 0);
  const [first] = names;
  if (first === undefined) return;
  const more = names.length === 1 ? '' : ` and ${names.length - 1} more`;
  throw new SkillwireError(
    'NAME_TAKEN',
    `Cannot install ${quoteText(first.name)}${more}: another skill with this name is at ${quoteText(first.paths[0] ?? '')}. ` +
      'Rename or remove it, or use --replace to move it aside.',
    { data: { taken: names } },
  );
}

function editedBySomebody(skills: readonly PlannedSkill[]): SkillwireError {
  const [first] = skills;
  const files = first?.edited.flatMap((folder) => folder.files) ?? [];
  const more = skills.length > 1 ? ` and ${skills.length - 1} more` : '';
  return new SkillwireError(
    'EDITED',
    `${quoteText(first?.name ?? '')}${more} ${more === '' ? 'has' : 'have'} local edits: ${editsText(files)}. ` +
      'Choose --edits keep, overwrite, or save (move the edited copy aside).',
    { data: { edited: skills.map(({ name, edited }) => ({ name, folders: edited })) } },
  );
}

function changedMeanwhile(place: InstallPlace): SkillwireError {
  const path = lockPath(place);
  return new SkillwireError('UNSTABLE', `${quoteText(path)} was changed by another program. Run the command again.`, {
    data: { path },
  });
}

/** Options of `removeSkills()`. */
export interface RemoveOptions {
  readonly place: InstallPlace;
  readonly names: readonly string[];
  /** Only for these agents; the skill stays for the others. */
  readonly agents?: readonly string[];
  readonly edits?: Edits;
  readonly dryRun?: boolean;
  readonly disk?: SyncDisk;
}

/**
 * Removes installed skills and their rows of the lock file. Files that were not installed stay.
 *
 * @throws SkillwireError USAGE, SKILL_NOT_FOUND, EDITED; then nothing changed
 */
export async function removeSkills(options: RemoveOptions): Promise<readonly AppliedSkill[]> {
  checkOptions('removeSkills()', options, {
    place: required(installPlaceCheck),
    names: required(texts),
    agents: texts,
    edits: editsCheck,
    dryRun: flag,
    disk: withMembers('a disk'),
  });
  const { place, names, agents, edits = 'refuse', dryRun = false, disk = nodeSyncDisk } = options;
  await recoverIfNeeded(disk, place);
  const read = await readLock(disk, place);
  const remove = [...new Set(names)].map((name) => {
    const locked = requireInstalled(read.lock, name, place);
    const strange = agents?.find((id) => !locked.agents.includes(id));
    if (strange !== undefined)
      throw new SkillwireError(
        'USAGE',
        `${quoteText(name)} is not installed for the agent ${quoteText(strange)}. Run "skillwire ls" for a list.`,
        {
          data: { name, agent: strange, agents: locked.agents },
        },
      );
    return { name, agents };
  });
  return (await applySkills(disk, place, { read, remove, edits, replace: false, dryRun })).skills;
}

/** @throws SkillwireError SKILL_NOT_FOUND */
export function requireInstalled(lock: InstallLock, name: string, place: InstallPlace): InstallLock['skills'][string] {
  const locked = lockedAs(lock, name);
  if (locked !== undefined) return locked;
  const path = lockPath(place);
  throw new SkillwireError(
    'SKILL_NOT_FOUND',
    `No skill named ${quoteText(name)} is installed (${quoteText(path)}).${didYouMean(name, Object.keys(lock.skills))} Run "skillwire ls" for a list.`,
    { data: { name, lockFile: path } },
  );
}
