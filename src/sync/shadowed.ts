/**
 * Skills of the same name in another folder that the chosen agents read. One of the two would be hidden, and which one depends on the
 * agent. Names are compared without case, as some file systems do. Identical copies do not count.
 */
import { join } from 'node:path';
import { agentById, agentReads } from '../agents/agent-table.ts';
import { foldName } from '../skill/file-path.ts';
import { isAbsent } from '../store/embedded/file-system.ts';
import { folderState } from './drift.ts';
import { type InstallLock, lockedAs } from './install-lock.ts';
import { agentPlaceOf, type InstallPlace } from './install-place.ts';
import type { Spot, SpotFinder, WantedSkill } from './plan-skill.ts';
import type { SyncDisk } from './sync-disk.ts';

/** Paths of other skills, by the name of the skill that would hide them or be hidden. */
export async function shadowedBy(
  disk: SyncDisk,
  place: InstallPlace,
  lock: InstallLock,
  wanted: readonly WantedSkill[],
  spotsOf: SpotFinder,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const listed = new Map<string, ReadonlyMap<string, readonly string[]>>();
  const found = new Map<string, readonly string[]>();
  for (const skill of wanted) {
    const hits = await hitsOf(disk, place, lock, skill, listed, await spotsOf(skill.name, skill.locked.agents));
    if (hits.length > 0) found.set(skill.name, hits);
  }
  return found;
}

async function hitsOf(
  disk: SyncDisk,
  place: InstallPlace,
  lock: InstallLock,
  { name, locked }: WantedSkill,
  listed: Map<string, ReadonlyMap<string, readonly string[]>>,
  spots: readonly Spot[],
): Promise<readonly string[]> {
  const own = new Set(spots.map(({ path }) => path));
  const real = spots[0]?.path ?? '';
  const folders = new Set(spots.map(({ path }) => path.slice(0, -name.length - 1)));
  for (const id of locked.agents) {
    const agent = agentById(id, place.agents);
    for (const folder of agent === undefined ? [] : agentReads(agent, agentPlaceOf(place))) folders.add(folder);
  }
  const hits = new Set<string>();
  for (const folder of folders) {
    const names = listed.get(folder) ?? (await namesIn(disk, folder));
    listed.set(folder, names);
    for (const other of names.get(foldName(name)) ?? []) {
      const path = join(folder, other);
      if (own.has(path)) continue;
      const before = lockedAs(lock, other);
      // A folder that this run replaces, or that links to the new copy, hides nothing.
      const state = await folderState(disk, path, { before, wanted: locked, real, platform: place.platform });
      if (
        state.kind !== 'wanted' &&
        state.kind !== 'link' &&
        !((state.kind === 'ours' || state.kind === 'outdated') && other === name)
      )
        hits.add(path);
    }
  }
  return [...hits];
}

/** By folded name. */
async function namesIn(disk: SyncDisk, folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = new Map<string, readonly string[]>();
  try {
    for (const { name, kind } of await disk.list(folder)) {
      if (kind === 'file' || name.startsWith('.')) continue;
      names.set(foldName(name), [...(names.get(foldName(name)) ?? []), name]);
    }
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  return names;
}
