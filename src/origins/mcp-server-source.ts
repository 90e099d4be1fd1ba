/** MCP servers as sources on Node, which can start programs and has a fast SHA-256. */
import type { McpServerSource } from '../sources/mcp-server/connection-source.ts';
import {
  mcpServerSource as anyMcpServerSource,
  type McpCommandSourceOptions as CommandOptions,
  type McpUrlOptions,
} from '../sources/mcp-server/mcp-server-source.ts';
import { nodeDigest } from '../store/embedded/node-digest.ts';
import { startServerChild } from './start-server-child.ts';

export type McpCommandOptions = Omit<CommandOptions, 'startChild'>;
/** How to reach an MCP server: a URL or a command, with credentials. */
export type McpServerOptions = McpUrlOptions | McpCommandOptions;

/**
 * The skills of an MCP server, at an address or as a program that is started on first use.
 *
 * @example
 * ```ts
 * const remote = mcpServerSource({ url: 'https://example.com/mcp', token: process.env.TOKEN });
 * const local = mcpServerSource({ command: 'npx', args: ['-y', 'some-mcp-server'] });
 * ```
 */
export function mcpServerSource(options: McpServerOptions): McpServerSource {
  const full = { ...options, digest: options.digest ?? nodeDigest };
  return anyMcpServerSource('command' in full ? { ...full, startChild: startServerChild } : full);
}
