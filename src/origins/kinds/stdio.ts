/** `stdio:COMMAND`: an MCP server that is started here, without a shell. */
import { programActs } from '../../trust/location-acts.ts';
import { joinCommand, splitCommand } from '../command-words.ts';
import { openServer, serverSettings, startedProgram } from '../open-server.ts';
import type { OriginKind } from '../origin-kind.ts';
import { wordsField } from '../place-fields.ts';
import type { OpenOriginOptions } from '../place-way.ts';

export interface StdioLocation {
  readonly kind: 'stdio';
  readonly command: readonly string[];
}

export interface OriginCommand {
  readonly label?: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
}

export const stdio: OriginKind<StdioLocation, OriginCommand> = {
  key: 'stdio',
  prefixed: {
    prefixes: ['stdio:'],
    parse: (text, prefix) => ({ command: splitCommand(text.slice(prefix.length)) }),
  },
  spec: 'command',
  location: ({ command }) => ({ kind: 'stdio', command }),
  read: (fields) => ({ kind: 'stdio', command: wordsField(fields, 'command') }),
  text: ({ command }) => `stdio:${joinCommand(command)}`,
  local: false,
  polled: true,
  credentials: 'program',
  acts: ({ command }) => programActs(command),
  open: async (location, way) => openServer(await server(location, way)),
  server,
};

async function server({ command }: StdioLocation, way: OpenOriginOptions) {
  return { ...serverSettings(way), ...(await startedProgram(command, way)) };
}
