/**
 * Which major version of the MCP SDK made a server. The classes of both have the same names, and a program may have several copies of
 * either, so members tell, not `instanceof`.
 */
import { SkillwireError } from '../../errors.ts';

type SdkVersion = 1 | 2;

const entries: Readonly<Record<SdkVersion, string>> = { 1: 'skillwire/mcp-v1', 2: 'skillwire/node' };

/** @throws SkillwireError USAGE if the server is not an `McpServer` of this version */
export function requireServer(server: unknown, wanted: SdkVersion): void {
  if (has(server, 'setRequestHandler'))
    throw usage('This is the low-level Server of the SDK: give addSkills the McpServer');
  const inner = typeof server === 'object' && server !== null && 'server' in server ? server.server : undefined;
  if (!has(server, 'registerResource') || !has(inner, 'setRequestHandler'))
    throw usage('This is not an MCP server: give addSkills an McpServer of the SDK');
  const version: SdkVersion = has(inner, 'getNegotiatedProtocolVersion') ? 2 : 1;
  if (version !== wanted)
    throw usage(`This is an SDK ${version}.x server: import addSkills from '${entries[version]}'`);
}

function has(value: unknown, method: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function';
}

function usage(message: string): SkillwireError {
  return new SkillwireError('USAGE', message);
}
