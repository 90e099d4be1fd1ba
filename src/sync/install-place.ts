/**
 * Skills are installed in a project or for the user. The one real copy of a skill is in `.agents/skills`. The lock file
 * of a project is at its root, to be committed; the user's is in `~/.agents`. The journal of an interrupted run is in
 * the user's state, never in the project, where others could write it.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Agent } from '../agents/agent-rows.ts';
import type { AgentBase, AgentScope } from '../agents/agent-table.ts';
import { lockFileName } from '../origins/project-folders.ts';
import { withMembers } from '../skill/checked-options.ts';

/** Whether skills are installed for a project or for the user. */
export type InstallScope = AgentScope;

/** The place to install skills: project or home, its folders, its agents. */
export interface InstallPlace {
  readonly scope: InstallScope;
  /** The project, or the home of the user: absolute. */
  readonly root: string;
  readonly home: string;
  /** The project, even if the scope is the user. */
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `process.platform`; on `win32` links are junctions. */
  readonly platform: string;
  /** The folder of the user's state. */
  readonly stateFolder: string;
  /** Agents of the configuration, besides the built-in ones. */
  readonly agents?: readonly Agent[];
}

export const installPlaceCheck = withMembers<InstallPlace>('a place of installPlace()', 'scope', 'root', 'stateFolder');

export type PlaceFacts = Omit<InstallPlace, 'root'>;

/** Makes a place from facts about the machine. */
export function installPlace(facts: PlaceFacts): InstallPlace {
  return { ...facts, root: facts.scope === 'project' ? facts.project : facts.home };
}

export function lockPath({ scope, root }: InstallPlace): string {
  return scope === 'project' ? join(root, lockFileName) : join(root, '.agents', lockFileName);
}

/** The folder with the real copy of every skill. */
export function sharedSkills({ root }: InstallPlace): string {
  return join(root, '.agents', 'skills');
}

/** The folder for edited copies that were moved aside. */
export function savedSkills({ root }: InstallPlace): string {
  return join(root, '.agents', 'saved-skills');
}

/** Journal and lock of runs in this place, in a folder that only the user can write to. */
export function transactionFolder({ stateFolder, root }: InstallPlace): string {
  return join(stateFolder, 'sync', createHash('sha256').update(root).digest('hex').slice(0, 32));
}

export function agentPlaceOf({ home, project, env }: InstallPlace): AgentBase {
  return { home, project, env };
}
