/** The schema of the `skillwire.json` keys about serving: policy, profiles, access, search, surfaces, limits. */
import { z } from 'zod';
import { type ListingMode, listingModes } from '../catalog/offered-skills.ts';
import { definedFields } from '../defined-fields.ts';
import { limits } from '../limits.ts';
import { waySettings } from '../origins/origin-schema.ts';
import { pattern } from '../origins/setting-schemas.ts';
import { durationMs } from '../origins/time-span.ts';
import type { SignatureRule } from '../policy/signature-rules.ts';
import type { ProfileRules } from '../serving/access/profile.ts';
import { isDigest } from '../skill/digest.ts';
import { isSkillName } from '../skill/name.ts';
import { type DialectOptions, fallbackKinds, servedDialects } from '../surfaces/mcp/aliases/served-dialects.ts';
import { type ConfiguredOidc, configuredOidc, oidcSchema } from './oidc-schema.ts';
import { configuredSignatures, signaturesSchema } from './signers-schema.ts';

export interface ConfiguredPolicy {
  /** `approved-only`: only approved versions are served. Default `open`. */
  readonly mode?: 'open' | 'approved-only';
  readonly deny?: readonly ConfiguredDenial[];
  /** Serve skills with scripts. Default true. */
  readonly scripts?: boolean;
  /** Serve dynamic skills, whose files cannot be verified. Default true. */
  readonly dynamic?: boolean;
  /** Maximum total size of a skill's files. */
  readonly maxBytes?: number;
  /** Ids of the dialects that origins may publish in. Absent: all. */
  readonly dialects?: readonly string[];
  /** Accepted values of the `license` field. Absent: any value, or none. */
  readonly licenses?: readonly string[];
  /** Signers that a skill must have. The first matching rule applies. */
  readonly signatures?: readonly SignatureRule[];
}

/** Has exactly one of `digest`, `origin` and `match`. */
export interface ConfiguredDenial {
  /** Digest of a file, or the set digest or content digest that `skillwire show` prints. */
  readonly digest?: string;
  /** Label of an origin. */
  readonly origin?: string;
  /** Pattern for the path of a skill. */
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
  /** Identity providers, in the order of the file. */
  readonly oidc?: readonly ConfiguredOidc[];
}

export interface ConfiguredSearch {
  /** An OpenAI-compatible endpoint for search by meaning. */
  readonly embeddings?: ConfiguredEmbeddings;
}

export interface ConfiguredEmbeddings {
  /** Full URL, for example `https://api.openai.com/v1/embeddings`. */
  readonly url: string;
  readonly model: string;
  /** The environment variable with the key. */
  readonly keyEnv?: string;
  /** Allow plain http to another machine. */
  readonly insecureHttp?: boolean;
}

export interface ConfiguredMcp extends Omit<DialectOptions, 'archives' | 'listIndex' | 'scheme'> {
  readonly listing?: ListingMode;
}

export interface ConfiguredSurfaces {
  readonly mcp?: ConfiguredMcp;
  readonly site?: boolean;
  readonly page?: boolean;
  readonly metrics?: boolean;
  /** Offer models the tool `search_skills`. */
  readonly search?: boolean;
}

/** Defaults for origins. */
export interface ConfiguredLimits {
  readonly ttlMs?: number;
  readonly deadlineMs?: number;
  readonly staleMs?: number;
  readonly concurrency?: number;
}

const flag = (key: string, description: string) =>
  z
    .boolean({ error: `"${key}" must be true or false` })
    .optional()
    .meta({ description });

const name = (error: string) => z.string({ error }).min(1, { error }).max(limits.policy.patternCharacters, { error });

const names = (key: string, what: string, description: string) =>
  z
    .array(name(`"${key}" must be a list of ${what}`), { error: `"${key}" must be a list of ${what}` })
    .max(limits.policy.rules, { error: `"${key}" must have at most ${limits.policy.rules} items` })
    .optional()
    .meta({ description });

const patterns = (key: string, description: string) =>
  z
    .array(pattern, { error: `"${key}" must be a list of patterns` })
    .max(limits.policy.rules, { error: `"${key}" must have at most ${limits.policy.rules} patterns` })
    .optional()
    .meta({ description });

const denial = z
  .strictObject(
    {
      digest: z
        .string({ error: '"digest" must be a string' })
        .refine(isDigest, { error: '"digest" must be "sha256:" and 64 lower-case hexadecimal digits' })
        .optional()
        .meta({ description: 'Digest of a file, or set digest or content digest of a skill.' }),
      origin: name('"origin" must be a label').optional().meta({ description: 'Label of an origin.' }),
      match: pattern.optional(),
      reason: name('"reason" must be a string').optional().meta({ description: 'Reason, for operators.' }),
    },
    { error: 'a denial must be an object with "digest", "origin" or "match"' },
  )
  .superRefine((rule, context) => {
    const count = [rule.digest, rule.origin, rule.match].filter((value) => value !== undefined).length;
    if (count !== 1)
      context.addIssue({
        code: 'custom',
        message: 'a denial must have exactly one of "digest", "origin" and "match"',
        params: { remedy: 'write {"match": "team-a/old-skill/", "reason": "..."}' },
      });
  });

function count(key: string, most: number, description: string) {
  const error = `"${key}" must be a whole number from 1 to ${most}`;
  return z.int({ error }).min(1, { error }).max(most, { error }).optional().meta({ description });
}

export const policySchema = z
  .strictObject(
    {
      mode: z
        .enum(['open', 'approved-only'], { error: '"mode" must be "open" or "approved-only"' })
        .optional()
        .meta({ description: 'approved-only: only versions that "skillwire approve" approved are served.' }),
      deny: z
        .array(denial, { error: '"deny" must be a list' })
        .max(limits.policy.rules, { error: `"deny" must have at most ${limits.policy.rules} items` })
        .optional()
        .meta({ description: 'Denied skills. Takes effect with the next request.' }),
      scripts: flag('scripts', 'false: skills with scripts are not served.'),
      dynamic: flag('dynamic', 'false: skills whose files cannot be verified are not served.'),
      maxBytes: count('maxBytes', limits.skill.bytes, "Maximum total size of a skill's files, in bytes."),
      dialects: names('dialects', 'dialects', 'Dialects that origins may publish in.'),
      licenses: names('licenses', 'licenses', 'Accepted values of the field "license".'),
      signatures: signaturesSchema
        .optional()
        .meta({ description: 'Signers that a skill must have. The first matching rule applies.' }),
    },
    { error: '"policy" must be an object' },
  )
  .meta({ description: 'Which skills are served.' });

const listing = z
  .strictObject(
    {
      skills: count('skills', 1_000_000, 'Maximum number of listed skills.'),
      characters: count('characters', 1_000_000_000, 'Maximum characters of all names and descriptions together.'),
      first: patterns('first', 'Patterns of skills to list first.'),
    },
    { error: '"listing" must be an object with "skills", "characters" and "first"' },
  )
  .optional()
  .meta({ description: 'Limits of the listing. Other skills are found by search and by URI.' });

export const profilesSchema = z
  .record(
    z.string().regex(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/, {
      error: 'a profile name must be lower-case letters and digits, with ".", "_" or "-" between them',
    }),
    z
      .strictObject(
        {
          origins: names('origins', 'labels', 'Labels of the visible origins.'),
          include: patterns('include', 'Only skills that match one of these are visible.'),
          exclude: patterns('exclude', 'Skills that match one of these are hidden.'),
          listing,
        },
        { error: 'a profile must be an object' },
      )
      .meta({ description: 'The skills that callers with this profile see.' }),
    { error: '"profiles" must be an object of names and profiles' },
  )
  .meta({ description: 'Profiles for tokens. See "skillwire token add".' });

export const accessSchema = z
  .strictObject(
    {
      anonymous: name('"anonymous" must be the name of a profile')
        .optional()
        .meta({ description: 'Profile of callers without a token. Without it, they get 401.' }),
      url: z
        .url({ protocol: /^https?$/, error: '"url" must be a URL such as "https://skills.example.com"' })
        .optional()
        .meta({ description: 'Public URL of this server, if it runs behind a proxy. Required with "oidc".' }),
      oidc: oidcSchema.optional(),
    },
    { error: '"access" must be an object' },
  )
  .meta({ description: 'Requires callers to have tokens.' });

export function configuredAccess({ oidc, ...rest }: z.output<typeof accessSchema>): ConfiguredAccess {
  return definedFields({ ...rest, oidc: oidc === undefined ? undefined : configuredOidc(oidc) });
}

const endpoint = '"url" must be a URL such as "https://api.openai.com/v1/embeddings"';
const variable = '"keyEnv" must be the name of an environment variable, such as "OPENAI_API_KEY"';

export const searchSchema = z
  .strictObject(
    {
      embeddings: z
        .strictObject(
          {
            url: z
              .url({ protocol: /^https?$/, error: endpoint })
              .refine((url) => /^[^/]*\/\/[^/?#@]*(?:[/?]|$)/.test(url) && !url.includes('#'), {
                error: `${endpoint}, without user, password and fragment`,
              })
              .meta({
                description: 'Embeddings endpoint that takes "model" and "input", as OpenAI does.',
              }),
            model: name('"model" must be the name of a model').meta({ description: 'Embedding model.' }),
            keyEnv: z
              .string({ error: variable })
              .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: variable })
              .optional()
              .meta({ description: 'Environment variable with the key, which is sent as a bearer token.' }),
            insecureHttp: flag('insecureHttp', 'true: allow plain http to another machine.'),
          },
          { error: '"embeddings" must be an object with "url" and "model"' },
        )
        .optional()
        .meta({ description: 'Adds search by meaning. This endpoint gets queries, names and descriptions.' }),
    },
    { error: '"search" must be an object with "embeddings"' },
  )
  .meta({ description: 'Search settings.' });

export function configuredSearch({ embeddings }: z.output<typeof searchSchema>): ConfiguredSearch {
  if (embeddings === undefined) return {};
  const { url, model, ...rest } = embeddings;
  return { embeddings: { url, model, ...definedFields(rest) } };
}

const dialectsError = `"dialects" must be "all", "none" or a list of ${servedDialects.join(', ')}`;
const fallbackError = `"fallback" must be a list of ${fallbackKinds.join(', ')}`;
const usageError = '"usage" must be an object with "label" (a-z, 0-9 and hyphens) and "skill" (a name or a path)';

const mcpSurfaceSchema = z
  .strictObject(
    {
      dialects: z
        .union([z.enum(['all', 'none']), z.array(z.enum(servedDialects))], { error: dialectsError })
        .optional()
        .meta({ description: 'Older dialects to serve besides the extension.' }),
      fallback: z
        .array(z.enum(fallbackKinds, { error: fallbackError }), { error: fallbackError })
        .optional()
        .meta({ description: 'For clients without resources. Default: both with "dialects": "all", else none.' }),
      resources: z
        .enum(['entry-points', 'all-files'], { error: '"resources" must be "entry-points" or "all-files"' })
        .optional()
        .meta({ description: 'Rows of resources/list: the SKILL.md of each skill, or every file.' }),
      listAliases: flag('listAliases', 'true: resources/list includes dialect addresses.'),
      archiveEntries: flag('archiveEntries', 'true: skill://index.json has an "archive" entry for each skill.'),
      indexTemplates: flag(
        'indexTemplates',
        'true: skill://index.json has an "mcp-resource-template" entry for each folder of skills.',
      ),
      experimentalCapability: flag(
        'experimentalCapability',
        'true: the extension is declared in capabilities.experimental too.',
      ),
      frontmatterMeta: flag('frontmatterMeta', 'true: rows of resources/list have frontmatter in _meta.'),
      listing: z.enum(listingModes, { error: '"listing" must be "compatible" or "all"' }).optional().meta({
        description:
          'compatible (default): skills/list omits skills that make the official MCP client reject the whole listing. all: every listed skill.',
      }),
      usage: z
        .strictObject(
          {
            label: z.string({ error: usageError }).refine(isSkillName, { error: usageError }),
            skill: z.string({ error: usageError }).min(1, { error: usageError }),
          },
          { error: usageError },
        )
        .optional()
        .meta({ description: 'The skill to read first, at skill://LABEL/usage.' }),
    },
    { error: '"mcp" must be an object' },
  )
  .meta({ description: 'MCP settings besides the extension.' });

export const surfacesSchema = z
  .strictObject(
    {
      mcp: mcpSurfaceSchema.optional(),
      site: flag('site', 'false: nothing is published below /.well-known/.'),
      page: flag('page', 'false: no web page.'),
      metrics: flag('metrics', 'false: no /metrics.'),
      search: flag('search', 'false: models are not offered the tool search_skills.'),
    },
    { error: '"surfaces" must be an object' },
  )
  .meta({ description: 'The surfaces on which skills are served. Default: all.' });

export function configuredSurfaces({ mcp, ...flags }: z.output<typeof surfacesSchema>): ConfiguredSurfaces {
  return definedFields({ ...flags, mcp: mcp === undefined ? undefined : definedFields(mcp) });
}

export const limitsSchema = z
  .strictObject(waySettings, {
    error: '"limits" must be an object with "ttl", "deadline", "stale" and "concurrency"',
  })
  .meta({ description: 'Defaults for origins.' });

export function configuredPolicy({ deny, signatures, ...rest }: z.output<typeof policySchema>): ConfiguredPolicy {
  return definedFields({
    ...rest,
    deny: deny?.map((rule): ConfiguredDenial => definedFields(rule)),
    signatures: signatures === undefined ? undefined : configuredSignatures(signatures),
  });
}

export function configuredProfiles(profiles: z.output<typeof profilesSchema>): readonly ConfiguredProfile[] {
  return Object.entries(profiles).map(([key, { listing: bounds, ...rules }]) => ({
    name: key,
    ...definedFields({ ...rules, listing: bounds === undefined ? undefined : definedFields(bounds) }),
  }));
}

export function configuredLimits({
  ttl,
  deadline,
  stale,
  concurrency,
}: z.output<typeof limitsSchema>): ConfiguredLimits {
  return definedFields({
    ttlMs: ttl === undefined ? undefined : durationMs(ttl),
    deadlineMs: deadline === undefined ? undefined : durationMs(deadline),
    staleMs: stale === undefined ? undefined : durationMs(stale),
    concurrency,
  });
}
