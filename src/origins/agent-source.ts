/** `agent:ID` as an origin: the folders of this machine in which an agent looks for skills. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Agent } from '../agents/agent-rows.ts';
import { type AgentBase, agentById, agentReads } from '../agents/agent-table.ts';
import { SkillwireError } from '../errors.ts';
import { directorySource } from '../sources/directory/directory-source.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { Environment } from './credentials.ts';
import type { OpenOriginOptions } from './origin-kind.ts';
import { findProject } from './project-folders.ts';
import { unknownAgent } from './unknown-agent.ts';

export interface AgentSourceOptions extends Pick<OpenOriginOptions, 'cwd' | 'agents' | 'watch' | 'cache'> {
  readonly env?: Environment;
}

export function agentSource(id: string, options: AgentSourceOptions): SkillSource {
  const { cwd = process.cwd(), env = process.env, agents, watch = false, cache } = options;
  const machine = { home: homedir(), project: findProject(cwd, homedir()), env };
  const roots = existingFolders(id, machine, agents).map((path) => ({ path }));
  return directorySource(roots, { watch, cache });
}

/** Nearest first. @throws SkillwireError USAGE for an unknown agent, ORIGIN_NOT_FOUND if none of its folders exists */
function existingFolders(id: string, machine: AgentBase, extra: readonly Agent[] = []): readonly string[] {
  const agent = agentById(id, extra);
  if (agent === undefined) throw unknownAgent(id, extra);
  const folders = agentReads(agent, machine);
  const found = folders.filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true);
  if (found.length > 0) return found;
  throw new SkillwireError(
    'ORIGIN_NOT_FOUND',
    `"agent:${id}" has no skills folder here. ${agent.name} looks in ${folders.map((path) => `"${path}"`).join(', ')}.`,
    { data: { agent: id, folders } },
  );
}
