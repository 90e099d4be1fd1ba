/** Takes installed skills away: what was installed and nothing else. Asks no origin. */
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';
import { type AppliedSkill, applySkills } from './apply-skills.ts';
import { type InstallLock, lockedAs, readLock } from './install-lock.ts';
import { type InstallPlace, lockPath } from './install-place.ts';
import type { Edits } from './plan-skill.ts';
import { nodeSyncDisk, type SyncDisk } from './sync-disk.ts';
import { recoverIfNeeded } from './transaction.ts';

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
 * Removes installed skills and their rows of the lock file.
 *
 * @throws SkillwireError SKILL_NOT_FOUND, EDITED; and then nothing was changed
 */
export async function removeSkills(options: RemoveOptions): Promise<readonly AppliedSkill[]> {
  const { place, names, agents, edits = 'refuse', dryRun = false, disk = nodeSyncDisk } = options;
  await recoverIfNeeded(disk, place);
  const read = await readLock(disk, place);
  const remove = [...new Set(names)].map((name) => {
    const locked = requireInstalled(read.lock, name, place);
    const strange = agents?.find((id) => !locked.agents.includes(id));
    if (strange !== undefined)
      throw new SkillwireError('USAGE', `${quoteText(name)} is not installed for the agent ${quoteText(strange)}`, {
        data: { name, agent: strange, agents: locked.agents },
      });
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
    `no skill is installed as ${quoteText(name)}: ${quoteText(path)} does not name it; "skillwire ls" lists what is`,
    { data: { name, lockFile: path } },
  );
}
