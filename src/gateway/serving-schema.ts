/** The schema of what `skillwire.json` says about the whole: who may see what, which skills are accepted, what is shown, bounds. */
import { z } from 'zod';
import { given } from '../given.ts';
import { limits } from '../limits.ts';
import { waySettings } from '../origins/origin-schema.ts';
import { pattern } from '../origins/pattern-schema.ts';
import { durationMs } from '../origins/time-span.ts';
import type { ProfileRules } from '../serving/access/profile.ts';
import { isDigest } from '../skill/digest.ts';
import { type ConfiguredMcp, configuredMcp, mcpSurfaceSchema } from './mcp-surface-schema.ts';

export interface ConfiguredPolicy {
  /** `approved-only`: exactly what an approver has accepted is served. Default `open`. */
  readonly mode?: 'open' | 'approved-only';
  readonly deny?: readonly ConfiguredDenial[];
  /** Whether skills with scripts, and dynamic ones, are served. Default true. */
  readonly scripts?: boolean;
  readonly dynamic?: boolean;
  /** Most bytes of all files of a skill. */
  readonly maxBytes?: number;
  /** The forms in which an origin may publish, by their id. Absent: all. */
  readonly dialects?: readonly string[];
  /** Values of the `license` field that are accepted. Absent: all, also none. */
  readonly licences?: readonly string[];
}

/** One of `digest`, `origin` and `match`. */
export interface ConfiguredDenial {
  /** Of a file, or of the set of files as `skillwire approvals` shows it. */
  readonly digest?: string;
  /** Label of an origin. */
  readonly origin?: string;
  /** Pattern on the path of a skill. */
  readonly match?: string;
  readonly reason?: string;
}

export interface ConfiguredProfile extends ProfileRules {
  readonly name: string;
}

export interface ConfiguredAccess {
  /** Profile of callers without a token. */
  readonly anonymous?: string;
  /** Scheme and host under which clients reach the server. */
  readonly url?: string;
}

export interface ConfiguredSearch {
  /** Search by meaning, too: an endpoint that speaks the form of OpenAI. */
  readonly embeddings?: ConfiguredEmbeddings;
}

export interface ConfiguredEmbeddings {
  /** The whole address, for example `https://api.openai.com/v1/embeddings`. */
  readonly url: string;
  readonly model: string;
  /** The environment variable with the key. */
  readonly keyEnv?: string;
  /** Allow plain http to another machine. */
  readonly insecureHttp?: boolean;
}

export interface ConfiguredSurfaces {
  readonly mcp?: ConfiguredMcp;
  readonly site?: boolean;
  readonly page?: boolean;
  readonly metrics?: boolean;
  /** Whether models are offered the tool `search_skills`. */
  readonly search?: boolean;
}

/** What holds for origins that say nothing else. */
export interface ConfiguredLimits {
  readonly ttlMs?: number;
  readonly deadlineMs?: number;
  readonly staleMs?: number;
  readonly concurrency?: number;
}

const flag = (key: string, description: string) =>
  z
    .boolean({ error: `"${key}" is true or false` })
    .optional()
    .meta({ description });

const name = (error: string) => z.string({ error }).min(1, { error }).max(limits.policy.patternCharacters, { error });

const names = (key: string, what: string, description: string) =>
  z
    .array(name(`"${key}" is a list of ${what}`), { error: `"${key}" is a list of ${what}` })
    .max(limits.policy.rules, { error: `"${key}" has at most ${limits.policy.rules} items` })
    .optional()
    .meta({ description });

const patterns = (key: string, description: string) =>
  z
    .array(pattern, { error: `"${key}" is a list of patterns` })
    .max(limits.policy.rules, { error: `"${key}" has at most ${limits.policy.rules} patterns` })
    .optional()
    .meta({ description });

const denial = z
  .strictObject(
    {
      digest: z
        .string({ error: '"digest" is a text' })
        .refine(isDigest, { error: '"digest" is "sha256:" and 64 lower-case hexadecimal digits' })
        .optional()
        .meta({ description: 'Digest of a file, or of the set of files of a skill.' }),
      origin: name('"origin" is a label').optional().meta({ description: 'Label of an origin.' }),
      match: pattern.optional(),
      reason: name('"reason" is a text').optional().meta({ description: 'Why; told to operators.' }),
    },
    { error: 'a denial is an object with "digest", "origin" or "match"' },
  )
  .superRefine((rule, context) => {
    const count = [rule.digest, rule.origin, rule.match].filter((value) => value !== undefined).length;
    if (count !== 1)
      context.addIssue({
        code: 'custom',
        message: 'a denial has exactly one of "digest", "origin" and "match"',
        params: { remedy: 'write {"match": "team-a/old-skill/", "reason": "..."}' },
      });
  });

const count = (key: string, most: number, description: string) =>
  z
    .int({ error: `"${key}" is a whole number from 1 to ${most}` })
    .min(1, { error: `"${key}" is a whole number from 1 to ${most}` })
    .max(most, { error: `"${key}" is a whole number from 1 to ${most}` })
    .optional()
    .meta({ description });

export const policySchema = z
  .strictObject(
    {
      mode: z
        .enum(['open', 'approved-only'], { error: '"mode" is "open" or "approved-only"' })
        .optional()
        .meta({ description: 'approved-only: exactly what "skillwire approve" has accepted is served.' }),
      deny: z
        .array(denial, { error: '"deny" is a list' })
        .max(limits.policy.rules, { error: `"deny" has at most ${limits.policy.rules} items` })
        .optional()
        .meta({ description: 'What is not served, from the next request on.' }),
      scripts: flag('scripts', 'false: skills with scripts are not served.'),
      dynamic: flag('dynamic', 'false: skills whose files cannot be verified are not served.'),
      maxBytes: count('maxBytes', limits.skill.bytes, 'Most bytes of all files of a skill.'),
      dialects: names('dialects', 'forms', 'Forms in which origins may publish their skills.'),
      licences: names('licences', 'licences', 'Values of the field "license" that are accepted.'),
    },
    { error: '"policy" is an object' },
  )
  .meta({ description: 'Which skills are served.' });

const listing = z
  .strictObject(
    {
      skills: count('skills', 1_000_000, 'Most skills that are listed.'),
      characters: count('characters', 1_000_000_000, 'Most characters of their names and descriptions together.'),
      first: patterns('first', 'What is listed before all others.'),
    },
    { error: '"listing" is an object with "skills", "characters" and "first"' },
  )
  .optional()
  .meta({ description: 'Bounds of the listing; what is beyond them is found by search and by URI.' });

export const profilesSchema = z
  .record(
    z.string().regex(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/, { error: 'a profile has a name as labels are' }),
    z
      .strictObject(
        {
          origins: names('origins', 'labels', 'Labels of the origins whose skills are seen.'),
          include: patterns('include', 'Only skills that match one of these are seen.'),
          exclude: patterns('exclude', 'Skills that match one of these are not seen.'),
          listing,
        },
        { error: 'a profile is an object' },
      )
      .meta({ description: 'What callers with this profile see.' }),
    { error: '"profiles" is an object of names and profiles' },
  )
  .meta({ description: 'Views for tokens: see "skillwire token add".' });

export const accessSchema = z
  .strictObject(
    {
      anonymous: name('"anonymous" is the name of a profile')
        .optional()
        .meta({ description: 'Profile of callers without a token; without it they are answered 401.' }),
      url: z
        .url({ protocol: /^https?$/, error: '"url" is an address such as "https://skills.example.com"' })
        .optional()
        .meta({ description: 'Where clients reach this server, if a proxy stands before it.' }),
    },
    { error: '"access" is an object' },
  )
  .meta({ description: 'Asks callers for tokens.' });

const endpoint = '"url" is an address such as "https://api.openai.com/v1/embeddings"';
const variable = '"keyEnv" is the name of an environment variable, such as "OPENAI_API_KEY"';

export const searchSchema = z
  .strictObject(
    {
      embeddings: z
        .strictObject(
          {
            url: z
              .url({ protocol: /^https?$/, error: endpoint })
              .refine((url) => /^[^/]*\/\/[^/?#@]*(?:[/?]|$)/.test(url) && !url.includes('#'), {
                error: `${endpoint}, without a user, a password and a fragment`,
              })
              .meta({
                description: 'Where texts are embedded: an address that takes "model" and "input" as OpenAI does.',
              }),
            model: name('"model" is the name of a model').meta({ description: 'The model that makes the vectors.' }),
            keyEnv: z
              .string({ error: variable })
              .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: variable })
              .optional()
              .meta({ description: 'The environment variable with the key, which is sent as a bearer token.' }),
            insecureHttp: flag('insecureHttp', 'true: allow plain http to another machine.'),
          },
          { error: '"embeddings" is an object with "url" and "model"' },
        )
        .optional()
        .meta({ description: 'Search by meaning besides words: this endpoint gets queries, names and descriptions.' }),
    },
    { error: '"search" is an object with "embeddings"' },
  )
  .meta({ description: 'How skills are searched.' });

export function configuredSearch({ embeddings }: z.output<typeof searchSchema>): ConfiguredSearch {
  if (embeddings === undefined) return {};
  const { url, model, ...rest } = embeddings;
  return { embeddings: { url, model, ...given(rest) } };
}

export const surfacesSchema = z
  .strictObject(
    {
      mcp: mcpSurfaceSchema.optional(),
      site: flag('site', 'false: nothing is published below /.well-known/.'),
      page: flag('page', 'false: there is no page for people.'),
      metrics: flag('metrics', 'false: there is no /metrics.'),
      search: flag('search', 'false: models are not offered the tool search_skills.'),
    },
    { error: '"surfaces" is an object' },
  )
  .meta({ description: 'How skills are shown, and where. Default: everywhere.' });

export function configuredSurfaces({ mcp, ...flags }: z.output<typeof surfacesSchema>): ConfiguredSurfaces {
  return given({ ...flags, mcp: mcp === undefined ? undefined : configuredMcp(mcp) });
}

export const limitsSchema = z
  .strictObject(waySettings, { error: '"limits" is an object with "ttl", "deadline", "stale" and "concurrency"' })
  .meta({ description: 'What holds for origins that say nothing else.' });

export function configuredPolicy({ deny, ...rest }: z.output<typeof policySchema>): ConfiguredPolicy {
  return given({ ...rest, deny: deny?.map((rule): ConfiguredDenial => given(rule)) });
}

export function configuredProfiles(profiles: z.output<typeof profilesSchema>): readonly ConfiguredProfile[] {
  return Object.entries(profiles).map(([key, { listing: bounds, ...rules }]) => ({
    name: key,
    ...given({ ...rules, listing: bounds === undefined ? undefined : given(bounds) }),
  }));
}

export function configuredLimits({
  ttl,
  deadline,
  stale,
  concurrency,
}: z.output<typeof limitsSchema>): ConfiguredLimits {
  return given({
    ttlMs: ttl === undefined ? undefined : durationMs(ttl),
    deadlineMs: deadline === undefined ? undefined : durationMs(deadline),
    staleMs: stale === undefined ? undefined : durationMs(stale),
    concurrency,
  });
}
