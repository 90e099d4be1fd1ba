/**
 * The configuration of a client for an MCP server: the entry, the text to paste, and the file. One generator for the command line, the page
 * and the documentation. Never writes a file and never contains a secret: it names variables, and refuses a client that cannot read them.
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
import { tomlTable, yamlBlock } from './entry-text.ts';
import { type ClientEntry, type McpServer, type RemoteServer, serverVariables } from './mcp-server.ts';

export type { ClientId } from './client-rows.ts';
export type { McpServer, StdioServer } from './mcp-server.ts';

export type ClientScope = 'project' | 'user';

export interface ClientConfig {
  /** For display: below the project, or with `~` or `%APPDATA%` for the user's own. */
  readonly file: string;
  readonly language: ClientLanguage;
  /** The whole file, if there is none yet. */
  readonly text: string;
  /** The key of the servers in the file. */
  readonly root: string;
  readonly name: string;
  readonly entry: ClientEntry;
  /** Values that VS Code asks the person for. */
  readonly inputs: readonly ClientInput[];
  /** Environment variables that the client needs. The text never contains their values. */
  readonly variables: readonly string[];
  readonly notes: readonly string[];
  /** A command of the client that does the same. */
  readonly command?: string;
  /** A link that opens the client with the server filled in. */
  readonly link?: string;
}

export interface ClientInput {
  readonly type: 'promptString';
  readonly id: string;
  readonly description: string;
  readonly password: true;
}

export interface ClientConfigOptions {
  /** Default: the file of the project, if the client has one. */
  readonly scope?: ClientScope;
  readonly platform?: string;
}

export const clientIds: readonly ClientId[] = Object.keys(clientRows) as ClientId[];

/** The name of the client as people write it. */
export function clientTitle(id: ClientId): string {
  return clientRows[id].title;
}

/** The id of the agent in the table of agents that is this client. A client without skill folders has no row there. */
export function agentOfClient(id: ClientId): string {
  return clientRows[id].agent ?? id;
}

/**
 * The configuration that adds the server to the client.
 *
 * @throws SkillwireError USAGE if the client's file does not support such a server
 */
export function clientConfig(id: ClientId, server: McpServer, options: ClientConfigOptions = {}): ClientConfig {
  const client = clientRows[id];
  const { language, root } = client;
  const variables = serverVariables(server);
  if (variables.length > 0 && client.placeholder === undefined) throw readsNoVariables(client, variables);
  const entry = entryFor(client, server);
  const inputs = client.inputs === true ? variables.map(clientInput) : [];
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
    notes: client.note === undefined || variables.length === 0 ? [] : [client.note],
    ...shortcuts(id, server, entry),
  };
}

/**
 * The possible files of the client in that scope, the usual one first.
 *
 * @throws SkillwireError USAGE if the client has none there
 */
export function clientFiles(id: ClientId, { scope, platform = 'linux' }: ClientConfigOptions = {}): ClientFile {
  const { title, project, user } = clientRows[id];
  if (scope === 'project' && project === undefined) {
    const message = `${title} has no project file. Remove --project; its user file serves all projects.`;
    throw new SkillwireError('USAGE', message, { data: { host: id } });
  }
  // Only the user file of goose is documented.
  if (project !== undefined && (scope === 'project' || (scope === undefined && id !== 'goose'))) return project;
  if (!('linux' in user)) return user;
  return platform === 'win32' || platform === 'darwin' ? user[platform] : user.linux;
}

export interface ClientFolders {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The full path of a file of the table. */
export function clientFilePath(id: ClientId, file: string, { home, project, env }: ClientFolders): string {
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

function entryFor(client: ClientRow, server: McpServer): ClientEntry {
  if (!('url' in server)) return client.stdio(server);
  if (client.remote !== undefined) return { ...client.remote(server), ...loginFor(client, server) };
  throw new SkillwireError(
    'USAGE',
    `${client.title} does not read remote servers from its file. ${client.remoteElsewhere}`,
    { data: { host: client.title, url: server.url } },
  );
}

function loginFor({ title, login }: ClientRow, { clientId }: RemoteServer): ClientEntry {
  if (clientId === undefined) return {};
  if (login !== undefined) return login(clientId);
  throw new SkillwireError(
    'USAGE',
    `The file of ${title} has no field for a client id. Remove --client-id, and enter it in the client if it has a place for it.`,
    { data: { host: title } },
  );
}

/** Every key that this program writes into an entry of the client. Other keys belong to the person. */
export function ownKeys(id: ClientId): readonly string[] {
  const { remote, stdio } = clientRows[id];
  const everything = { name: 'x', url: 'x', tokenEnv: 'x', headers: [{ name: 'x', variable: 'x' }] };
  const command = { name: 'x', command: 'x', args: ['x'], env: ['x'] };
  return [...new Set([...Object.keys(remote?.(everything) ?? {}), ...Object.keys(stdio(command))])];
}

function readsNoVariables({ title }: ClientRow, variables: readonly string[]): SkillwireError {
  const message =
    `${title} reads no variables, so its file would contain the value of "${variables[0]}". ` +
    'Remove the variable and sign in from the client, or use another client.';
  return new SkillwireError('USAGE', message, { data: { host: title, variables } });
}

function clientInput(variable: string): ClientInput {
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
  const prompts = inputs.length === 0 ? {} : { inputs };
  return `${JSON.stringify({ ...prompts, [root]: { [name]: entry } }, null, 2)}\n`;
}

function shortcuts(id: ClientId, server: McpServer, entry: ClientEntry): Pick<ClientConfig, 'command' | 'link'> {
  // A command or link cannot contain variables, except those that Claude Code expands itself.
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
      ? [
          ...['--transport', 'http', server.name, server.url],
          ...(server.clientId === undefined ? [] : ['--client-id', server.clientId]),
          ...pairs(headers, ': ').flatMap((pair) => ['--header', pair]),
        ]
      : [...pairs(env, '=').flatMap((pair) => ['-e', pair]), server.name, '--', server.command, ...server.args];
  return ['claude', 'mcp', 'add', ...words].map(shellWord).join(' ');
}

function base64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** The variable that our texts name for the token of a server. Users may choose another one. */
export const tokenVariable = 'SKILLWIRE_TOKEN';

/** The command for Claude Code, and the JSON that most clients accept. */
export function shortClientHint(server: McpServer): string {
  const { command, text } = clientConfig('claude-code', server);
  return `${command}\n\n${text}`;
}

/** The text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
