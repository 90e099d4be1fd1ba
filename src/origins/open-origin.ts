/** From a named origin to the source that reads it. Nothing is connected, started or read before the source is used. */
import type { Agent } from '../agents/agent-rows.ts';
import { programCredentials } from '../credentials/program-credentials.ts';
import { type OAuthClientProvider, providerCredentials } from '../credentials/provider-credentials.ts';
import { definedFields } from '../defined-fields.ts';
import { SkillwireError } from '../errors.ts';
import type { McpServerSourceOptions } from '../sources/mcp-server/mcp-server-source.ts';
import type { HubDirectory } from '../sources/mdp-runtime/hub-directory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { type Environment, expandHeader, expandText, passedEnv, secretsFromEnv } from './credentials.ts';
import { loginNotUsed, notTrusted } from './file-trust.ts';
import { kindOf, locationText, type OriginLocation } from './kinds.ts';
import type { NamedOrigin } from './named-origin.ts';
import { programGrant } from './origin-auth.ts';
import type { OpenOriginOptions } from './origin-kind.ts';
import { startedBy, viaHeader } from './started-by.ts';
import { issuerFetches, type StoredLogins } from './stored-logins.ts';

/** The settings that all origins of one command or program share. */
export interface OriginContext
  extends Pick<OpenOriginOptions, 'watch' | 'cache' | 'ownDigests' | 'concurrency' | 'agentFolders'> {
  /** Programs without a folder of their own start here, and the search for an agent's project starts here. */
  readonly cwd: string;
  readonly env: Environment;
  /** Resolves names of variables: those of secrets, and `${NAME}` of a configuration. Default: `env`. */
  readonly variables?: Environment;
  /** For each answer, in milliseconds. Overrides the origin's deadline. */
  readonly timeout?: number;
  /** Agents besides those of the table. Called for an `agent:` origin only. */
  readonly agents?: () => Promise<readonly Agent[]>;
  /** The user's stored logins. Called for origins over HTTP that have no token of their own. Absent: none is used. */
  readonly logins?: () => Promise<StoredLogins>;
  /** A program's own OAuth providers. Called for origins over HTTP that have no token of their own; `undefined` for others. */
  readonly authProvider?: (origin: { readonly label: string; readonly url: string }) => OAuthClientProvider | undefined;
  /** Sent with every request, besides those of the origin. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `traceparent` with each request over HTTP. */
  readonly traceParent?: (() => string | undefined) | undefined;
}

/** How to reach an MCP server; `undefined` for other origins. @throws SkillwireError USAGE if a variable with a secret is not set */
export async function serverOptions(
  origin: NamedOrigin,
  context: OriginContext,
): Promise<McpServerSourceOptions | undefined> {
  const { location } = origin;
  const { server } = kindOf(location);
  return server?.(location, await withLogin(origin, context, openOptions(origin, context)));
}

/** @throws SkillwireError NOT_TRUSTED; USAGE if a variable is not set */
export async function openOrigin(origin: NamedOrigin, context: OriginContext) {
  const { label, location } = origin;
  const { watch, cache, headers, ownDigests = false, concurrency, agentFolders = false, traceParent } = context;
  const options = await withLogin(origin, context, openOptions(origin, context));
  const source = await openLocation(location, {
    ...options,
    ...(location.kind === 'agent' ? definedFields({ agents: await context.agents?.() }) : {}),
    ownDigests,
    agentFolders,
    ...definedFields({ concurrency, watch, cache, traceParent }),
    ...(headers === undefined ? {} : { headers: { ...options.headers, ...headers } }),
  });
  return {
    label,
    source,
    /** Whether its skills are files of the user on this machine. */
    local: kindOf(location).local,
  };
}

/** A login is used only if the user named the origin, and if nothing else authenticates its requests. */
async function withLogin(
  { location, trust, auth, label }: NamedOrigin,
  { logins, authProvider }: OriginContext,
  options: OpenOriginOptions,
): Promise<OpenOriginOptions> {
  if (location.kind !== 'mcp' && location.kind !== 'site') return options;
  const named = Object.keys(options.headers ?? {}).some((name) => name.toLowerCase() === 'authorization');
  if (options.credentials !== undefined || options.token !== undefined || named) return options;
  const { url, kind } = location;
  const provider = authProvider?.({ label, url });
  if (provider !== undefined) return { ...options, credentials: providerCredentials(provider) };
  if (logins === undefined) return options;
  const stored = await logins();
  const { standing, file } = trust;
  if (standing !== 'own' && file !== undefined)
    return { ...options, credentials: stored.unusedFor(url, () => loginNotUsed(file, url)) };
  const required = auth !== undefined;
  return { ...options, credentials: stored.credentialsFor({ url, kind, origin: locationText(location), required }) };
}

/** Errors and findings of the source contain none of the secrets. */
export async function openLocation(location: OriginLocation, options: OpenOriginOptions): Promise<SkillSource> {
  const secrets = secretsIn(location, options);
  const source = await kindOf(location).open(location, options);
  const { credentials } = options;
  if (secrets.length === 0 && credentials === undefined) return source;
  const { withoutSecrets } = await import('./without-secrets.ts');
  return withoutSecrets(source, () => [...secrets, ...(credentials?.secrets() ?? [])]);
}

/** The values that must not be shown. The user's environment is no secret of an origin. */
function secretsIn(location: OriginLocation, options: OpenOriginOptions): readonly string[] {
  const { token, headers = {}, env = {} } = options;
  const { credentials } = kindOf(location);
  if (credentials === 'none' || credentials === 'environment') return [];
  const sent = Object.entries(headers).flatMap(([name, value]) => (name === viaHeader ? [] : [value]));
  return [...(token === undefined ? [] : [token]), ...sent, ...Object.values(env)];
}

/** The runtimes behind an `mdp:` origin. @throws SkillwireError USAGE for any other origin */
export async function openDirectory(origin: NamedOrigin, context: OriginContext): Promise<HubDirectory> {
  const { location, label } = origin;
  const kind = kindOf(location);
  if (kind.hub !== undefined) return kind.hub(location, openOptions(origin, context));
  throw new SkillwireError(
    'USAGE',
    `"${label}" has no runtimes. Name a hub, for example mdp:ws://127.0.0.1:4711, or start one with "skillwire serve --mdp".`,
    { data: { label } },
  );
}

/** How to reach an origin, with its secrets. @throws SkillwireError NOT_TRUSTED; USAGE if a variable is not set */
function openOptions(origin: NamedOrigin, { timeout, cwd, env, variables = env }: OriginContext): OpenOriginOptions {
  const { standing, file, at } = origin.trust;
  if (standing === 'untrusted' && file !== undefined) throw notTrusted(file, at === undefined ? undefined : [at]);
  const { location, era, assumeSkills, siteFetch, dialect, forbidDialects, settings = {}, label } = origin;
  const { credentials } = kindOf(location);
  if (credentials === 'none') return {};
  const shared = {
    era,
    assumeSkills,
    siteFetch,
    guarded: standing !== 'own',
    cwd: origin.cwd ?? cwd,
    dialect,
    forbidDialects,
    timeoutMs: timeout ?? settings.deadlineMs,
  };
  if (credentials === 'environment') return { ...shared, env: definedFields(env) as Readonly<Record<string, string>> };
  const of = `of the origin "${label}"`;
  if (credentials === 'program') {
    const own = mapValues(settings.env, (text) => expandText(text, `"env" ${of}`, variables));
    return {
      ...shared,
      env: { ...passedEnv(origin.passEnv, variables), ...own },
      startedBy: startedBy(variables, { label, file: origin.configuredIn }),
    };
  }
  const { token, headers } = secretsFromEnv(origin, variables);
  const bearer = settings.auth !== undefined && 'bearer' in settings.auth ? settings.auth.bearer : undefined;
  const own = mapValues(settings.headers, (text, name) => expandHeader(text, `the header "${name}" ${of}`, variables));
  return {
    ...shared,
    ...(token === undefined ? programLogin(origin, variables) : {}),
    token: bearer === undefined ? token : expandHeader(bearer, `the bearer token ${of}`, variables),
    headers: { ...headers, ...own },
  };
}

/** @throws SkillwireError USAGE if a secret is not there */
function programLogin(
  { location, auth, label }: NamedOrigin,
  env: Environment,
): Pick<OpenOriginOptions, 'credentials'> {
  if (auth === undefined || 'login' in auth || (location.kind !== 'mcp' && location.kind !== 'site')) return {};
  const { url, kind } = location;
  return {
    credentials: programCredentials({
      url,
      kind,
      grant: programGrant(auth, { label, env }),
      fetchFor: issuerFetches(),
    }),
  };
}

function mapValues(
  texts: Readonly<Record<string, string>> = {},
  change: (text: string, name: string) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text, name)]));
}

/** The values that must not be shown, except those that are too short to be redacted. */
export function secretsOf(origin: NamedOrigin, context: OriginContext): readonly string[] {
  return secretsIn(origin.location, openOptions(origin, context)).filter((value) => value.length > 3);
}
