/** The folders of this machine in which an agent looks for skills, so that they can be read like any other origin. */
import { statSync } from 'node:fs';
import type { Agent } from '../agents/agent-rows.ts';
import { type AgentPlace, agentById, agentReads } from '../agents/agent-table.ts';
import { SkillwireError } from '../errors.ts';

/** Nearest first. @throws SkillwireError USAGE for an unknown agent, ORIGIN_NOT_FOUND where none of its folders exists */
export function agentFoldersThatExist(id: string, place: AgentPlace, extra: readonly Agent[] = []): readonly string[] {
  const agent = agentById(id, extra);
  if (agent === undefined)
    throw new SkillwireError(
      'USAGE',
      `no agent is known as "${id}"; "skillwire doctor" lists those that are, the configuration can add more`,
      { data: { agent: id } },
    );
  const reads = agentReads(agent, place);
  const found = reads.filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true);
  if (found.length > 0) return found;
  throw new SkillwireError(
    'ORIGIN_NOT_FOUND',
    `"agent:${id}" has no folder of skills here; ${agent.name} looks into ${reads.map((path) => `"${path}"`).join(', ')}`,
    { data: { agent: id, folders: reads } },
  );
}
