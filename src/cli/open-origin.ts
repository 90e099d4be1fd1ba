/** From an origin that was named to the source that reads it. Nothing is connected, started or read before something is asked of it. */
import { SkillwireError } from '../errors.ts';
import { expandHeader, expandText } from '../gateway/environment-text.ts';
import type { HostOrigin } from '../host/host.ts';
import { limits } from '../limits.ts';
import { openHub, openPlace, type PlaceWay, serverOptions as serverOptionsOf } from '../node/open-place.ts';
import { startedBy } from '../node/self-listing.ts';
import { notTrusted } from '../node/workspace-trust.ts';
import type { McpServerOptions } from '../sources/mcp-server/mcp-server-source.ts';
import type { HubDirectory } from '../sources/mdp-runtime/hub-directory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { Cli } from './cli.ts';
import { type ConnectionOptions, passedEnv, secretsFromEnv } from './connection-options.ts';
import type { ReadingOrigin } from './reading-origins.ts';

type Way = Pick<ConnectionOptions, 'timeout'>;
type Place = Pick<Cli, 'cwd' | 'env' | 'stderr'>;

/** How an MCP server is reached; undefined for what is none. @throws SkillwireError USAGE where a variable with a secret is not set */
export async function serverOptions(
  origin: ReadingOrigin,
  way: Way,
  cli: Place,
): Promise<McpServerOptions | undefined> {
  const { place } = origin;
  return place.kind === 'mcp' || place.kind === 'stdio' ? serverOptionsOf(place, wayTo(origin, way, cli)) : undefined;
}

/** @param own see `openMirrored()` */
export async function openOrigin(
  origin: ReadingOrigin,
  way: Way,
  cli: Place,
  { ownDigests = false }: { readonly ownDigests?: boolean } = {},
): Promise<HostOrigin> {
  const { label, place } = origin;
  const source = await openPlace(place, { ...wayTo(origin, way, cli), ...(await agentsFor(place, cli)), ownDigests });
  return { label, source, local: place.kind === 'folder' || place.kind === 'agent' };
}

/** Agents that the configuration knows besides; asked for only where one is named. */
async function agentsFor({ kind }: ReadingOrigin['place'], cli: Place): Promise<Pick<PlaceWay, 'agents'>> {
  if (kind !== 'agent') return {};
  const { trustedAgents } = await import('./trusted-agents.ts');
  return { agents: await trustedAgents({}, cli) };
}

/** What a mirror needs besides: digests for what has none of its own. */
export async function openMirrored(
  origin: ReadingOrigin,
  way: Way & Pick<PlaceWay, 'watch' | 'cache' | 'headers'>,
  cli: Place,
): Promise<SkillSource> {
  const { watch, cache, headers } = way;
  const own = wayTo(origin, way, cli);
  return openPlace(origin.place, {
    ...own,
    ...(await agentsFor(origin.place, cli)),
    ownDigests: true,
    // One that is slow must not keep the others waiting; how much is asked of each is bounded by its guard.
    concurrency: limits.gateway.mostConcurrency,
    ...(watch === undefined ? {} : { watch }),
    ...(cache === undefined ? {} : { cache }),
    headers: { ...own.headers, ...headers },
  });
}

/** The runtimes behind an `mdp:` origin. @throws SkillwireError USAGE for any other one */
export async function openDirectory(origin: ReadingOrigin, way: Way, cli: Place): Promise<HubDirectory> {
  const { place, label } = origin;
  if (place.kind === 'mdp' || place.kind === 'mdp-stdio') return openHub(place, wayTo(origin, way, cli));
  throw new SkillwireError(
    'USAGE',
    `"${label}" has no runtimes; name a hub, for example mdp:ws://127.0.0.1:4711, or start one with "skillwire serve --mdp"`,
    { data: { label } },
  );
}

/** How an origin is reached, with its secrets. @throws SkillwireError USAGE where a variable is not set */
function wayTo(origin: ReadingOrigin, { timeout }: Way, { cwd, env }: Place): PlaceWay {
  const { standing, file, at } = origin.trust;
  if (standing === 'untrusted' && file !== undefined) throw notTrusted(file, at === undefined ? undefined : [at]);
  const { place, era, assumeSkills, siteFetch, dialect, forbidDialects, settings = {}, label } = origin;
  const timeoutMs = timeout ?? settings.deadlineMs;
  const shared = {
    era,
    assumeSkills,
    siteFetch,
    guarded: standing !== 'own',
    cwd: origin.cwd ?? cwd,
    ...(dialect === undefined ? {} : { dialect }),
    ...(forbidDialects === undefined ? {} : { forbidDialects }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  if (place.kind === 'folder' || place.kind === 'archive') return {};
  // Git and the folders of agents are found by the environment of the user.
  if (place.kind === 'git' || place.kind === 'agent') return { ...shared, env: definedOf(env) };
  const of = `of the origin "${label}"`;
  if (place.kind === 'stdio' || place.kind === 'mdp-stdio') {
    const own = Object.entries(settings.env ?? {}).map(([name, text]) => [name, expandText(text, `"env" ${of}`, env)]);
    const starter = startedBy(env, { label, file: origin.configuredIn });
    return {
      ...shared,
      env: { ...passedEnv(origin.passEnv, env), ...Object.fromEntries(own) },
      ...(starter === undefined ? {} : { startedBy: starter }),
    };
  }
  const { token, headers } = secretsFromEnv(origin, env);
  const own = Object.entries(settings.headers ?? {}).map(([name, text]) => [
    name,
    expandHeader(text, `the header "${name}" ${of}`, env),
  ]);
  return {
    ...shared,
    ...(token === undefined ? {} : { token }),
    headers: { ...headers, ...Object.fromEntries(own) },
  };
}

function definedOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The values that must not be shown. */
export function secretsOf(origin: ReadingOrigin, cli: Place): readonly string[] {
  const { kind } = origin.place;
  if (kind === 'git' || kind === 'agent') return [];
  const { token, headers = {}, env = {} } = wayTo(origin, {}, cli);
  return [...(token === undefined ? [] : [token]), ...Object.values(headers), ...Object.values(env)].filter(
    (value) => value.length > 3,
  );
}
