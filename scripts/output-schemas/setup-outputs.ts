/** Output of commands that set up hosts and this machine, with `--json`. */
import { z } from 'zod';
import { type ClientId, clientIds } from '../../src/agents/client-config.ts';
import { installedFolder } from './installing-outputs.ts';
import { count, findingCounts, one, texts } from './parts.ts';

const host = z.enum(clientIds as [ClientId, ...ClientId[]]);

const connect = z.union([
  z.strictObject({
    version: one,
    host,
    title: z.string(),
    scope: z.enum(['project', 'user']),
    file: z.string().meta({ description: 'The file name for people.' }),
    language: z.enum(['json', 'toml', 'yaml']),
    name: z.string(),
    entry: z.record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean(), texts, z.record(z.string(), z.string())]),
    ),
    text: z.string().meta({ description: 'The whole file, if it does not exist yet.' }),
    variables: texts,
    notes: texts,
    command: z.string().optional(),
    link: z.string().optional(),
    change: z.enum(['none', 'unchanged', 'added', 'replaced', 'would-be-added', 'would-be-replaced']),
    path: z.string().optional().meta({ description: 'The file that was read or changed, with --write.' }),
    backup: z.string().optional().meta({ description: 'The copy of the old file.' }),
  }),
  z
    .strictObject({
      version: one,
      hosts: z.array(z.strictObject({ id: host, title: z.string(), found: z.boolean(), files: texts })),
    })
    .meta({ description: 'Without HOST.' }),
]);

const doctor = z.strictObject({
  version: one,
  node: z.string(),
  platform: z.string(),
  folders: z.strictObject({ state: z.string(), cache: z.string(), configuration: z.string().optional() }),
  agents: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      reads: z.array(z.strictObject({ path: z.string(), exists: z.boolean(), skills: count })),
    }),
  ),
  installed: z.array(
    z.strictObject({
      scope: z.enum(['project', 'global']),
      lockFile: z.string(),
      unfinished: z.boolean(),
      leftovers: texts,
      skills: z.array(
        z.strictObject({
          name: z.string(),
          state: z.enum(['ok', 'missing', 'edited', 'broken']),
          folders: z.array(installedFolder),
        }),
      ),
    }),
  ),
  origins: z
    .array(z.strictObject({ origin: z.string(), state: z.string(), skills: count }))
    .optional()
    .meta({ description: 'Absent if no origin was contacted.' }),
  cached: count,
  findings: z.array(
    z.strictObject({
      level: z.enum(['problem', 'warning', 'note']),
      check: z.string(),
      message: z.string(),
      remedy: z.string(),
      path: z.string().optional(),
      fixable: z.boolean(),
      fixed: z.string().optional(),
    }),
  ),
  counts: z.strictObject({ ...findingCounts.shape, fixed: count }),
});

export const setupOutputs = {
  connect,
  doctor,
  'agent-help': z.strictObject({ version: one, guide: z.string() }),
  init: z.strictObject({
    version: one,
    file: z.string(),
    configuration: z.record(z.string(), z.unknown()),
    created: texts.meta({ description: 'Folders that were missing.' }),
  }),
  new: z.strictObject({ version: one, name: z.string(), folder: z.string(), files: texts }),
  completion: z.strictObject({
    version: one,
    shell: z.enum(['bash', 'zsh', 'fish', 'powershell']),
    script: z.string(),
  }),
} as const;
