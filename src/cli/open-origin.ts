/** From an origin that was named to the source that reads it. Nothing is connected, started or read before something is asked of it. */
import { SkillwireError } from '../errors.ts';
import { isLoopbackName } from '../gateway/origin.ts';
import type { HostOrigin } from '../host/host.ts';
import type { McpServerOptions } from '../sources/mcp-server/mcp-server-source.ts';
import type { HubDirectory } from '../sources/mdp-runtime/hub-directory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { Cli } from './cli.ts';
import { type ConnectionOptions, passedEnv, secretsFromEnv } from './connection-options.ts';
import type { ReadingOrigin } from './reading-origins.ts';

type Way = Pick<ConnectionOptions, 'timeout'>;
type Place = Pick<Cli, 'cwd' | 'env'>;

/** How an MCP server is reached; undefined for what is none. @throws SkillwireError USAGE where a variable with a secret is not set */
export async function serverOptions(
  origin: ReadingOrigin,
  { timeout }: Way,
  { cwd, env }: Place,
): Promise<McpServerOptions | undefined> {
  const { place, era, assumeSkills } = origin;
  const shared = { era, assumeSkills, ...(timeout === undefined ? {} : { timeoutMs: timeout }) };
  if (place.kind === 'mcp')
    return { ...shared, url: place.url, insecureHttp: isPlainHttp(place.url), ...secretsFromEnv(origin, env) };
  if (place.kind !== 'stdio') return undefined;
  const { startServerChild } = await import('../node/start-server-child.ts');
  const [command = '', ...args] = place.command;
  return { ...shared, command, args, cwd, env: passedEnv(origin.passEnv, env), startChild: startServerChild };
}

/** An `http:` address of another machine passed the border because the user said so. */
function isPlainHttp(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopbackName(hostname);
}

export async function openOrigin(origin: ReadingOrigin, way: Way, cli: Place): Promise<HostOrigin> {
  const { label, place } = origin;
  return { label, source: await openSource(origin, way, cli), local: place.kind === 'folder' };
}

/** What a mirror needs besides: digests for what has none of its own. */
export async function openMirrored(origin: ReadingOrigin, way: Way, cli: Place): Promise<SkillSource> {
  return openSource(origin, way, cli, { ownDigests: true });
}

async function openSource(
  origin: ReadingOrigin,
  way: Way,
  cli: Place,
  { ownDigests = false }: { readonly ownDigests?: boolean } = {},
): Promise<SkillSource> {
  const { place } = origin;
  if (place.kind === 'folder') {
    const { directorySource } = await import('../sources/directory/directory-source.ts');
    const root = { path: place.path, ...(place.nested === undefined ? {} : { nested: place.nested }) };
    return directorySource([root], { watch: false });
  }
  if (place.kind === 'archive') {
    const { archiveSource } = await import('../sources/archive/archive-source.ts');
    return archiveSource(place.path);
  }
  if (place.kind === 'site') {
    const { siteSource } = await import('../node/site-source.ts');
    return siteSource({
      url: place.url,
      insecureHttp: isPlainHttp(place.url),
      fetch: origin.siteFetch,
      ownDigests,
      ...secretsFromEnv(origin, cli.env),
      ...(way.timeout === undefined ? {} : { timeoutMs: way.timeout }),
    });
  }
  if (place.kind === 'mdp' || place.kind === 'mdp-stdio') {
    const { liveSource } = await import('../sources/mdp-runtime/mdp-runtime-source.ts');
    return liveSource(await openDirectory(origin, way, cli));
  }
  const options = await serverOptions(origin, way, cli);
  if (options === undefined) throw new TypeError(`"${origin.label}" is no MCP server`);
  const { mcpServerSource } = await import('../node/mcp-server-source.ts');
  return mcpServerSource(options);
}

/** The runtimes behind an `mdp:` origin. @throws SkillwireError USAGE for any other one */
export async function openDirectory(
  origin: ReadingOrigin,
  { timeout }: Way,
  { cwd, env }: Place,
): Promise<HubDirectory> {
  const { place, label } = origin;
  if (place.kind === 'mdp-stdio') {
    const [{ mcpServerSource }, { startServerChild }, { toolsDirectory }] = await Promise.all([
      import('../node/mcp-server-source.ts'),
      import('../node/start-server-child.ts'),
      import('../sources/mdp-runtime/tools-directory.ts'),
    ]);
    const [command = '', ...args] = place.hubCommand;
    const server = { command, args, cwd, env: passedEnv(origin.passEnv, env), startChild: startServerChild };
    return toolsDirectory(mcpServerSource({ ...server, ...(timeout === undefined ? {} : { timeoutMs: timeout }) }));
  }
  if (place.kind !== 'mdp')
    throw new SkillwireError(
      'USAGE',
      `"${label}" has no runtimes; name a hub, for example mdp:ws://127.0.0.1:4711, or start one with "skillwire serve --mdp"`,
      { data: { label } },
    );
  const [{ createHttpClient }, { hubDirectory }] = await Promise.all([
    import('../outbound/http-client.ts'),
    import('../sources/mdp-runtime/hub-directory.ts'),
  ]);
  const { token, headers } = secretsFromEnv(origin, env);
  const { protocol, hostname } = new URL(place.hub);
  const client = createHttpClient({
    trustedHost: hostname,
    insecureHttp: protocol === 'ws:' && !isLoopbackName(hostname),
    ...(timeout === undefined ? {} : { deadlineMs: timeout }),
  });
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return hubDirectory({ url: place.hub, client, headers: { ...headers, ...authorization } });
}
