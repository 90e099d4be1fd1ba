/** From a server that was named to the source that reads it. Nothing is connected or started before something is asked of it. */
import { isLoopbackName } from '../gateway/origin.ts';
import type { HostOrigin } from '../host/host.ts';
import { mcpServerSource } from '../node/mcp-server-source.ts';
import { startServerChild } from '../node/start-server-child.ts';
import type { McpServerOptions } from '../sources/mcp-server/mcp-server-source.ts';
import type { Cli } from './cli.ts';
import { type ConnectionOptions, passedEnv, secretsFromEnv } from './connection-options.ts';
import type { ReadingOrigin } from './reading-origins.ts';

type Way = Pick<ConnectionOptions, 'timeout'>;
type Place = Pick<Cli, 'cwd' | 'env'>;

/** How a server is reached; undefined for a folder. @throws SkillwireError USAGE where a variable with a secret is not set */
export function serverOptions(
  origin: ReadingOrigin,
  { timeout }: Way,
  { cwd, env }: Place,
): McpServerOptions | undefined {
  const { place, era, assumeSkills } = origin;
  if (place.kind === 'folder') return undefined;
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
  if (options === undefined) throw new TypeError(`"${origin.label}" is a folder`);
  return { label: origin.label, source: mcpServerSource(options), local: false };
}
