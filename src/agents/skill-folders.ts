/** Where any known agent looks for skills: folders of the user, and below a project and each folder above it. */
import { agentReads, agents } from './agent-table.ts';

export interface SkillFoldersPlace {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Every folder that some agent would look into, whether or not it exists. */
export function skillFolders({ home, cwd, env }: SkillFoldersPlace): readonly string[] {
  const folders = new Set<string>();
  for (const project of upwards(cwd))
    for (const agent of agents) for (const folder of agentReads(agent, { home, project, env })) folders.add(folder);
  // A variable may move a folder for one program and not for another, so the usual place counts too.
  for (const agent of agents)
    for (const folder of agentReads(agent, { home, project: cwd, env: {} })) folders.add(folder);
  return [...folders];
}

function* upwards(folder: string): Iterable<string> {
  for (let current = folder.replace(/[\\/]+$/, ''); current !== ''; current = current.replace(/[\\/]*[^\\/]*$/, ''))
    yield current;
}
