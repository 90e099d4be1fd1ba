/** From an origin that was named to the source that reads it. Nothing is connected, started or read before something is asked of it. */
import type { Agent } from '../agents/agent-rows.ts';
import { SkillwireError } from '../errors.ts';
import type { McpServerOptions } from '../sources/mcp-server/mcp-server-source.ts';
import type { HubDirectory } from '../sources/mdp-runtime/hub-directory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { passedEnv, secretsFromEnv } from './credentials.ts';
import { type Environment, expandHeader, expandText } from './environment-text.ts';
import { notTrusted } from './judged-file.ts';
import { kindOf } from './kinds.ts';
import type { NamedOrigin } from './named-origin.ts';
import { openLocation, secretsFor } from './open-place.ts';
import type { OpenOriginOptions } from './place-way.ts';
import { startedBy } from './started-by.ts';

/** What all origins of one command or program share. */
export interface OriginContext
  extends Pick<OpenOriginOptions, 'watch' | 'cache' | 'ownDigests' | 'concurrency' | 'agentFolders'> {
  /** Where programs start that have no folder of their own, and where the project of an agent is looked for. */
  readonly cwd: string;
  readonly env: Environment;
  /** Where names of variables are looked up, those of secrets and `${NAME}` of a configuration. Default: `env`. */
  readonly variables?: Environment;
  /** For each answer, in milliseconds; over the deadline of the origin. */
  readonly timeout?: number;
  /** Agents besides those of the table. Called for an `agent:` origin only. */
  readonly agents?: () => Promise<readonly Agent[]>;
  /** Sent with every request, besides those of the origin. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface OpenedOrigin {
  readonly label: string;
  readonly source: SkillSource;
  /** Whether its skills are files of the user on this machine. */
  readonly local: boolean;
}

/** How an MCP server is reached; undefined for other origins. @throws SkillwireError USAGE if a variable with a secret is not set */
export async function serverOptions(
  origin: NamedOrigin,
  context: OriginContext,
): Promise<McpServerOptions | undefined> {
  const { location } = origin;
  return kindOf(location).server?.(location, openOptions(origin, context));
}

/** @throws SkillwireError NOT_TRUSTED; USAGE if a variable is not set */
export async function openOrigin(origin: NamedOrigin, context: OriginContext): Promise<OpenedOrigin> {
  const { label, location } = origin;
  const { watch, cache, headers, ownDigests = false, concurrency, agentFolders = false } = context;
  const way = openOptions(origin, context);
  const source = await openLocation(location, {
    ...way,
    ...(await agentsFor(location, context)),
    ownDigests,
    agentFolders,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(watch === undefined ? {} : { watch }),
    ...(cache === undefined ? {} : { cache }),
    ...(headers === undefined ? {} : { headers: { ...way.headers, ...headers } }),
  });
  return { label, source, local: kindOf(location).local };
}

async function agentsFor(
  { kind }: NamedOrigin['location'],
  { agents }: OriginContext,
): Promise<Pick<OpenOriginOptions, 'agents'>> {
  return kind !== 'agent' || agents === undefined ? {} : { agents: await agents() };
}

/** The runtimes behind an `mdp:` origin. @throws SkillwireError USAGE for any other one */
export async function openDirectory(origin: NamedOrigin, context: OriginContext): Promise<HubDirectory> {
  const { location, label } = origin;
  const kind = kindOf(location);
  if (kind.hub !== undefined) return kind.hub(location, openOptions(origin, context));
  throw new SkillwireError(
    'USAGE',
    `"${label}" has no runtimes; name a hub, for example mdp:ws://127.0.0.1:4711, or start one with "skillwire serve --mdp"`,
    { data: { label } },
  );
}

/** How an origin is reached, with its secrets. @throws SkillwireError NOT_TRUSTED; USAGE if a variable is not set */
function openOptions(origin: NamedOrigin, { timeout, cwd, env, variables = env }: OriginContext): OpenOriginOptions {
  const { standing, file, at } = origin.trust;
  if (standing === 'untrusted' && file !== undefined) throw notTrusted(file, at === undefined ? undefined : [at]);
  const { location, era, assumeSkills, siteFetch, dialect, forbidDialects, settings = {}, label } = origin;
  const timeoutMs = timeout ?? settings.deadlineMs;
  const shared = {
    era,
    assumeSkills,
    siteFetch,
    guarded: standing !== 'own',
    cwd: origin.cwd ?? cwd,
    dialect,
    forbidDialects,
    timeoutMs,
  };
  const { credentials } = kindOf(location);
  if (credentials === 'none') return {};
  if (credentials === 'environment') return { ...shared, env: definedOf(env) };
  const of = `of the origin "${label}"`;
  if (credentials === 'program') {
    const own = Object.entries(settings.env ?? {}).map(([name, text]) => [
      name,
      expandText(text, `"env" ${of}`, variables),
    ]);
    const starter = startedBy(variables, { label, file: origin.configuredIn });
    return {
      ...shared,
      env: { ...passedEnv(origin.passEnv, variables), ...Object.fromEntries(own) },
      startedBy: starter,
    };
  }
  const { token: named, headers } = secretsFromEnv(origin, variables);
  const { auth } = settings;
  const token = auth === undefined ? named : expandHeader(auth.bearer, `the bearer token ${of}`, variables);
  const own = Object.entries(settings.headers ?? {}).map(([name, text]) => [
    name,
    expandHeader(text, `the header "${name}" ${of}`, variables),
  ]);
  return { ...shared, token, headers: { ...headers, ...Object.fromEntries(own) } };
}

function definedOf(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The values that must not be shown, without those that are too short to be taken out of a text. */
export function secretsOf(origin: NamedOrigin, context: OriginContext): readonly string[] {
  return secretsFor(origin.location, openOptions(origin, context)).filter((value) => value.length > 3);
}
