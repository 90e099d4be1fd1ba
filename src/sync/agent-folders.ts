/**
 * The folders that a skill must be in so that the chosen agents see it. Always the shared one, plus the folder of each agent that does not
 * read the shared one. If an agent's folder links to the shared one, it counts as the shared one.
 */
import { dirname, join, relative, resolve, sep } from 'node:path';
import { agentById, agentFolder } from '../agents/agent-table.ts';
import { SkillwireError } from '../errors.ts';
import { unknownAgent } from '../origins/unknown-agent.ts';
import { quoteText } from '../skill/display-text.ts';
import { isAbsent } from '../store/embedded/file-system.ts';
import { agentPlaceOf, type InstallPlace, sharedSkills } from './install-place.ts';
import type { SyncDisk } from './sync-disk.ts';

export interface AgentSkills {
  /** The folder of all its skills, with links resolved. */
  readonly folder: string;
  readonly agents: readonly string[];
  /** Its agent rewrites files, so it never gets a link. */
  readonly copyOnly: boolean;
}

/** The shared folder, with links resolved. @throws SkillwireError WRITE_FAILED if it leads out of the project */
export async function sharedFolderOf(disk: SyncDisk, place: InstallPlace): Promise<string> {
  const folder = sharedSkills(place);
  const real = await realOf(disk, folder);
  await refuseOutside(disk, place, folder, real);
  return real;
}

/** The folders of these agents besides the shared one, each once. @throws SkillwireError USAGE for an unknown agent */
export async function foldersOfAgents(
  disk: SyncDisk,
  place: InstallPlace,
  ids: readonly string[],
): Promise<readonly AgentSkills[]> {
  const found = new Map<string, { folder: string; agents: string[]; copyOnly: boolean }>();
  const shared = await realOf(disk, sharedSkills(place));
  for (const id of ids) {
    const agent = agentById(id, place.agents);
    if (agent === undefined) throw unknownAgent(id, place.agents);
    if (agent.readsShared[place.scope]) continue;
    const configured = agentFolder(agent, place.scope, agentPlaceOf(place));
    if (configured === undefined)
      throw new SkillwireError(
        'USAGE',
        `The agent "${id}" has no ${place.scope === 'project' ? 'project' : 'user'} folder for skills. Omit it, or use the other scope.`,
        { data: { agent: id, scope: place.scope } },
      );
    const folder = resolve(configured);
    const real = await realOf(disk, folder);
    if (real === shared) continue;
    await refuseOutside(disk, place, folder, real);
    const known = found.get(real) ?? { folder: real, agents: [], copyOnly: false };
    known.agents.push(id);
    found.set(real, { ...known, copyOnly: known.copyOnly || agent.copyOnly === true });
  }
  return [...found.values()];
}

/** A foreign project must not redirect writes to other places. */
async function refuseOutside(disk: SyncDisk, place: InstallPlace, folder: string, real: string): Promise<void> {
  if (place.scope === 'global') return;
  const root = await realOf(disk, place.root);
  const way = relative(root, real);
  if (way !== '..' && !way.startsWith(`..${sep}`) && resolve(way) !== way) return;
  throw new SkillwireError(
    'WRITE_FAILED',
    `Cannot install into ${quoteText(folder)}: a link leads out of the project to ${quoteText(real)}. Remove it, or install with --global.`,
    { data: { folder, leadsTo: real } },
  );
}

/** The path with links resolved, as far as it exists. */
async function realOf(disk: SyncDisk, path: string): Promise<string> {
  try {
    return await disk.realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (!isAbsent(error) || parent === path) throw error;
    return join(await realOf(disk, parent), path.slice(parent.length).replace(/^[\\/]+/, ''));
  }
}
