/**
 * The folders of each agent. Pure: nothing here reads the disk. `extra` are the rows of a configuration; a row with the id of a known agent
 * replaces it.
 */
import { type Agent, agentRows } from './agent-rows.ts';

export type { Agent } from './agent-rows.ts';

/** The base of the table's paths. Folders are absolute. */
export interface AgentBase {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type AgentScope = 'project' | 'global';

export const agents: readonly Agent[] = agentRows;

/** Contains the one real copy of an installed skill. */
export const sharedFolder: { readonly project: '.agents/skills'; readonly global: '~/.agents/skills' } = {
  project: '.agents/skills',
  global: '~/.agents/skills',
};

/** The table with the rows of a configuration: rows with a known id replace it, others come last. */
export function knownAgents(extra: readonly Agent[] = []): readonly Agent[] {
  if (extra.length === 0) return agents;
  const own = new Map(extra.map((agent) => [agent.id, agent]));
  const known = agents.map((agent) => own.get(agent.id) ?? agent);
  return [...known, ...[...own.values()].filter(({ id }) => !agents.some((agent) => agent.id === id))];
}

export function agentById(id: string, extra: readonly Agent[] = []): Agent | undefined {
  return extra.find((agent) => agent.id === id) ?? agents.find((agent) => agent.id === id);
}

/** The full path of the agent's own folder in that scope; `undefined` if it has none. */
export function agentFolder(agent: Agent, scope: AgentScope, place: AgentBase): string | undefined {
  const folder = scope === 'project' ? agent.projectFolder : agent.globalFolder;
  return folder === undefined ? undefined : agentPath(agent, folder, place);
}

/** Every folder that the agent searches for skills, nearest first, each once. */
export function agentReads(agent: Agent, place: AgentBase): readonly string[] {
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

/** Full paths; if one of them exists, the agent is installed. */
export function agentTraces(agent: Agent, place: AgentBase): readonly string[] {
  return agent.detect.map((path) => agentPath(agent, path, place));
}

/** The full path of a path of the table, moved by the agent's own variable or, for `~/.config`, by `XDG_CONFIG_HOME`. */
function agentPath({ home: moved }: Agent, path: string, { home, project, env }: AgentBase): string {
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

export interface SkillFoldersBase {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Every folder that any agent reads, of the user and of each project upwards, whether or not it exists. */
export function skillFolders({ home, cwd, env }: SkillFoldersBase): readonly string[] {
  const folders = new Set<string>();
  for (const project of upwards(cwd))
    for (const agent of agents) for (const folder of agentReads(agent, { home, project, env })) folders.add(folder);
  // A variable may be set for one program and not for another, so the default folder counts too.
  for (const agent of agents)
    for (const folder of agentReads(agent, { home, project: cwd, env: {} })) folders.add(folder);
  return [...folders];
}

function* upwards(folder: string): Iterable<string> {
  for (let current = folder.replace(/[\\/]+$/, ''); current !== ''; current = current.replace(/[\\/]*[^\\/]*$/, ''))
    yield current;
}
