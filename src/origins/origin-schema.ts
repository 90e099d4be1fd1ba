/**
 * The schema of one origin in `skillwire.json`. It is a text as on the command line, or an object with settings whose key names the kind. A
 * setting that has no effect for the kind of origin is refused. Secrets are references to the environment; a literal secret is refused and
 * never repeated.
 */
import { z } from 'zod';
import { definedFields } from '../defined-fields.ts';
import { type DialectId, dialectIds } from '../dialects/dialect-skill.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { authSchema, type OriginAuth } from './auth-schema.ts';
import { brokenReference, referenceTo } from './credentials.ts';
import { isArchiveName } from './kinds/folder.ts';
import { everyKind, type NamedSpec } from './kinds.ts';
import { type ConfigurationKey, configurationKeys, publishedPathPattern } from './origin-kind.ts';
import { parseConfiguredOrigin } from './parse-origin.ts';
import { type ConfiguredPin, configuredPin, duration, pattern, pinRules } from './setting-schemas.ts';
import { durationMs } from './time-span.ts';

/** An origin of a configuration with its settings. */
export type ConfiguredOrigin = NamedSpec & OriginSettings & { readonly label: string };

/** The settings of a configured origin besides its location. */
export interface OriginSettings {
  /** Folders: whether skills inside the folder of another skill are served too. */
  readonly nested?: boolean;
  /** Folders: whether skills in the hidden folders of agents are served too. */
  readonly agentFolders?: boolean;
  /** Folders, archives and repositories: files below the root to publish although they are hidden or look like credentials. */
  readonly publish?: readonly string[];
  readonly insecureHttp?: boolean;
  /** Values may name environment variables as `${NAME}`. */
  readonly auth?: OriginAuth;
  readonly headers?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly assumeSkills?: boolean;
  readonly dialect?: DialectId;
  readonly forbidDialects?: readonly DialectId[];
  readonly fetch?: 'session' | 'lazy';
  readonly traceparent?: boolean;
  readonly ttlMs?: number;
  readonly deadlineMs?: number;
  readonly staleMs?: number;
  readonly concurrency?: number;
  /** The path below the label under which its skills are served. */
  readonly prefix?: string;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly listed?: boolean;
  readonly pin?: readonly ConfiguredPin[];
}

const kinds = configurationKeys;
type Kind = ConfigurationKey;

function keysOf(matches: (kind: (typeof everyKind)[number]) => boolean): readonly Kind[] {
  return everyKind.filter(matches).map(({ key }) => key);
}

const httpKinds = keysOf(({ credentials }) => credentials === 'http');
const serverKinds = keysOf(({ server }) => server !== undefined);
const polledKinds = keysOf(({ polled }) => polled);

/** The kinds that a setting applies to. A setting without a row applies to all. */
const settingKinds: Readonly<Record<string, readonly Kind[]>> = {
  nested: ['folder'],
  agentFolders: ['folder'],
  publish: ['folder', 'archive', 'git'],
  insecureHttp: httpKinds,
  auth: httpKinds,
  headers: httpKinds,
  env: keysOf(({ credentials }) => credentials === 'program'),
  assumeSkills: serverKinds,
  dialect: serverKinds,
  forbidDialects: serverKinds,
  fetch: ['site'],
  traceparent: ['mcp', 'site'],
  ttl: polledKinds,
  deadline: polledKinds,
  stale: polledKinds,
  concurrency: polledKinds,
  pin: keysOf(({ hub }) => hub !== undefined),
};

const pathError = 'a folder must be a string of at least one character, without NUL';
const pathText = z.string({ error: 'a folder must be a string' }).regex(/^[^\0]+$/, { error: pathError });

const originText = pathText
  .superRefine((text, context) => refuseUnreadable(text, false, [], context))
  .meta({
    description:
      'A folder or an archive of skills (a relative one is relative to this file; "~/" is the home folder), or an ' +
      'origin as on the command line: "mcp:URL", "stdio:COMMAND", "https://HOST", "mdp:URL", "git:REPOSITORY", "agent:ID".',
    examples: ['./skills', 'mcp:https://example.com/mcp', 'https://docs.example.com'],
  });

const publishedPathError =
  'a path in "publish" must lead from the root of the origin to a file below it, for example "deploy/prod.env"';
const publishedPath = z
  .string({ error: publishedPathError })
  .regex(publishedPathPattern, { error: publishedPathError });

const flag = (key: string) => z.boolean({ error: `"${key}" must be true or false` });

const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const reservedHeaders =
  /^(?:host|connection|content-length|content-type|transfer-encoding|accept|authorization|mcp-.*)$/i;
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

function texts(key: string, names: RegExp, nameRule: string) {
  return z
    .record(
      z.string().regex(names, { error: nameRule }),
      z.string({ error: `a value of "${key}" must be a string` }).superRefine((text, context) => {
        const broken = brokenReference(text);
        if (broken !== undefined)
          refuse(
            context,
            [],
            `"${broken}" must be a reference to an environment variable`,
            `write ${referenceTo('NAME')}, or double the "$" to mean the character`,
          );
      }),
      { error: `"${key}" must be an object of names and strings` },
    )
    .refine((all) => Object.keys(all).length <= limits.gateway.settings, {
      error: `"${key}" has at most ${limits.gateway.settings} names`,
    });
}

const patterns = (key: string) =>
  z
    .array(pattern, { error: `"${key}" must be a list of patterns` })
    .min(1, { error: `"${key}" must have at least one pattern` })
    .max(limits.gateway.settings, { error: `"${key}" has at most ${limits.gateway.settings} patterns` });

const { longestDeadlineMs, longestStaleMs, shortestTtlMs, mostConcurrency } = limits.gateway;

/** Settings of an origin that `limits` can set for all origins. */
export const waySettings = {
  ttl: duration('ttl', { least: shortestTtlMs, most: limits.origin.ttlMs, example: '60s' })
    .optional()
    .meta({ description: 'How often the listing is read, regardless of the TTL of the origin.' }),
  deadline: duration('deadline', { most: longestDeadlineMs, example: '10s' })
    .optional()
    .meta({ description: 'How long one answer of the origin may take.' }),
  stale: duration('stale', { most: longestStaleMs, example: '24h' })
    .optional()
    .meta({ description: 'How long its last good listing is served while it does not answer.' }),
  concurrency: z
    .int({ error: `"concurrency" must be a whole number from 1 to ${mostConcurrency}` })
    .min(1, { error: `"concurrency" must be a whole number from 1 to ${mostConcurrency}` })
    .max(mostConcurrency, { error: `"concurrency" must be a whole number from 1 to ${mostConcurrency}` })
    .optional()
    .meta({ description: 'How many calls the origin gets at the same time.' }),
};

const address = (key: string, description: string, example: string) =>
  z
    .string({ error: `"${key}" must be a string` })
    .min(1, { error: `"${key}" must be an address` })
    .optional()
    .meta({ description, examples: [example] });

const dialectError = `a dialect must be one of ${dialectIds.join(', ')}`;

const commandError = '"stdio" must be a command as a string, or a list of the program and its arguments';

const originObject = z
  .strictObject({
    folder: pathText.optional().meta({ description: 'A folder of skills.', examples: ['./skills'] }),
    archive: pathText
      .refine(isArchiveName, { error: 'an archive must end with .tar.gz, .tgz, .zip or .skill' })
      .optional()
      .meta({ description: 'An archive of skills.', examples: ['./skills.tar.gz'] }),
    mcp: address('mcp', 'Address of an MCP server.', 'https://example.com/mcp'),
    stdio: z
      .union(
        [
          z.string().min(1, { error: commandError }),
          z
            .array(z.string({ error: commandError }).regex(/^[^\0]*$/, { error: commandError }), {
              error: commandError,
            })
            .min(1, { error: commandError })
            .max(limits.gateway.settings, { error: commandError }),
        ],
        { error: commandError },
      )
      .optional()
      .meta({
        description: 'Command of an MCP server that is started here, without a shell.',
        examples: ['npx -y some-mcp-server', ['node', 'server.js']],
      }),
    site: address('site', 'A site that publishes skills below .well-known.', 'https://docs.example.com'),
    mdp: address('mdp', 'A hub of live runtimes, or "stdio:COMMAND" of one.', 'ws://127.0.0.1:4711'),
    git: address(
      'git',
      'A Git repository, with "#REF" for a branch, tag or commit.',
      'https://example.com/skills.git#main',
    ),
    agent: address('agent', 'The skills that an agent on this machine has.', 'claude-code'),
    nested: flag('nested')
      .optional()
      .meta({ description: 'Whether skills inside the folder of another skill are served too.' }),
    agentFolders: flag('agentFolders').optional().meta({
      description:
        'Whether skills in the hidden folders of agents, such as ".claude/skills", are served too. Default false.',
    }),
    publish: z
      .array(publishedPath, { error: '"publish" must be a list of paths' })
      .min(1, { error: '"publish" must have at least one path' })
      .max(limits.gateway.settings, { error: `"publish" has at most ${limits.gateway.settings} paths` })
      .optional()
      .meta({
        description:
          'Files that are published although they are hidden or look like private keys or credentials: paths below the root of the folder, archive or repository.',
        examples: [['deploy/assets/credentials.json']],
      }),
    insecureHttp: flag('insecureHttp')
      .optional()
      .meta({ description: 'Allow http: to another machine, where others can read and change what is sent.' }),
    auth: authSchema.optional(),
    headers: texts('headers', headerName, 'a header must have a name of letters, digits and "-"')
      .superRefine((all, context) => {
        for (const name of Object.keys(all))
          if (reservedHeaders.test(name))
            refuse(
              context,
              [name],
              `the header "${name}" belongs to the protocol`,
              'leave it out; a token goes into "auth"',
            );
      })
      .optional()
      .meta({
        description: `Headers of each request; values may name environment variables as "${referenceTo('NAME')}".`,
      }),
    env: texts('env', variableName, 'a variable must have a name of letters, digits and "_"')
      .optional()
      .meta({
        description: `Environment of the program that is started; values may name variables as "${referenceTo('NAME')}".`,
      }),
    assumeSkills: flag('assumeSkills')
      .optional()
      .meta({ description: 'Try skills even if the server does not advertise them.' }),
    dialect: z
      .enum(dialectIds, { error: dialectError })
      .optional()
      .meta({ description: 'Read the server in this dialect only.' }),
    forbidDialects: z
      .array(z.enum(dialectIds, { error: dialectError }), { error: '"forbidDialects" must be a list of dialects' })
      .optional()
      .meta({ description: 'Never read the server in these dialects.' }),
    fetch: z.enum(['session', 'lazy'], { error: '"fetch" must be "session" or "lazy"' }).optional().meta({
      description: 'When the files of a site without digests are fetched: with their skill, or when they are read.',
    }),
    traceparent: flag('traceparent')
      .optional()
      .meta({ description: 'true: send the id of the trace with each request.' }),
    ...waySettings,
    prefix: z
      .string({ error: '"prefix" must be a string' })
      .regex(/^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?(?:\/[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?){0,7}$/, {
        error: '"prefix" must be a path of labels, for example "vendor/tools"',
      })
      .optional()
      .meta({ description: 'Path below the label under which the skills are served.', examples: ['vendor/tools'] }),
    include: patterns('include')
      .optional()
      .meta({ description: 'Only skills whose path within the origin matches one of these are served.' }),
    exclude: patterns('exclude').optional().meta({ description: 'Skills that match one of these are not served.' }),
    listed: flag('listed')
      .optional()
      .meta({ description: 'false: its skills are served to those who know the URI, but not listed.' }),
    pin: pinRules
      .optional()
      .meta({ description: 'Live skills of this origin that are served as snapshots with digests.' }),
  })
  .superRefine((origin, context) => {
    const named = kinds.filter((kind) => origin[kind] !== undefined);
    const [kind, second] = named;
    const all = kinds.map((key) => `"${key}"`).join(', ');
    if (kind === undefined) refuse(context, [], `an origin must have one of ${all}`, 'add "folder": "./skills"');
    else if (second !== undefined)
      refuse(context, [second], `"${kind}" and "${second}" are two origins`, 'give each a label of its own');
    if (kind === undefined || second !== undefined) return;
    for (const [key, allowed] of Object.entries(settingKinds))
      if (key in origin && !allowed.includes(kind))
        refuse(context, [key], `"${key}" has no effect for an origin of the kind "${kind}"`, 'remove it');
    const text = originTextOf(kind, origin);
    if (text !== undefined) refuseUnreadable(text, origin.insecureHttp === true, [kind], context);
  })
  .meta({ description: 'An origin with settings.', oneOf: kinds.map((kind) => ({ required: [kind] })) });

export const originSchema = z.union([originText, originObject], {
  error: 'an origin must be a string such as "./skills", or an object such as {"folder": "./skills"}',
});

type WrittenOrigin = z.output<typeof originSchema>;
type WrittenObject = z.output<typeof originObject>;

/** As on the command line; `undefined` for a list of words. */
function originTextOf(kind: Kind, origin: WrittenObject): string | undefined {
  const value = origin[kind];
  if (typeof value !== 'string') return undefined;
  return kind === 'folder' || kind === 'archive' || kind === 'site' ? value : `${kind}:${value}`;
}

function refuse(context: z.core.$RefinementCtx, path: (string | number)[], message: string, remedy: string): void {
  context.addIssue({ code: 'custom', path, message, params: { remedy } });
}

function refuseUnreadable(text: string, insecureHttp: boolean, path: string[], context: z.core.$RefinementCtx): void {
  try {
    parseConfiguredOrigin(text, { insecureHttp });
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    const message = error.message
      .replace('add --insecure-http', 'add "insecureHttp": true')
      .replace('name it with --token-env or --header', 'name that in "auth" or "headers"')
      .replace('Name the token with --token-env', 'Name the token in "auth"');
    // The message is a sentence about the fault and one about the remedy. Findings have fragments.
    const cut = message.lastIndexOf('. ');
    refuse(context, path, fragment(message.slice(0, cut)), fragment(message.slice(cut + 2, -1)));
  }
}

function fragment(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** The checked origin, with durations in milliseconds. */
export function configuredOrigin(label: string, written: WrittenOrigin): ConfiguredOrigin {
  if (typeof written === 'string') return { label, ...parseConfiguredOrigin(written, {}) };
  const { ttl, deadline, stale, pin, auth, ...settings } = written;
  const { folder, archive, mcp, stdio, site, mdp, git, agent, ...common } = settings;
  return {
    label,
    ...writtenSpec(written),
    ...definedFields({
      ...common,
      // The schema accepts exactly these.
      auth: auth as OriginAuth | undefined,
      ttlMs: ttl === undefined ? undefined : durationMs(ttl),
      deadlineMs: deadline === undefined ? undefined : durationMs(deadline),
      staleMs: stale === undefined ? undefined : durationMs(stale),
      pin: pin?.map(configuredPin),
    }),
  };
}

function writtenSpec(written: WrittenObject): NamedSpec {
  const path = written.folder ?? written.archive;
  if (path !== undefined) return { folder: path };
  if (Array.isArray(written.stdio)) return { command: written.stdio };
  const kind = kinds.find((key) => written[key] !== undefined) ?? 'folder';
  const text = originTextOf(kind, written) ?? '';
  return parseConfiguredOrigin(text, { insecureHttp: written.insecureHttp === true });
}
