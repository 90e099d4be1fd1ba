/** The configuration key `agents`: agents that the built-in table lacks, or whose folders are elsewhere on this machine. */
import { z } from 'zod';
import type { Agent } from '../agents/agent-rows.ts';

const idRule = 'an agent id must be lower-case letters and digits separated by "-", for example "our-agent"';
const projectRule =
  'a project folder must be a relative path with "/", without ".." or ".git", for example ".ours/skills"';
const globalRule =
  'a user folder must be absolute or start with "~/", without ".." or ".git", for example "~/.ours/skills"';

const steps = (path: string): readonly string[] => path.split(/[\\/]/);
const inside = (path: string): boolean => !steps(path).includes('..') && !path.includes('\0') && path.trim() !== '';
/** Git runs files in `.git`, and nobody reviews them. */
const inGit = (path: string): boolean => steps(path).some((step) => /^\.git$/i.test(step));
const absolute = (path: string): boolean => /^(?:~\/|\/|[A-Za-z]:[\\/])./.test(path);

const agent = z
  .strictObject(
    {
      id: z
        .string({ error: idRule })
        .max(64, { error: idRule })
        .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, { error: idRule })
        .meta({ description: 'Id for --agent and agent:ID. The id of a built-in agent replaces that agent.' }),
      name: z
        .string({ error: '"name" must be a string' })
        .min(1, { error: '"name" must not be empty' })
        .optional()
        .meta({ description: 'Display name.' }),
      project: z
        .string({ error: projectRule })
        .refine((path) => inside(path) && !inGit(path) && !absolute(path) && !/^[~\\/]/.test(path), {
          error: projectRule,
        })
        .optional()
        .meta({ description: 'Skills folder in a project.', examples: ['.ours/skills'] }),
      global: z
        .string({ error: globalRule })
        .refine((path) => inside(path) && !inGit(path) && absolute(path), { error: globalRule })
        .optional()
        .meta({ description: 'Skills folder of the user.', examples: ['~/.ours/skills'] }),
      readsShared: z
        .strictObject(
          {
            project: z.boolean({ error: '"project" must be true or false' }),
            global: z.boolean({ error: '"global" must be true or false' }),
          },
          { error: '"readsShared" must be an object with "project" and "global"' },
        )
        .optional()
        .meta({
          description: 'Whether the agent reads .agents/skills and ~/.agents/skills itself, so it needs no links.',
        }),
      detect: z
        .array(
          z
            .string({ error: 'a path must be a string' })
            .refine(inside, { error: 'a path must not be empty or contain ".."' }),
          { error: '"detect" must be a list of paths' },
        )
        .optional()
        .meta({ description: 'The agent is installed if one of these paths exists.', examples: [['~/.ours']] }),
    },
    { error: 'an agent must be an object with "id" and its folders' },
  )
  .refine(({ project, global }) => project !== undefined || global !== undefined, {
    error: 'an agent needs a folder: "project", "global" or both',
  })
  .meta({ description: 'The folders in which an agent looks for skills.' });

export const agentsSchema = z
  .array(agent, { error: '"agents" must be a list' })
  .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, { error: 'each "id" must be unique' })
  .optional()
  .meta({ description: 'Agents that extend or replace the built-in table.' });

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
