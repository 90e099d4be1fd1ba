/** MCP servers as sources: what the servers at an address and the started ones share. */

import { given } from '../given.ts';
import type { McpServerSource } from '../sources/mcp-server/connection-source.ts';
import type { McpServerOptions } from '../sources/mcp-server/mcp-server-source.ts';
import type { OpenOriginOptions } from './place-way.ts';
import { startedByVariable } from './started-by.ts';

export function serverSettings({ era, assumeSkills, dialect, forbidDialects, timeoutMs }: OpenOriginOptions) {
  return given({ era, assumeSkills, dialect, forbidDialects, timeoutMs });
}

export async function startedProgram(words: readonly string[], { cwd, env, startedBy }: OpenOriginOptions) {
  const { startServerChild } = await import('./start-server-child.ts');
  const [command = '', ...args] = words;
  return {
    command,
    args,
    startChild: startServerChild,
    ...given({ cwd }),
    ...(env === undefined && startedBy === undefined
      ? {}
      : { env: { ...env, ...given({ [startedByVariable]: startedBy }) } }),
  };
}

export async function openServer(options: McpServerOptions): Promise<McpServerSource> {
  const { mcpServerSource } = await import('./mcp-server-source.ts');
  return mcpServerSource(options);
}
