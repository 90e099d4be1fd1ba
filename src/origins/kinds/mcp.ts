/** MCP servers: `mcp:URL` at an address, `stdio:COMMAND` as a program that is started here, without a shell. */
import { definedFields } from '../../defined-fields.ts';
import type { McpServerSource } from '../../sources/mcp-server/connection-source.ts';
import type { McpServerSourceOptions } from '../../sources/mcp-server/mcp-server-source.ts';
import { addressActs, programActs } from '../../trust/acts.ts';
import { joinCommand, splitCommand } from '../command-words.ts';
import { httpUrl, isPlainHttp } from '../http-address.ts';
import { type OpenOriginOptions, type OriginKind, textField, wordsField } from '../origin-kind.ts';
import { startedByVariable } from '../started-by.ts';

export interface McpLocation {
  readonly kind: 'mcp';
  readonly url: string;
}

export interface OriginServer {
  readonly label?: string;
  /** Normalized; `http:` or `https:`, without user, password and fragment. */
  readonly url: string;
}

export const mcp: OriginKind<McpLocation, OriginServer> = {
  key: 'mcp',
  prefixed: {
    prefixes: ['mcp:'],
    parse: (text, prefix, insecureHttp) => ({ url: serverUrl(text.slice(prefix.length), insecureHttp) }),
  },
  spec: 'url',
  location: ({ url }) => ({ kind: 'mcp', url }),
  read: (fields, insecureHttp) => ({ kind: 'mcp', url: serverUrl(textField(fields, 'url'), insecureHttp) }),
  text: ({ url }) => `mcp:${url}`,
  local: false,
  polled: true,
  credentials: 'http',
  acts: ({ url }, around) => addressActs(url, around),
  open: (location, options) => openServer(serverAt(location, options)),
  server: async (location, options) => serverAt(location, options),
};

function serverAt({ url }: McpLocation, options: OpenOriginOptions) {
  const { guarded, token, credentials, headers, concurrency, traceParent } = options;
  return {
    ...serverSettings(options),
    url,
    insecureHttp: isPlainHttp(url),
    namedByUser: guarded !== true,
    ...definedFields({ token, credentials, headers, concurrency, traceParent }),
  };
}

/** The normalized address of an MCP server. @throws SkillwireError USAGE */
function serverUrl(written: string, insecureHttp: boolean): string {
  const example = 'Write mcp:https://HOST/PATH, for example mcp:http://127.0.0.1:4711/mcp.';
  return httpUrl('mcp:', written, insecureHttp, example).href;
}

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
  open: async (location, options) => openServer(await startedServer(location, options)),
  server: startedServer,
};

async function startedServer({ command }: StdioLocation, options: OpenOriginOptions) {
  return { ...serverSettings(options), ...(await startedProgram(command, options)) };
}

function serverSettings({ era, assumeSkills, dialect, forbidDialects, timeoutMs }: OpenOriginOptions) {
  return definedFields({ era, assumeSkills, dialect, forbidDialects, timeoutMs });
}

export async function startedProgram(words: readonly string[], { cwd, env, startedBy }: OpenOriginOptions) {
  const { startServerChild } = await import('../start-server-child.ts');
  const [command = '', ...args] = words;
  return {
    command,
    args,
    startChild: startServerChild,
    ...definedFields({ cwd }),
    ...(env === undefined && startedBy === undefined
      ? {}
      : { env: { ...env, ...definedFields({ [startedByVariable]: startedBy }) } }),
  };
}

export async function openServer(options: McpServerSourceOptions): Promise<McpServerSource> {
  const { locatedServer } = await import('../mcp-server-source.ts');
  return locatedServer(options);
}
