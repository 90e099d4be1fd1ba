/**
 * Plans the disk changes that install or remove one skill. It decides nothing for the user: edited files are kept, overwritten or saved only
 * as requested. Foreign folders are never removed: they block the plan, or are moved aside if requested.
 */
import { join } from 'node:path';
import { oneOf } from '../skill/checked-options.ts';
import { type AgentSkills, foldersOfAgents, sharedFolderOf } from './agent-folders.ts';
import { type ExpectedFolder, type FileDrift, type FolderState, folderState } from './drift.ts';
import type { LockedSkill } from './install-lock.ts';
import { type InstallPlace, savedSkills } from './install-place.ts';
import { type InstalledRecord, readRecord } from './installed-record.ts';
import type { SyncDisk } from './sync-disk.ts';
import type { Change, Content, StagedFile } from './transaction.ts';

/** The treatment of locally edited files. `refuse`: the run stops and reports them. */
export type Edits = 'refuse' | 'keep' | 'overwrite' | 'save';

export const editsCheck = oneOf<Edits>('refuse', 'keep', 'overwrite', 'save');

export interface WantedSkill {
  readonly name: string;
  readonly locked: LockedSkill;
  readonly files: readonly StagedFile[];
}

export interface EditedFolder {
  readonly folder: string;
  readonly files: readonly FileDrift[];
}

export interface PlannedSkill {
  readonly name: string;
  readonly changes: readonly Change[];
  /** Folders with local edits. */
  readonly edited: readonly EditedFolder[];
  /** Paths of foreign folders in the way. */
  readonly foreign: readonly string[];
  /** Paths of the copies that were moved aside. */
  readonly saved: readonly string[];
}

export interface PlanOptions {
  readonly edits: Edits;
  /** Move foreign folders aside. */
  readonly replace: boolean;
  /** Part of the names of copies that are moved aside. */
  readonly stamp: string;
}

/** A current or future folder of a skill. */
export interface Spot {
  readonly path: string;
  /** Absent for the shared folder. */
  readonly own?: AgentSkills;
  /** Versions that this machine installed there earlier. */
  readonly earlier: () => Promise<readonly ExpectedFolder[]>;
}

export async function planPut(
  disk: SyncDisk,
  place: InstallPlace,
  before: LockedSkill | undefined,
  wanted: WantedSkill,
  options: PlanOptions,
  spotsOf: SpotFinder = spotFinder(disk, place),
): Promise<PlannedSkill> {
  const { name, locked } = wanted;
  const spots = await spotsOf(name, locked.agents);
  const known = new Map((await spotsOf(name, before?.agents ?? [])).map((spot) => [spot.path, spot]));
  const plan = emptyPlan(name, place, options);
  const real = spots[0]?.path ?? '';
  for (const { path, own, earlier } of spots) {
    const state = await folderState(disk, path, {
      before: known.has(path) ? before : undefined,
      wanted: locked,
      earlier,
      platform: place.platform,
      real: own === undefined ? undefined : real,
    });
    const links = own !== undefined && locked.mode === 'link' && !own.copyOnly;
    if (isDone(state, own, links, before)) continue;
    const put: Content = links
      ? { kind: 'link', to: real, files: wanted.files }
      : { kind: 'folder', files: wanted.files };
    plan.change(path, state, put);
  }
  for (const { path, earlier } of known.values()) {
    if (spots.some((spot) => spot.path === path)) continue;
    const state = await folderState(disk, path, { before, real, earlier, platform: place.platform });
    if (state.kind !== 'absent' && state.kind !== 'foreign') plan.change(path, state);
  }
  return plan.result();
}

/** @param agents whose folders are cleared; the shared one is cleared only if no agent of the skill is left */
export async function planRemove(
  disk: SyncDisk,
  place: InstallPlace,
  name: string,
  before: LockedSkill,
  agents: readonly string[] | 'all',
  options: PlanOptions,
  spotsOf: SpotFinder = spotFinder(disk, place),
): Promise<PlannedSkill> {
  const spots = await spotsOf(name, before.agents);
  const real = spots[0]?.path ?? '';
  const left = agents === 'all' ? [] : before.agents.filter((id) => !agents.includes(id));
  const stays = new Set(agents === 'all' ? [] : (await spotsOf(name, left)).map(({ path }) => path));
  const plan = emptyPlan(name, place, options);
  for (const { path, own, earlier } of spots) {
    if (stays.has(path)) continue;
    const state = await folderState(disk, path, {
      before,
      earlier,
      platform: place.platform,
      real: own === undefined ? undefined : real,
    });
    if (state.kind !== 'absent' && state.kind !== 'foreign') plan.change(path, state);
  }
  return plan.result();
}

/** Gives the shared folder first, then those of agents that do not read it. */
export type SpotFinder = (name: string, agents: readonly string[]) => Promise<readonly Spot[]>;

/** For one run: links are resolved once. */
export function spotFinder(disk: SyncDisk, place: InstallPlace): SpotFinder {
  let shared: string | undefined;
  const folders = new Map<string, readonly AgentSkills[]>();
  let record: Promise<InstalledRecord> | undefined;
  const earlierOf = async (name: string): Promise<readonly ExpectedFolder[]> => {
    record ??= readRecord(disk, place);
    return (await record).get(name) ?? [];
  };
  return async (name, agents) => {
    const earlier = (): Promise<readonly ExpectedFolder[]> => earlierOf(name);
    const key = agents.join(' ');
    const others = folders.get(key) ?? (await foldersOfAgents(disk, place, agents));
    folders.set(key, others);
    shared ??= await sharedFolderOf(disk, place);
    const rest = others.map((own) => ({ path: join(own.folder, name), own, earlier }));
    return [{ path: join(shared, name), earlier }, ...rest];
  };
}

/** A copy with the right bytes is fine instead of a link: some systems have no links. */
function isDone(
  { kind }: FolderState,
  own: AgentSkills | undefined,
  links: boolean,
  before: LockedSkill | undefined,
): boolean {
  if (own === undefined || !links) return kind === 'wanted';
  return kind === 'link' || (kind === 'wanted' && before?.mode !== 'copy');
}

function emptyPlan(name: string, place: InstallPlace, { edits, replace, stamp }: PlanOptions) {
  const changes: Change[] = [];
  const edited: EditedFolder[] = [];
  const foreign: string[] = [];
  const saved: string[] = [];
  const saveTo = (): string => {
    const path = join(savedSkills(place), `${name}-${stamp}${saved.length === 0 ? '' : `-${saved.length + 1}`}`);
    saved.push(path);
    return path;
  };
  return {
    change(path: string, state: FolderState, put?: Content): void {
      const content = put === undefined ? {} : { put };
      if (state.kind === 'edited') {
        edited.push({ folder: path, files: state.drift });
        if (edits === 'overwrite') changes.push({ target: path, replaces: true, ...content });
        else if (edits === 'save') changes.push({ target: path, replaces: true, saveTo: saveTo(), ...content });
        return;
      }
      if (state.kind === 'foreign') {
        foreign.push(path);
        if (replace) changes.push({ target: path, replaces: true, saveTo: saveTo(), ...content });
        return;
      }
      changes.push({ target: path, replaces: state.kind !== 'absent', ...content });
    },
    // If edits are kept, the whole skill stays: otherwise it would be a mix of two versions.
    result: (): PlannedSkill => ({
      name,
      changes: edited.length > 0 && (edits === 'keep' || edits === 'refuse') ? [] : changes,
      edited,
      foreign,
      saved,
    }),
  };
}
