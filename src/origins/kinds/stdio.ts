/** `stdio:COMMAND`: an MCP server that is started here, without a shell. */
import { programActs } from '../../trust/place-acts.ts';
import { joinCommand, splitCommand } from '../command-words.ts';
import { openServer, serverSettings, startedProgram } from '../open-server.ts';
import type { OriginKind } from '../origin-kind.ts';
import { wordsField } from '../place-fields.ts';
import type { PlaceWay } from '../place-way.ts';

export interface StdioPlace {
  readonly kind: 'stdio';
  readonly command: readonly string[];
}

export interface OriginCommand {
  readonly label?: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
}

export const stdio: OriginKind<StdioPlace, OriginCommand> = {
  key: 'stdio',
  prefixed: {
    prefixes: ['stdio:'],
    parse: (text, prefix) => ({ command: splitCommand(text.slice(prefix.length)) }),
  },
  spec: 'command',
  place: ({ command }) => ({ kind: 'stdio', command }),
  read: (fields) => ({ kind: 'stdio', command: wordsField(fields, 'command') }),
  text: ({ command }) => `stdio:${joinCommand(command)}`,
  local: false,
  polled: true,
  credentials: 'program',
  acts: ({ command }) => programActs(command),
  open: async (place, way) => openServer(await server(place, way)),
  server,
};

async function server({ command }: StdioPlace, way: PlaceWay) {
  return { ...serverSettings(way), ...(await startedProgram(command, way)) };
}
