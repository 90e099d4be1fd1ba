/** The configuration key `agents`: agents that the table does not know, or that have their folders elsewhere on this machine. */
import { z } from 'zod';
import type { Agent } from '../agents/agent.ts';

const idRule = 'an agent\'s id is lower-case letters and digits with "-" between, for example "our-agent"';
const projectRule =
  'a folder of a project is relative to it, with "/", without ".." and ".git" and not empty, for example ".ours/skills"';
const globalRule =
  'a folder of the user begins with "~/" or is absolute, without ".." and ".git", for example "~/.ours/skills"';

const steps = (path: string): readonly string[] => path.split(/[\\/]/);
const inside = (path: string): boolean => !steps(path).includes('..') && !path.includes('\0') && path.trim() !== '';
/** What lies there is run by Git, and nobody reviews it. */
const inGit = (path: string): boolean => steps(path).some((step) => /^\.git$/i.test(step));
const absolute = (path: string): boolean => /^(?:~\/|\/|[A-Za-z]:[\\/])./.test(path);

const agent = z
  .strictObject(
    {
      id: z
        .string({ error: idRule })
        .max(64, { error: idRule })
        .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, { error: idRule })
        .meta({ description: 'How it is named in --agent and agent:ID. That of a known agent replaces it.' }),
      name: z
        .string({ error: '"name" is a text' })
        .min(1, { error: '"name" is not empty' })
        .optional()
        .meta({ description: 'How it is shown.' }),
      project: z
        .string({ error: projectRule })
        .refine((path) => inside(path) && !inGit(path) && !absolute(path) && !/^[~\\/]/.test(path), {
          error: projectRule,
        })
        .optional()
        .meta({ description: 'Its folder for skills in a project.', examples: ['.ours/skills'] }),
      global: z
        .string({ error: globalRule })
        .refine((path) => inside(path) && !inGit(path) && absolute(path), { error: globalRule })
        .optional()
        .meta({ description: 'Its folder for skills of the user.', examples: ['~/.ours/skills'] }),
      readsShared: z
        .strictObject(
          {
            project: z.boolean({ error: '"project" is true or false' }),
            global: z.boolean({ error: '"global" is true or false' }),
          },
          { error: '"readsShared" is an object with "project" and "global"' },
        )
        .optional()
        .meta({
          description: 'Whether it reads .agents/skills and ~/.agents/skills by itself; nothing is linked for it then.',
        }),
      detect: z
        .array(
          z.string({ error: 'a path is a text' }).refine(inside, { error: 'a path is not empty and has no ".."' }),
          { error: '"detect" is a list of paths' },
        )
        .optional()
        .meta({ description: 'Paths of which any one tells that it is installed.', examples: [['~/.ours']] }),
    },
    { error: 'an agent is an object with "id" and its folders' },
  )
  .refine(({ project, global }) => project !== undefined || global !== undefined, {
    error: 'an agent has a folder: "project", "global" or both',
  })
  .meta({ description: 'Where an agent looks for skills.' });

export const agentsSchema = z
  .array(agent, { error: '"agents" is a list' })
  .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, { error: 'each "id" appears once' })
  .optional()
  .meta({ description: 'Agents besides those that are known, or in place of them.' });

export function configuredAgents(rows: z.output<typeof agentsSchema>): readonly Agent[] | undefined {
  return rows?.map(({ id, name = id, project, global, readsShared, detect = [] }) => ({
    id,
    name,
    projectFolder: project,
    globalFolder: global,
    readsShared: readsShared ?? { project: project === '.agents/skills', global: global === '~/.agents/skills' },
    detect,
  }));
}
