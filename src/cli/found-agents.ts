/** Finds the agents and clients on this machine. `add`, `connect` and `doctor` all ask here, so they agree. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Agent, type AgentBase, agentTraces, knownAgents } from '../agents/agent-table.ts';
import { agentOfClient, type ClientId, clientFilePath, clientFiles, clientIds } from '../agents/client-config.ts';

/** An agent is found by its folders, or by the configuration file of its client. @param extra agents of the configuration */
export function foundAgents(place: AgentBase, platform: string, extra: readonly Agent[] = []): readonly Agent[] {
  const configured = new Set(
    clientIds.filter((id) => hasClientFile(id, place, platform)).map((id) => agentOfClient(id)),
  );
  return knownAgents(extra).filter((agent) => configured.has(agent.id) || hasTraces(agent, place));
}

export function isClientFound(id: ClientId, place: AgentBase, platform: string): boolean {
  if (hasClientFile(id, place, platform)) return true;
  const agent = knownAgents().find((one) => one.id === agentOfClient(id));
  return agent !== undefined && hasTraces(agent, place);
}

function hasTraces(agent: Agent, place: AgentBase): boolean {
  return agentTraces(agent, place).some((path) => existsSync(path));
}

/** The folder is enough, unless it is the user's home: clients create their folder first. */
function hasClientFile(id: ClientId, place: AgentBase, platform: string): boolean {
  return clientFiles(id, { scope: 'user', platform })
    .map((file) => clientFilePath(id, file, place))
    .some((path) => existsSync(path) || (dirname(path) !== place.home && existsSync(dirname(path))));
}
