/** `agent:ID` as an origin: the skills that an agent has already, for every other one. */
import { homedir } from 'node:os';
import type { Agent } from '../agents/agent-rows.ts';
import { directorySource } from '../sources/directory/directory-source.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { agentFoldersThatExist } from './agent-folders.ts';
import { findProject } from './project-folders.ts';

export interface AgentSourceOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Agents besides those of the table. */
  readonly agents?: readonly Agent[];
  readonly watch?: boolean;
  readonly cache?: boolean | string;
}

export function agentSource(id: string, options: AgentSourceOptions): SkillSource {
  const { cwd = process.cwd(), env = process.env, agents, watch = false, cache } = options;
  const place = { home: homedir(), project: findProject(cwd, homedir()), env };
  const roots = agentFoldersThatExist(id, place, agents).map((path) => ({ path }));
  return directorySource(roots, { watch, cache });
}
