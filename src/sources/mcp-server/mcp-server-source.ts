/** Public sources of MCP servers: at an address, as a program, or behind a connected client. */
import { limits } from '../../limits.ts';
import { type ConnectedClient, clientWire } from './client-wire.ts';
import { createConnection } from './connection.ts';
import { connectionSource, type McpServerSource, type ServerOriginOptions } from './connection-source.ts';
import { declaringClient, type EraOption, undeclaringClient } from './protocol.ts';
import { type CommandOriginOptions, type HttpOriginOptions, serverConnector } from './server-connector.ts';

interface EraChoice {
  /** Default `auto`: asks the server. */
  readonly era?: EraOption;
}

export interface McpUrlOptions extends ServerOriginOptions, EraChoice, HttpOriginOptions {}

export interface McpCommandSourceOptions extends ServerOriginOptions, EraChoice, CommandOriginOptions {}

export type McpServerSourceOptions = McpUrlOptions | McpCommandSourceOptions;

/**
 * The skills of an MCP server.
 *
 * @example
 * ```ts
 * const source = mcpServerSource({ url: 'https://example.com/mcp', token: process.env.TOKEN });
 * for await (const page of source.list({})) for (const { entry } of page.skills) console.log(entry.uri);
 * ```
 */
export function mcpServerSource(options: McpServerSourceOptions): McpServerSource {
  const { era = 'auto', timeoutMs: deadlineMs = limits.origin.deadlineMs } = options;
  const connector = serverConnector(
    options,
    deadlineMs,
    options.dialect === 'sep-2076' ? undeclaringClient : declaringClient,
  );
  const name = options.name ?? connector.name;
  const connection = createConnection({
    name,
    connect: (signal) => connector.connect(era, { deadlineMs, signal }),
    startsProcess: connector.startsProcess,
  });
  const source = connectionSource(name, connection, options);
  return {
    ...source,
    async close() {
      await source.close();
      connector.close();
    },
  };
}

/**
 * Serves the skills of the server that a client of the official SDK (1.x or 2.x) is connected to. Closing leaves the
 * client open.
 */
export function clientSource(client: ConnectedClient, options: ServerOriginOptions = {}): McpServerSource {
  const wire = clientWire(client, { closes: false });
  const name = options.name ?? wire.serverInfo?.name ?? 'the connected server';
  const connection = createConnection({ name, connect: async () => wire, startsProcess: false });
  return connectionSource(name, connection, options);
}
