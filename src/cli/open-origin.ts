/** From a server that was named to the source that reads it. Nothing is connected or started before something is asked of it. */
import { SkillwireError } from '../errors.ts';
import { isLoopbackName } from '../gateway/origin.ts';
import type { HostOrigin } from '../host/host.ts';
import { mcpServerSource } from '../node/mcp-server-source.ts';
import { startServerChild } from '../node/start-server-child.ts';
import { createHttpClient } from '../outbound/http-client.ts';
import type { McpServerOptions } from '../sources/mcp-server/mcp-server-source.ts';
import { type HubDirectory, hubDirectory } from '../sources/mdp-runtime/hub-directory.ts';
import { liveSource } from '../sources/mdp-runtime/mdp-runtime-source.ts';
import { toolsDirectory } from '../sources/mdp-runtime/tools-directory.ts';
import type { Cli } from './cli.ts';
import { type ConnectionOptions, passedEnv, secretsFromEnv } from './connection-options.ts';
import type { ReadingOrigin } from './reading-origins.ts';

type Way = Pick<ConnectionOptions, 'timeout'>;
type Place = Pick<Cli, 'cwd' | 'env'>;

/** How an MCP server is reached; undefined for what is none. @throws SkillwireError USAGE where a variable with a secret is not set */
export function serverOptions(
  origin: ReadingOrigin,
  { timeout }: Way,
  { cwd, env }: Place,
): McpServerOptions | undefined {
  const { place, era, assumeSkills } = origin;
  if (place.kind !== 'mcp' && place.kind !== 'stdio') return undefined;
  const shared = { era, assumeSkills, ...(timeout === undefined ? {} : { timeoutMs: timeout }) };
  if (place.kind === 'mcp') {
    const { protocol, hostname } = new URL(place.url);
    const insecureHttp = protocol === 'http:' && !isLoopbackName(hostname);
    return { ...shared, url: place.url, insecureHttp, ...secretsFromEnv(origin, env) };
  }
  const [command = '', ...args] = place.command;
  return { ...shared, command, args, cwd, env: passedEnv(origin.passEnv, env), startChild: startServerChild };
}

/** Of an origin that is not a folder. */
export function openServer(origin: ReadingOrigin, way: Way, place: Place): HostOrigin {
  const options = serverOptions(origin, way, place);
  const source = options === undefined ? liveSource(openDirectory(origin, way, place)) : mcpServerSource(options);
  return { label: origin.label, source, local: false };
}

/** The runtimes behind an `mdp:` origin. @throws SkillwireError USAGE for any other one */
export function openDirectory(origin: ReadingOrigin, { timeout }: Way, { cwd, env }: Place): HubDirectory {
  const { place, label } = origin;
  if (place.kind === 'mdp-stdio') {
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
