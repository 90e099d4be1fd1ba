/** Output of commands that install skills, with `--json`. */
import { z } from 'zod';
import { count, digest, one, textDiff, texts, time } from './parts.ts';
import { errorCode } from './reading-outputs.ts';

const driftedFile = { path: z.string(), kind: z.enum(['modified', 'missing', 'added', 'executable', 'link']) };
const drift = z.array(z.strictObject(driftedFile));
const folderState = z.enum(['ok', 'copy', 'missing', 'outdated', 'edited', 'foreign', 'broken-link']);
const skillState = z.enum(['ok', 'missing', 'outdated', 'edited', 'broken']);

export const installedFolder = z.strictObject({
  path: z.string(),
  agents: texts,
  state: folderState,
  drift,
});

const place = {
  scope: z.enum(['project', 'global']),
  root: z.string(),
  lockFile: z.string(),
};

function outcome<Command extends string, Action extends string>(
  command: Command,
  actions: readonly [Action, ...Action[]],
) {
  return z.strictObject({
    version: one,
    command: z.literal(command),
    ...place,
    dryRun: z.boolean(),
    skills: z.array(
      z.strictObject({
        name: z.string(),
        action: z.enum(actions),
        origin: z.string(),
        uri: z.string(),
        setDigest: digest,
        agents: texts,
        edited: z.array(z.strictObject({ folder: z.string(), files: drift })),
        saved: texts,
        available: digest.optional(),
      }),
    ),
    failed: z.array(z.strictObject({ name: z.string(), origin: z.string(), code: errorCode, message: z.string() })),
  });
}

const installed = ['added', 'updated', 'repaired', 'unchanged', 'kept'] as const;

const updateCheck = z
  .strictObject({
    version: one,
    command: z.literal('update'),
    check: z.literal(true),
    ...place,
    skills: z.array(
      z.strictObject({
        name: z.string(),
        state: z.string(),
        origin: z.string(),
        uri: z.string(),
        installed: digest,
        available: digest.nullable(),
        changed: texts,
        added: texts,
        removed: texts,
        error: z.strictObject({ code: errorCode, message: z.string() }).optional(),
      }),
    ),
  })
  .meta({ description: 'With --check.' });

const lockedFile = z.strictObject({ digest, size: count, executable: z.literal(true).optional() });

const ls = z.strictObject({
  version: one,
  ...place,
  unfinished: z.boolean(),
  leftovers: texts,
  skills: z.array(
    z.strictObject({
      name: z.string(),
      state: skillState,
      origin: z.string(),
      label: z.string().optional(),
      uri: z.string(),
      revision: z.string().optional(),
      setDigest: digest,
      content: digest.optional().meta({ description: 'Digest of paths and files without the signature.' }),
      signer: z.record(z.string(), z.unknown()).optional().meta({ description: 'The pinned signer.' }),
      files: z.record(z.string(), lockedFile),
      agents: texts,
      mode: z.enum(['link', 'copy']),
      scripts: z.boolean(),
      approval: z.strictObject({ by: z.string(), at: time, reason: z.string().optional() }),
      folders: z.array(installedFolder),
    }),
  ),
});

export const installedDiff = z
  .strictObject({
    version: one,
    installed: z.literal(true),
    ...place,
    changed: z.boolean(),
    skills: z.array(
      z.strictObject({
        name: z.string(),
        state: skillState,
        folders: z.array(
          z.strictObject({
            path: z.string(),
            state: folderState,
            files: z.array(
              z.strictObject({ ...driftedFile, diff: textDiff.optional(), noDiff: z.string().optional() }),
            ),
          }),
        ),
      }),
    ),
  })
  .meta({ description: 'With --installed.' });

export const installingOutputs = {
  add: outcome('add', installed),
  install: outcome('install', ['restored', 'updated', 'repaired', 'unchanged', 'kept']),
  update: z.union([outcome('update', installed), updateCheck]),
  remove: outcome('remove', ['removed', 'unchanged', 'kept']),
  ls,
} as const;
