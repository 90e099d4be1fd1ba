/** Output of commands that serve, check and publish skills, with `--json`. */
import { z } from 'zod';
import { count, digest, finding, findingCounts, notPublished, one, origin, resource, texts, time } from './parts.ts';

const serve = z
  .strictObject({
    event: z.literal('listening'),
    url: z.url(),
    mcp: z.url(),
    mdp: z.url().optional(),
    skills: count,
    waiting: count.optional().meta({ description: 'Skills that wait for approval; absent without a policy.' }),
    problems: count,
  })
  .meta({ description: 'One line of output, as soon as requests are answered. Nothing is printed with --stdio.' });

const packedFile = { path: z.string(), size: count, digest, executable: z.boolean() };

const validate = z.strictObject({
  version: one,
  skills: z.array(
    z.strictObject({
      uri: z.string(),
      name: z.string(),
      folder: z.string(),
      inAgentFolder: z.literal(true).optional(),
      files: z.array(z.strictObject({ uri: z.string(), file: z.string(), ...packedFile })).optional(),
      notPublished: notPublished.optional(),
    }),
  ),
  findings: z.array(finding),
  counts: z.strictObject({ skills: count, files: count, inAgentFolders: count, ...findingCounts.shape }),
  fix: z
    .strictObject({
      dryRun: z.boolean(),
      fixed: z.array(z.strictObject({ file: z.string(), renamedTo: z.string().optional(), changes: texts })),
      left: z.array(z.strictObject({ file: z.string(), reason: z.string() })),
    })
    .optional()
    .meta({ description: 'With --fix: the changes, and the files that could not be changed.' }),
});

const pack = z.strictObject({
  version: one,
  name: z.string(),
  file: z.string(),
  format: z.enum(['tar.gz', 'zip']),
  size: count,
  digest,
  files: z.array(z.strictObject(packedFile)),
  notPublished,
  findings: z.array(finding),
});

const keygen = z.strictObject({
  version: one,
  file: z.string(),
  publicKey: z.string(),
  key: digest,
  encrypted: z.boolean(),
});

const sign = z.strictObject({
  version: one,
  key: digest.optional().meta({ description: 'The key; absent with --keyless.' }),
  issuer: z.string().optional().meta({ description: 'With --keyless: who vouches for the identity.' }),
  identity: z.string().optional().meta({ description: 'With --keyless.' }),
  skills: z.array(z.strictObject({ name: z.string(), file: z.string(), state: z.enum(['signed', 'unchanged']) })),
});

const unpublished = z
  .array(
    z.strictObject({
      origin,
      uri: z.string(),
      name: z.string(),
      state: z.enum(['waiting', 'denied', 'disabled']),
      reason: z.string(),
    }),
  )
  .meta({ description: 'Skills that the policy or a person keeps from being published.' });

const build = z.union([
  z.strictObject({
    version: one,
    out: z.string(),
    skills: texts,
    added: texts,
    changed: texts,
    removed: texts,
    written: count,
    leftover: count,
    deleted: count,
    foreignPage: z.boolean(),
    findings: z.array(finding),
    counts: findingCounts,
    notPublished: unpublished,
  }),
  z
    .strictObject({
      version: one,
      out: z.string(),
      skills: count,
      upToDate: z.boolean(),
      stale: texts,
      findings: z.array(finding),
      notPublished: unpublished,
    })
    .meta({ description: 'With --check.' }),
]);

const runtimes = z.strictObject({
  version: one,
  runtimes: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      paths: count,
      hidden: count.optional().meta({ description: 'Skills that the policy of the hub keeps from readers.' }),
      connectedAt: z.string().optional(),
      lastSeenAt: z.string().optional(),
      lastCallAt: z.string().optional(),
      transport: z.string().optional(),
    }),
  ),
});

const expose = z
  .strictObject({ event: z.literal('connected'), to: z.string(), id: z.string() })
  .meta({ description: 'One line of output, as soon as the hub has the skills.' });

const pinnedSkill = z.strictObject({
  label: z.string(),
  origin: z.string(),
  uri: z.string(),
  name: z.string(),
  state: z.enum(['pinned', 'drift', 'ended']),
  pinnedAt: time,
  missing: z.array(z.strictObject({ path: z.string(), reason: z.string() })).optional(),
  expiresAt: time.optional(),
  drift: z.strictObject({ seenAt: time, digest }).optional(),
  resources: z.array(resource),
});

const pin = z.union([
  z.strictObject({ version: one, pinned: pinnedSkill }),
  z
    .strictObject({ version: one, pinned: z.array(pinnedSkill) })
    .meta({ description: 'With several skills, and with --list.' }),
]);

const unpin = z.strictObject({
  version: one,
  unpinned: z.strictObject({ origin: z.string(), uri: z.string() }),
});

const upstream = z.strictObject({
  label: z.string(),
  kind: z.string(),
  state: z.string().meta({
    description: 'ok, stale, empty, pending, unauthorized, unreachable, no-extension or invalid.',
  }),
  since: z.string(),
  reason: z.string().optional(),
  code: z.string().optional(),
  skills: count,
  refused: count,
  listedAt: z.string().optional(),
  nextAt: z.string().optional(),
  dialect: z.string().optional(),
  breaker: z.string().meta({ description: 'closed, open or half-open.' }),
  calls: z.strictObject({ ok: count, failed: count, refused: count, ms: z.number().min(0) }),
  mismatches: count,
});

const status = z
  .strictObject({
    version: z.string().meta({ description: 'Version of the server.' }),
    replica: z.string().meta({ description: 'Name of the server.' }),
    since: z.string(),
    ready: z.boolean(),
    skills: count,
    listed: count,
    unserved: z.strictObject({ waiting: count, denied: count, disabled: count, absent: count }).optional().meta({
      description: 'Skills whose current version is not served; "absent": in no version. Absent without a policy.',
    }),
    findings: findingCounts,
    origins: z.array(upstream),
    configuration: z
      .strictObject({
        applied: count,
        refused: count,
        refusal: z
          .strictObject({ at: z.string(), reason: z.string().optional() })
          .optional()
          .meta({ description: 'Why the current file is not in force.' }),
      })
      .optional()
      .meta({ description: 'Reloads of the configuration.' }),
    replicas: z
      .strictObject({
        applied: count.meta({ description: 'The last entry that this server has applied.' }),
        lag: count.meta({ description: 'Known entries that this server has not applied.' }),
        serves: z.boolean().meta({ description: 'False: the database was away for too long, so requests get 503.' }),
        away: z.strictObject({ since: z.string(), reason: z.string() }).optional(),
        members: z
          .array(
            z.strictObject({
              id: z.string(),
              version: z.string(),
              applied: count,
              silentMs: z.number(),
              live: z.boolean(),
            }),
          )
          .optional()
          .meta({ description: 'The servers of the shared store. Absent while the database is away.' }),
      })
      .optional()
      .meta({ description: 'Absent without a shared store.' }),
  })
  .meta({ description: 'The answer of the server at /status.' });

const configCheck = z.strictObject({
  version: one,
  file: z.string(),
  trusted: z.boolean().meta({ description: 'False: a line in it waits for "skillwire trust".' }),
  origins: z.array(
    z.strictObject({
      label: z.string(),
      kind: z.enum(['folder', 'archive', 'site', 'mcp', 'stdio', 'mdp', 'mdp-stdio', 'git', 'agent']),
      place: z.string(),
      problems: texts.meta({ description: 'Reasons that keep it from being served.' }),
    }),
  ),
  rules: count.optional(),
  profiles: count.optional(),
  denials: count.optional(),
});

export const publishingOutputs = {
  serve,
  validate,
  pack,
  keygen,
  sign,
  build,
  runtimes,
  expose,
  pin,
  unpin,
  status,
  'config-check': configCheck,
} as const;
