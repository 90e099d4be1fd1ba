/** Parts that the outputs of several commands have in common. */
import { z } from 'zod';
import type { FindingRule } from '../../src/skill/finding.ts';
import { findingRules } from '../../src/skill/finding-rules.ts';

export const one = z.literal(1).meta({ description: 'Version of this form. Fields are only ever added to a version.' });

export const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
export const count = z.int().min(0);
export const texts = z.array(z.string());

/** ISO 8601, UTC. */
export const time = z.iso.datetime();

export const origin = z.string().meta({ description: 'Label of the origin.' });

export const findingCounts = z.strictObject({ problems: count, warnings: count, notes: count });

export const finding = z.strictObject({
  level: z.enum(['problem', 'warning', 'note']),
  rule: z.enum(Object.keys(findingRules) as [FindingRule, ...FindingRule[]]),
  message: z.string(),
  remedy: z.string(),
  file: z.string().optional(),
  line: z.int().min(1).optional(),
  skill: z.string().optional(),
  omitted: findingCounts.optional(),
});

export const resource = z.strictObject({ uri: z.string(), digest, size: count });
export const resources = z.union([z.array(resource), z.literal('dynamic')]);

export const entry = z
  .looseObject({
    uri: z.string(),
    frontmatter: z.looseObject({ name: z.string(), description: z.string() }),
    resources,
  })
  .meta({ description: 'The entry of the origin, with unknown fields.' });

export const grants = z.strictObject({ execution: z.boolean(), allowedTools: z.boolean() });

export const approval = z.strictObject({
  origin,
  uri: z.string(),
  name: z.string(),
  setDigest: digest.nullable(),
  grants,
  by: z.enum(['person', 'policy', 'program', 'local']),
  reason: z.string(),
  at: time,
});

export const requests = z.strictObject({
  scripts: texts,
  executionFields: texts,
  shellInText: texts,
  allowedTools: texts,
  hosts: texts,
  nested: texts,
  hidden: texts,
});

export const verified = z.enum(['full', 'skill-md-only', 'none']);

const diffLine = z.strictObject({
  kind: z.enum([' ', '+', '-']),
  text: z.string(),
  beforeLine: count.optional(),
  afterLine: count.optional(),
});

/** Lines that differ, escaped for display. */
export const textDiff = z.strictObject({ lines: z.array(diffLine), truncated: z.boolean() });

export const fileChange = z.strictObject({
  uri: z.string(),
  path: z.string(),
  script: z.boolean(),
  executable: z.boolean(),
  executableChanged: z.boolean().optional(),
  diff: textDiff.optional(),
  sizeBefore: count.optional(),
  sizeAfter: count.optional(),
  textKnown: z.boolean(),
});

const listChange = z.strictObject({ added: texts, removed: texts });

export const skillChange = z.strictObject({
  added: z.array(fileChange),
  removed: z.array(fileChange),
  changed: z.array(fileChange),
  frontmatter: z.array(z.strictObject({ field: z.string(), before: z.json().optional(), after: z.json().optional() })),
  allowedTools: listChange,
  executionFields: listChange,
  newHosts: texts,
  nested: listChange,
  summary: texts,
});

export const notPublished = z.array(z.strictObject({ path: z.string(), reason: z.string() }));

const signatureStates = ['unsigned', 'unsupported', 'invalid', 'untrusted', 'mismatch', 'partial', 'signed'] as const;

/** A verdict in short. */
export const shownSignature = z.strictObject({
  state: z.enum([...signatureStates, 'unread']),
  signer: z.string().optional().meta({ description: 'Names of the configuration for the signer.' }),
});

export const signature = z.strictObject({
  state: z.enum(signatureStates),
  step: z.string().optional(),
  check: z.string().optional(),
  reason: z.string().optional(),
  claimed: z.string().optional().meta({ description: 'The signer that the signature claims; nothing vouches for it.' }),
  signer: z
    .strictObject({
      names: texts,
      identity: z.record(z.string(), z.string()),
      expired: z.boolean(),
      until: z.string().optional(),
    })
    .optional(),
  coverage: z
    .strictObject({
      matching: count,
      served: count,
      changed: texts,
      missing: texts,
      renamed: z.array(z.strictObject({ from: z.string(), to: z.string() })),
      unsigned: texts,
      ignored: texts,
      unpublished: texts,
    })
    .optional(),
});
