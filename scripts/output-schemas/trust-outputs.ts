/** Output of commands that decide about skills or manage the state, with `--json`. */
import { z } from 'zod';
import { reviveFlags } from '../../src/store/state-kinds.ts';
import { type ActKind, actWords } from '../../src/trust/acts.ts';
import {
  approval,
  count,
  digest,
  one,
  origin,
  requests,
  shownSignature,
  signature,
  skillChange,
  texts,
  time,
} from './parts.ts';
import { errorCode } from './reading-outputs.ts';

const offered = z.strictObject({
  origin,
  uri: z.string(),
  name: z.string(),
  setDigest: digest,
  why: z.enum(['first', 'changed', 'grants']),
  requests,
  change: skillChange.optional(),
  signature: signature.optional(),
  signerChange: z.string().optional().meta({ description: 'How the signer differs from the approved one.' }),
});

const planned = digest.meta({ description: 'Stands for all versions of the plan; for "approve --all --yes".' });
const copied = z.string().meta({ description: 'A whole command line, quoted for a shell.' });
const failed = z
  .array(z.strictObject({ origin, uri: z.string(), name: z.string(), code: errorCode, message: z.string() }))
  .meta({ description: 'Skills that cannot be approved now, and why.' });

const confirmed = {
  confirmation: z
    .strictObject({
      done: z.boolean().meta({ description: 'true: every server that may be serving has applied the decision.' }),
      confirmed: z.array(z.string()).meta({ description: 'Names of servers.' }),
      missing: z.array(z.strictObject({ id: z.string(), silentMs: count })),
      failure: z.string().optional().meta({ description: 'Why the servers could not be asked.' }),
    })
    .optional()
    .meta({ description: 'Only with a shared store.' }),
};

const approve = z.union([
  z.strictObject({ version: one, approved: z.literal(true), approval, ...confirmed }),
  z.strictObject({ version: one, approved: z.literal(false), needsApproval: z.array(offered) }),
  z
    .strictObject({
      version: one,
      approved: z.boolean().meta({ description: 'True if no skill of the plan failed.' }),
      planDigest: planned.nullable().meta({ description: 'null: nothing was waiting.' }),
      approvals: z.array(approval),
      failed,
      ...confirmed,
    })
    .meta({ description: 'With --all or --from-file, after the plan was accepted.' }),
  z
    .strictObject({
      version: one,
      approved: z.literal(false),
      planDigest: planned,
      command: copied,
      needsApproval: z.array(offered),
      failed,
    })
    .meta({ description: 'With --all or --from-file, before the plan is accepted.' }),
]);

const review = z.strictObject({
  version: one,
  planDigest: planned.nullable(),
  command: copied.nullable(),
  waiting: z.array(z.strictObject({ ...offered.shape, state: z.literal('waiting'), since: time })),
  failed,
});

export const approvedDiff = z.strictObject({
  version: one,
  origin,
  uri: z.string(),
  setDigest: digest.nullable(),
  changed: z.boolean(),
  approval,
  change: skillChange.optional(),
});

const revoke = z.strictObject({
  version: one,
  revoked: z.strictObject({ origin, uri: z.string(), name: z.string() }),
  ...confirmed,
});

const approvals = z.strictObject({ version: one, approvals: z.array(approval) });

const switched = z.strictObject({
  version: one,
  origin,
  uri: z.string().optional(),
  enabled: z.boolean(),
  ...confirmed,
});

const audit = z
  .strictObject({
    at: time,
    action: z.string(),
    label: z.string().optional(),
    uri: z.string().optional(),
    by: z.string().optional(),
    reason: z.string().optional(),
    key: texts.optional().meta({ description: 'The key of the state whose value this decision sets or removes.' }),
    data: z.json().optional(),
  })
  .meta({ description: 'One line of output; each line is one such object.' });

const headers = z.array(z.strictObject({ name: z.string(), variable: z.string() }));
const era = z.enum(['auto', 'modern', 'legacy']);

const listedOrigin = z.strictObject({
  label: z.string(),
  origin: z.string(),
  from: z.enum(['argument', 'configuration', 'added', 'lock']),
  trusted: z.boolean().meta({ description: 'False: it waits for "skillwire trust".' }),
  era,
  headers,
  passEnv: texts,
  assumeSkills: z.boolean(),
  siteFetch: z.string().optional(),
  tokenEnv: z.string().optional(),
});

const addedOrigin = z.strictObject({
  ...listedOrigin.omit({ trusted: true }).shape,
  from: z.literal('added'),
  insecureHttp: z.boolean(),
  addedAt: time,
});

const cachedFile = z.strictObject({
  origin,
  uri: z.string(),
  digest,
  size: count,
  pinned: z.boolean(),
  usedAt: time,
});

const login = z.strictObject({
  origin: z.string(),
  url: z.string(),
  issuer: z.string(),
  resource: z.string().optional().meta({ description: 'The resource indicator of its requests.' }),
  clientId: z.string(),
  clientFrom: z.enum(['option', 'metadata-document', 'registration']),
  scopes: z.array(z.string()),
  loggedInAt: z.string(),
  expiresAt: z.string().optional().meta({ description: 'Of the current access token.' }),
  renewable: z.boolean().meta({ description: 'Whether there is a refresh token.' }),
  expired: z.boolean().meta({ description: 'The access token has expired, and nothing can renew it.' }),
});

const token = z.strictObject({
  id: z.string(),
  name: z.string(),
  profile: z.string(),
  operator: z.boolean(),
  approver: z.boolean(),
  addedAt: time,
  expiresAt: time.optional().meta({ description: 'Absent if it does not expire.' }),
});

const revoked = z.strictObject({
  kind: z.enum(['subject', 'jti']),
  issuer: z.string().optional().meta({ description: 'Absent: of every identity provider.' }),
  id: z.string().meta({ description: 'The subject, or the id of a token.' }),
});

const denied = z.union([
  z.strictObject({ digest }),
  z.strictObject({ origin }),
  z.strictObject({ match: z.string().meta({ description: 'Pattern on the path of a skill.' }) }),
]);

const deniedSkill = z.strictObject({
  origin,
  path: z.string().meta({ description: 'Path of the skill.' }),
  contains: z
    .string()
    .nullable()
    .meta({ description: 'Path of the denied skill inside it; null if it is denied itself.' }),
});

const since = { reason: z.string(), at: time.nullable() };

const denial = z.union(denied.options.map((kind) => z.strictObject({ ...kind.shape, ...since })));

const waiting = z.strictObject({
  version: one,
  waiting: z.array(
    z.strictObject({
      origin,
      uri: z.string(),
      name: z.string(),
      state: z.enum(['waiting', 'denied', 'disabled']),
      change: z.enum(['new', 'changed']).optional(),
      by: z.enum(['person', 'rule']),
      reason: z.string(),
      since: time,
      setDigest: digest.nullable(),
      signature: shownSignature
        .extend({ text: z.string().meta({ description: 'State, step, signer and files.' }) })
        .optional()
        .meta({ description: 'Absent if the server trusts no signers.' }),
      command: copied.nullable().meta({ description: 'Approves this version; null if no command can.' }),
    }),
  ),
  planDigest: planned
    .nullable()
    .meta({ description: 'null: nothing waits, or the skills have several configurations.' }),
  plans: z
    .array(z.strictObject({ planDigest: planned, command: copied }))
    .meta({ description: 'One for each configuration: the command approves all of its waiting skills.' }),
});

const exported = { version: one, file: z.string(), state: count, audit: count, blobs: count };

const about = { key: texts, what: z.string() };

const imported = z.strictObject({
  ...exported,
  replaced: count,
  skipped: count.meta({ description: 'Values that were left out because they were revoked or replaced.' }),
  imported: z.boolean().meta({ description: 'false: nothing was written.' }),
  revives: z
    .array(
      z.strictObject({
        kind: z.enum(reviveFlags),
        ...about,
        name: z.string().optional(),
        cause: z.enum(['revoked', 'replaced', 'denied', 'narrowed']),
        at: time.meta({ description: 'When it was revoked, replaced or denied.' }),
        reason: z.string().optional(),
        user: z.string().optional(),
      }),
    )
    .meta({ description: 'Values of the file that were revoked or replaced since.' }),
  revoked: z
    .array(z.strictObject({ ...about, at: time }))
    .meta({ description: 'Values here that were revoked on the other side.' }),
  restores: z.array(z.strictObject(about)).meta({ description: 'Denials that were lifted here and return.' }),
});

const stateCheck = z.strictObject({
  version: one,
  values: count,
  records: count,
  blobs: count,
  faults: z.array(
    z.strictObject({
      kind: z.enum(['damaged', 'unusable', 'missing', 'outdated']),
      what: z.string(),
      remedy: z.string(),
    }),
  ),
});

const act = z.strictObject({
  kind: z.enum(Object.keys(actWords) as [ActKind, ...ActKind[]]),
  at: z.string().meta({ description: 'Position in the file.' }),
  value: z.string(),
});

const trust = z.union([
  z
    .strictObject({
      version: one,
      files: z.array(
        z.strictObject({
          file: z.string(),
          digest: digest.meta({ description: 'For --trust-config.' }),
          trusted: z.boolean(),
          acts: z.array(act),
          open: z.array(act).meta({ description: 'Lines that were not accepted before.' }),
          replaced: z.array(act).meta({ description: 'Accepted before, and no longer in the file.' }),
        }),
      ),
    })
    .meta({ description: 'The lines and the decision.' }),
  z
    .strictObject({
      version: one,
      trusted: z.array(z.strictObject({ file: z.string(), at: time.nullable(), acts: z.array(act) })),
    })
    .meta({ description: 'With --list.' }),
  z.strictObject({ version: one, revoked: texts }).meta({ description: 'With --revoke.' }),
]);

export const trustOutputs = {
  trust,
  approve,
  revoke,
  approvals,
  enable: switched,
  disable: switched,
  audit,
  'origins-add': z.strictObject({ version: one, added: addedOrigin }),
  'origins-remove': z.strictObject({
    version: one,
    removed: z.strictObject({ origin, approvals: count, files: count, pinned: count }),
  }),
  'origins-list': z.strictObject({ version: one, origins: z.array(listedOrigin) }),
  'cache-list': z.strictObject({ version: one, files: z.array(cachedFile) }),
  'cache-verify': z.strictObject({ version: one, checked: count, removed: z.array(cachedFile) }),
  'cache-gc': z.strictObject({ version: one, removed: count, freedBytes: count, remainingBytes: count }),
  'cache-clear': z.strictObject({ version: one, removed: count, freedBytes: count }),
  waiting,
  review,
  login: z.strictObject({ version: one, login }),
  logout: z.strictObject({
    version: one,
    loggedOut: z.array(
      z.strictObject({
        origin: z.string(),
        issuer: z.string(),
        revoked: z.boolean().meta({ description: 'Whether the identity provider revoked the tokens.' }),
      }),
    ),
  }),
  whoami: z.strictObject({ version: one, logins: z.array(login) }),
  'token-add': z.strictObject({
    version: one,
    token: z.string().meta({ description: 'The token itself, which is not shown again.' }),
    added: token,
    ...confirmed,
  }),
  'token-revoke': z.strictObject({ version: one, revoked: z.union([token, revoked]), ...confirmed }),
  'token-restore': z.strictObject({ version: one, restored: revoked, ...confirmed }),
  'token-list': z.strictObject({
    version: one,
    tokens: z.array(token),
    revoked: z.array(z.strictObject({ ...revoked.shape, at: time, reason: z.string() })),
  }),
  'deny-add': z.strictObject({ version: one, denied, skills: z.array(deniedSkill), ...confirmed }),
  'deny-remove': z.strictObject({ version: one, allowed: denied, ...confirmed }),
  'deny-list': z.strictObject({ version: one, denials: z.array(denial) }),
  'state-export': z.strictObject(exported),
  'state-import': imported,
  'state-move': z.strictObject({
    version: one,
    from: z.string().meta({ description: 'The folder or the database, without credentials.' }),
    to: z.string(),
    state: count,
    audit: count,
    blobs: count,
    digest: digest.meta({ description: 'Over all values, records and files: the same in both stores.' }),
    resumed: z.boolean().meta({ description: 'true: an interrupted move was completed.' }),
  }),
  'state-check': stateCheck,
} as const;
