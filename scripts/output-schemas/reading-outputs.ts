/** Output of commands that read origins, with `--json`. */
import { z } from 'zod';
import { errorTable } from '../../src/errors.ts';
import {
  approval,
  count,
  digest,
  entry,
  finding,
  one,
  origin,
  requests,
  shownSignature,
  signature,
  skillChange,
  texts,
  verified,
} from './parts.ts';

export const errorCode = z.enum(['UNEXPECTED', ...Object.keys(errorTable)]);

const refused = z.strictObject({
  uri: z.string().optional(),
  name: z.string().optional(),
  faults: texts,
  code: errorCode.optional(),
  requirement: z.string().optional(),
});

const server = z.looseObject({ name: z.string(), version: z.string() });

const originReport = z.strictObject({
  origin,
  local: z.boolean(),
  state: z.enum([
    'ready',
    'empty',
    'all-refused',
    'partial',
    'no-skills-extension',
    'no-index',
    'not-authorized',
    'unreachable',
    'failed',
    'disabled',
  ]),
  message: z.string(),
  skills: count,
  refused: z.array(refused),
  findings: z.array(finding),
  code: errorCode.optional(),
  protocolVersion: z.string().optional(),
  server: server.optional(),
  dialect: z.string().optional(),
  address: z.string().optional(),
});

const listedSkill = z.strictObject({
  origin,
  uri: z.string(),
  name: z.string(),
  description: z.string(),
  state: z.enum(['approved', 'changed', 'not-approved', 'unverifiable', 'disabled', 'local']),
  verifiable: z.boolean(),
  verified,
  ambiguous: z.boolean(),
  inAgentFolder: z.literal(true).optional(),
  files: count.optional(),
  size: count.optional(),
});

const skillPlace = z.strictObject({ origin, uri: z.string() });

const list = z.strictObject({
  version: one,
  origins: z.array(originReport),
  skills: z.array(
    listedSkill.extend({
      signature: shownSignature.optional().meta({ description: 'Absent if "signers" in skillwire.json names nobody.' }),
    }),
  ),
  collisions: z.array(z.strictObject({ name: z.string(), skills: z.array(skillPlace) })),
});

const search = z.strictObject({
  version: one,
  query: z.string(),
  origins: z.array(
    z.strictObject({
      ...originReport.shape,
      searchedBy: z
        .enum(['server', 'listing'])
        .meta({ description: 'By the search of the origin, or by this command over its listing.' }),
    }),
  ),
  total: count.meta({ description: 'Number of hits without the limit.' }),
  hits: z
    .array(
      z.strictObject({
        ...listedSkill.shape,
        copies: z.array(skillPlace).meta({ description: 'Other skills with the same SKILL.md.' }),
        twins: z
          .array(skillPlace)
          .meta({ description: 'Other versions of the skill, or its description under another name.' }),
      }),
    )
    .meta({ description: 'Best first.' }),
});

const templates = z.union([
  z.strictObject({
    version: one,
    origin,
    templates: z.array(
      z.strictObject({
        template: z.string(),
        goal: z.enum(['skill-md', 'any-file', 'other']),
        variables: texts,
        name: z.string().optional(),
        title: z.string().optional(),
        description: z.string().optional(),
      }),
    ),
  }),
  z
    .strictObject({
      version: one,
      template: z.string(),
      variable: z.string(),
      completes: z.boolean().meta({ description: 'False: the server offers no values for it.' }),
      values: texts,
      hasMore: z.boolean(),
      total: count.optional(),
    })
    .meta({ description: 'While a variable has no value, and with --complete.' }),
  z
    .strictObject({ version: one, origin, uri: z.string(), name: z.string(), description: z.string(), verified })
    .meta({ description: 'With a value for every variable.' }),
]);

const show = z.strictObject({
  version: one,
  origin,
  uri: z.string(),
  name: z.string(),
  status: z.enum(['verifiable', 'dynamic', 'no-size', 'no-digest']),
  verified,
  entry,
  setDigest: digest.optional(),
  contentDigest: digest.optional(),
  partial: z.looseObject({ reason: z.enum(['no-size', 'no-digest']) }).optional(),
  dialect: z.string().optional(),
  address: z.string().optional(),
  requests,
  fetched: z.boolean(),
  approval: z.strictObject({
    state: z.enum(['current', 'changed', 'none', 'unverifiable']),
    recorded: approval.optional(),
    change: skillChange.optional(),
  }),
  signature: signature.optional(),
  refusal: z.string().optional().meta({ description: 'Why a rule of yours about signatures refuses it.' }),
  findings: z.array(finding),
  failures: z.array(z.strictObject({ reason: z.string().optional(), message: z.string(), data: z.looseObject({}) })),
});

const read = z.strictObject({
  version: one,
  uri: z.string(),
  size: count,
  digest,
  verified: z.boolean().meta({ description: 'Whether a promised digest was compared.' }),
  checked: z
    .enum(['both', 'digest', 'size', 'none'])
    .meta({ description: 'The promises of the origin about the bytes.' }),
  text: z.string().optional(),
  blob: z.base64().optional(),
});

const failure = z.strictObject({
  requirement: z.string(),
  message: z.string(),
  uri: z.string().optional(),
  era: z.enum(['modern', 'legacy']).optional(),
});

const verifyOne = z.strictObject({
  version: one,
  origin,
  exitCode: count,
  server: z.looseObject({ skills: z.boolean(), directoryRead: z.boolean() }).optional(),
  counts: z.strictObject({
    skills: count,
    verified: count,
    failed: count,
    unverifiable: count,
    unchecked: count,
    skipped: count,
    refused: count,
    files: count,
    bytes: count,
  }),
  eras: z.array(
    z.strictObject({
      era: z.enum(['modern', 'legacy']),
      state: z.enum(['checked', 'absent', 'failed']),
      message: z.string(),
      protocolVersion: z.string().optional(),
      skills: count,
    }),
  ),
  requirements: z.array(z.strictObject({ id: z.string(), level: z.enum(['must', 'should']), text: z.string(), count })),
  failures: z.array(failure),
  skills: z.array(
    z.strictObject({
      uri: z.string(),
      name: z.string(),
      status: z.enum(['verified', 'failed', 'unverifiable', 'unchecked', 'skipped']),
      files: count,
      bytes: count,
      failures: z.array(failure),
      moreFailures: count.optional(),
      reason: z.string().optional(),
    }),
  ),
  incomplete: texts,
});

const parityState = z.string();

const verifySeveral = z.strictObject({
  version: one,
  exitCode: count,
  origins: z.array(
    z.strictObject({ label: z.string(), skills: count, dialect: z.string().optional(), cut: z.string().optional() }),
  ),
  skills: z.array(
    z.strictObject({
      name: z.string(),
      state: parityState,
      origins: z.array(
        z.strictObject({
          origin,
          state: parityState,
          uri: z.string().optional(),
          digest: digest.optional(),
          message: z.string().optional(),
        }),
      ),
      differences: z.array(z.strictObject({ path: z.string(), digests: z.record(z.string(), z.string().nullable()) })),
    }),
  ),
});

const verifySigned = z.strictObject({
  version: one,
  origin,
  exitCode: count,
  signed: count,
  skills: z.array(
    z.strictObject({
      uri: z.string(),
      name: z.string(),
      content: digest.optional(),
      signature: signature.extend({ state: shownSignature.shape.state }),
    }),
  ),
});

export const readingOutputs = {
  list,
  search,
  templates,
  show,
  read,
  verify: z.union([verifyOne, verifySeveral, verifySigned]),
} as const;
