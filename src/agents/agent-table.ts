/**
 * Where each agent looks for skills and how one sees that it is installed. Data and pure functions: nothing here looks at a
 * disk. `extra` is what the configuration adds; a row with the id of a known agent replaces it.
 */
import type { Agent } from './agent.ts';
import { agentRows } from './agent-rows.ts';

export type { Agent } from './agent.ts';

/** Where paths of the table lead. Folders are absolute. */
export interface AgentPlace {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type AgentScope = 'project' | 'global';

export const agents: readonly Agent[] = agentRows;

/** The one real copy of an installed skill is here. */
export const sharedFolder: { readonly project: '.agents/skills'; readonly global: '~/.agents/skills' } = {
  project: '.agents/skills',
  global: '~/.agents/skills',
};

/** The table with the rows of a configuration: those with a known id in its place, others at the end. */
export function knownAgents(extra: readonly Agent[] = []): readonly Agent[] {
  if (extra.length === 0) return agents;
  const own = new Map(extra.map((agent) => [agent.id, agent]));
  const kept = agents.map((agent) => own.get(agent.id) ?? agent);
  return [...kept, ...[...own.values()].filter(({ id }) => !agents.some((agent) => agent.id === id))];
}

export function agentById(id: string, extra: readonly Agent[] = []): Agent | undefined {
  return extra.find((agent) => agent.id === id) ?? agents.find((agent) => agent.id === id);
}

/** The agent's own folder in that scope as a full path; undefined where it has none. */
export function agentFolder(agent: Agent, scope: AgentScope, place: AgentPlace): string | undefined {
  const folder = scope === 'project' ? agent.projectFolder : agent.globalFolder;
  return folder === undefined ? undefined : agentPath(agent, folder, place);
}

/** Every folder in which the agent looks for skills, nearest first, each once. */
export function agentReads(agent: Agent, place: AgentPlace): readonly string[] {
  const { readsShared, projectFolder, globalFolder, alsoReads = [] } = agent;
  const others = (ofUser: boolean): readonly string[] => alsoReads.filter((path) => /^[~/]/.test(path) === ofUser);
  const paths = [
    ...(projectFolder === undefined ? [] : [projectFolder]),
    ...(readsShared.project ? [sharedFolder.project] : []),
    ...others(false),
    ...(globalFolder === undefined ? [] : [globalFolder]),
    ...(readsShared.global ? [sharedFolder.global] : []),
    ...others(true),
  ];
  return [...new Set(paths.map((path) => agentPath(agent, path, place)))];
}

/** Full paths of which any one tells that the agent is installed. */
export function agentTraces(agent: Agent, place: AgentPlace): readonly string[] {
  return agent.detect.map((path) => agentPath(agent, path, place));
}

/** A path of the table as a full path: moved by the agent's own variable, or by that of the system for `~/.config`. */
function agentPath({ home: moved }: Agent, path: string, { home, project, env }: AgentPlace): string {
  if (moved !== undefined && within(path, moved.replaces)) {
    const folder = env[moved.variable]?.trim();
    if (folder) return `${folder}${path.slice(moved.replaces.length)}`;
  }
  const configuration = env.XDG_CONFIG_HOME?.trim();
  if (configuration && within(path, '~/.config')) return `${configuration}${path.slice('~/.config'.length)}`;
  if (path.startsWith('~/')) return `${home}${path.slice(1)}`;
  return /^(?:[/\\]|[A-Za-z]:[\\/])/.test(path) ? path : `${project}/${path}`;
}

function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
