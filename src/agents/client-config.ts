/**
 * What a host has to be told about an MCP server: the entry, the text to paste, and where it belongs. One generator for the
 * command line, the page and the documentation. Never writes anything, never holds a secret: variables are named, and a host that
 * cannot read variables is refused one.
 */
import { SkillwireError } from '../errors.ts';
import {
  type ClientFile,
  type ClientId,
  type ClientLanguage,
  type ClientRow,
  clientRows,
  inputId,
} from './client-rows.ts';
import { type ClientEntry, type McpServer, serverVariables } from './mcp-server.ts';
import { tomlTable } from './toml-table.ts';
import { yamlBlock } from './yaml-block.ts';

export type { ClientId } from './client-rows.ts';
export type { McpServer, StdioServer } from './mcp-server.ts';

export type ClientScope = 'project' | 'user';

export interface ClientConfig {
  /** As a person reads it: below the project, or with `~` or `%APPDATA%` for the user's own. */
  readonly file: string;
  readonly language: ClientLanguage;
  /** The whole file, where there is none yet. */
  readonly text: string;
  /** The key of the file under which servers stand. */
  readonly root: string;
  readonly name: string;
  readonly entry: ClientEntry;
  /** What VS Code asks the person for. */
  readonly inputs: readonly ClientInput[];
  /** Environment variables that the host needs; their values are nowhere in the text. */
  readonly variables: readonly string[];
  readonly notes: readonly string[];
  /** The one command that does the same, where the host has one. */
  readonly command?: string;
  /** A link that opens the host with the server filled in, where it has one. */
  readonly link?: string;
}

export interface ClientInput {
  readonly type: 'promptString';
  readonly id: string;
  readonly description: string;
  readonly password: true;
}

export interface ClientConfigOptions {
  /** Default: the file of the project where the host has one. */
  readonly scope?: ClientScope;
  readonly platform?: string;
}

export const clientIds: readonly ClientId[] = Object.keys(clientRows) as ClientId[];

/** The name of the host as people write it. */
export function clientTitle(id: ClientId): string {
  return clientRows[id].title;
}

/**
 * What to put into which file so that the host knows the server.
 *
 * @throws SkillwireError USAGE where the host cannot be told this in a file
 */
export function clientConfig(id: ClientId, server: McpServer, options: ClientConfigOptions = {}): ClientConfig {
  const host = clientRows[id];
  const { language, root } = host;
  const variables = serverVariables(server);
  if (variables.length > 0 && host.placeholder === undefined) throw needsLiteral(host, variables);
  const entry = entryFor(host, server);
  const inputs = host.inputs === true ? variables.map(hostInput) : [];
  const [file] = clientFiles(id, options);
  return {
    file,
    language,
    text: write(language, root, server.name, entry, inputs),
    root,
    name: server.name,
    entry,
    inputs,
    variables,
    notes: host.note === undefined || variables.length === 0 ? [] : [host.note],
    ...shortcuts(id, server, entry),
  };
}

/**
 * The files that the host may have in that scope, the usual one first.
 *
 * @throws SkillwireError USAGE where the host has none there
 */
export function clientFiles(id: ClientId, { scope, platform = 'linux' }: ClientConfigOptions = {}): ClientFile {
  const { title, project, user } = clientRows[id];
  if (scope === 'project' && project === undefined) {
    const message = `${title} has no file of a project; leave --project out, its own file serves all projects`;
    throw new SkillwireError('USAGE', message, { data: { host: id } });
  }
  // goose is said to read a file of the project, but only its own is documented.
  if (project !== undefined && (scope === 'project' || (scope === undefined && id !== 'goose'))) return project;
  if (!('linux' in user)) return user;
  return platform === 'win32' || platform === 'darwin' ? user[platform] : user.linux;
}

export interface ClientPlace {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A file of the table as a full path. */
export function clientFilePath(id: ClientId, file: string, { home, project, env }: ClientPlace): string {
  const { home: moved } = clientRows[id];
  const own = moved === undefined ? '' : (env[moved.variable]?.trim() ?? '');
  if (moved !== undefined && own !== '' && file.startsWith(`${moved.replaces}/`))
    return `${own}${file.slice(moved.replaces.length)}`;
  const xdg = env.XDG_CONFIG_HOME?.trim();
  if (xdg && file.startsWith('~/.config/')) return `${xdg}${file.slice('~/.config'.length)}`;
  if (file.startsWith('~/')) return `${home}${file.slice(1)}`;
  if (file.startsWith('%APPDATA%/')) return `${env.APPDATA ?? `${home}/AppData/Roaming`}${file.slice(9)}`;
  return `${project}/${file}`;
}

function entryFor(host: ClientRow, server: McpServer): ClientEntry {
  if (!('url' in server)) return host.stdio(server);
  if (host.remote !== undefined) return host.remote(server);
  throw new SkillwireError(
    'USAGE',
    `${host.title} does not read remote servers such as "${server.url}" from its file; ${host.remoteElsewhere}`,
    { data: { host: host.title, url: server.url } },
  );
}

/** Every key that an entry of this host may get from here: what else stands in an entry belongs to the person. */
export function ownKeys(id: ClientId): readonly string[] {
  const { remote, stdio } = clientRows[id];
  const everything = { name: 'x', url: 'x', tokenEnv: 'x', headers: [{ name: 'x', variable: 'x' }] };
  const command = { name: 'x', command: 'x', args: ['x'], env: ['x'] };
  return [...new Set([...Object.keys(remote?.(everything) ?? {}), ...Object.keys(stdio(command))])];
}

function needsLiteral({ title }: ClientRow, variables: readonly string[]): SkillwireError {
  const message =
    `${title} uses what is written in its file and reads no variables, so the value of "${variables[0]}" would have to stand ` +
    'there; leave the variable out and sign in from the host, or choose another host';
  return new SkillwireError('USAGE', message, { data: { host: title, variables } });
}

function hostInput(variable: string): ClientInput {
  return { type: 'promptString', id: inputId(variable), description: `Value of ${variable}`, password: true };
}

function write(
  language: ClientLanguage,
  root: string,
  name: string,
  entry: ClientEntry,
  inputs: readonly ClientInput[],
): string {
  if (language === 'toml') return tomlTable([root, name], entry);
  if (language === 'yaml') return yamlBlock([root, name], entry);
  const asked = inputs.length === 0 ? {} : { inputs };
  return `${JSON.stringify({ ...asked, [root]: { [name]: entry } }, null, 2)}\n`;
}

function shortcuts(id: ClientId, server: McpServer, entry: ClientEntry): Pick<ClientConfig, 'command' | 'link'> {
  // A command or a link cannot bring variables along, except those that Claude Code expands itself.
  if (id === 'claude-code') return { command: claudeCommand(server, entry) };
  if (serverVariables(server).length > 0) return {};
  const named = { name: server.name, ...entry };
  if (id === 'vscode')
    return {
      command: `code --add-mcp ${shellWord(JSON.stringify(named))}`,
      link: `vscode:mcp/install?${encodeURIComponent(JSON.stringify(named))}`,
    };
  if (id === 'cursor') {
    const config = encodeURIComponent(base64(JSON.stringify(entry)));
    const name = encodeURIComponent(server.name);
    return { link: `cursor://anysphere.cursor-deeplink/mcp/install?name=${name}&config=${config}` };
  }
  return {};
}

function claudeCommand(server: McpServer, { headers = {}, env = {} }: ClientEntry): string {
  const pairs = (values: ClientEntry[string], between: string): string[] =>
    typeof values === 'object' && !Array.isArray(values)
      ? Object.entries(values).map(([key, value]) => `${key}${between}${value}`)
      : [];
  const words =
    'url' in server
      ? ['--transport', 'http', server.name, server.url, ...pairs(headers, ': ').flatMap((pair) => ['--header', pair])]
      : [...pairs(env, '=').flatMap((pair) => ['-e', pair]), server.name, '--', server.command, ...server.args];
  return ['claude', 'mcp', 'add', ...words].map(shellWord).join(' ');
}

function base64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** The one command and the one JSON that serve most hosts. */
export function shortClientHint(server: McpServer): string {
  const { command, text } = clientConfig('claude-code', server);
  return `${command}\n\n${text}`;
}

/** The text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
