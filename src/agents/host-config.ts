/**
 * How each host is told about an MCP server: which file, which root key, which spelling. Data first; the text is made to be
 * pasted by a person and is never written anywhere by this file. No tokens: nothing secret is ever put into the text.
 */
import { SkillwireError } from '../errors.ts';
import { tomlTable } from './toml-table.ts';
import { yamlBlock } from './yaml-block.ts';

export type McpServer = RemoteServer | StdioServer;

export interface RemoteServer {
  /** The name that the host shows; a key in its file. */
  readonly name: string;
  readonly url: string;
}

export interface StdioServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

export interface HostConfig {
  /** Below the project where the host has such a file, else the user's own, with `~` for the home folder. */
  readonly file: string;
  readonly language: 'json' | 'toml' | 'yaml';
  readonly text: string;
}

export type HostId =
  | 'claude-code'
  | 'claude-desktop'
  | 'cursor'
  | 'vscode'
  | 'codex'
  | 'gemini-cli'
  | 'windsurf'
  | 'cline'
  | 'goose'
  | 'opencode'
  | 'zed'
  | 'copilot-cli';

/** A value of a server's entry. */
type Setting = string | number | boolean | readonly string[];
type Entry = Readonly<Record<string, Setting>>;

interface Host {
  readonly title: string;
  readonly file: string;
  readonly language: HostConfig['language'];
  readonly root: string;
  /** Absent where the host takes remote servers in another way only, which `remoteElsewhere` names. */
  readonly remote?: (server: RemoteServer) => Entry;
  readonly remoteElsewhere?: string;
  readonly stdio: (server: StdioServer) => Entry;
}

const plainStdio = ({ command, args }: StdioServer): Entry => ({ command, args });
const typedRemote = ({ url }: RemoteServer): Entry => ({ type: 'http', url });

const hosts: Readonly<Record<HostId, Host>> = {
  'claude-code': {
    title: 'Claude Code',
    file: '.mcp.json',
    language: 'json',
    root: 'mcpServers',
    remote: typedRemote,
    stdio: plainStdio,
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    file: 'claude_desktop_config.json',
    language: 'json',
    root: 'mcpServers',
    remoteElsewhere: 'add the address under Settings > Connectors, or let the host start "skillwire serve --stdio"',
    stdio: plainStdio,
  },
  cursor: {
    title: 'Cursor',
    file: '.cursor/mcp.json',
    language: 'json',
    root: 'mcpServers',
    remote: ({ url }) => ({ url }),
    stdio: plainStdio,
  },
  vscode: {
    title: 'VS Code',
    file: '.vscode/mcp.json',
    language: 'json',
    root: 'servers',
    remote: typedRemote,
    stdio: plainStdio,
  },
  codex: {
    title: 'Codex',
    file: '.codex/config.toml',
    language: 'toml',
    root: 'mcp_servers',
    remote: ({ url }) => ({ url }),
    stdio: plainStdio,
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    file: '.gemini/settings.json',
    language: 'json',
    root: 'mcpServers',
    remote: typedRemote,
    stdio: plainStdio,
  },
  windsurf: {
    title: 'Windsurf',
    file: '~/.codeium/windsurf/mcp_config.json',
    language: 'json',
    root: 'mcpServers',
    remote: ({ url }) => ({ serverUrl: url }),
    stdio: plainStdio,
  },
  cline: {
    title: 'Cline',
    file: 'cline_mcp_settings.json',
    language: 'json',
    root: 'mcpServers',
    remote: ({ url }) => ({ type: 'streamableHttp', url, disabled: false }),
    stdio: (server) => ({ ...plainStdio(server), disabled: false }),
  },
  goose: {
    title: 'goose',
    file: '.goose/config.yaml',
    language: 'yaml',
    root: 'extensions',
    remote: ({ name, url }) => ({ type: 'streamable_http', name, uri: url, enabled: true, timeout: 300 }),
    stdio: ({ name, command, args }) => ({ type: 'stdio', name, cmd: command, args, enabled: true, timeout: 300 }),
  },
  opencode: {
    title: 'OpenCode',
    file: 'opencode.jsonc',
    language: 'json',
    root: 'mcp',
    remote: ({ url }) => ({ type: 'remote', url, enabled: true }),
    stdio: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
  },
  zed: {
    title: 'Zed',
    file: '.zed/settings.json',
    language: 'json',
    root: 'context_servers',
    remote: ({ url }) => ({ source: 'custom', type: 'http', url }),
    stdio: (server) => ({ source: 'custom', ...plainStdio(server) }),
  },
  'copilot-cli': {
    title: 'Copilot CLI',
    file: '.mcp.json',
    language: 'json',
    root: 'mcpServers',
    remote: ({ url }) => ({ type: 'http', url, tools: ['*'] }),
    stdio: (server) => ({ type: 'stdio', ...plainStdio(server), tools: ['*'] }),
  },
};

export const hostIds: readonly HostId[] = Object.keys(hosts) as HostId[];

/** What to paste into which file so that the host knows the server. */
export function hostConfig(id: HostId, server: McpServer): HostConfig {
  const host = hosts[id];
  const { file, language, root } = host;
  return { file, language, text: write(language, root, server.name, entryFor(host, server)) };
}

function entryFor(host: Host, server: McpServer): Entry {
  if (!('url' in server)) return host.stdio(server);
  if (host.remote !== undefined) return host.remote(server);
  throw new SkillwireError(
    'USAGE',
    `${host.title} does not read remote servers such as "${server.url}" from its file; ${host.remoteElsewhere}`,
    { data: { host: host.title, url: server.url } },
  );
}

function write(language: HostConfig['language'], root: string, name: string, entry: Entry): string {
  if (language === 'toml') return tomlTable([root, name], entry);
  if (language === 'yaml') return yamlBlock([root, name], entry);
  return `${JSON.stringify({ [root]: { [name]: entry } }, null, 2)}\n`;
}

/** The one command and the one JSON that serve most hosts. */
export function shortHostHint(server: McpServer): string {
  const command =
    'url' in server
      ? ['claude', 'mcp', 'add', '--transport', 'http', server.name, server.url]
      : ['claude', 'mcp', 'add', server.name, '--', server.command, ...server.args];
  return `${command.map(shellWord).join(' ')}\n\n${hostConfig('claude-code', server).text}`;
}

/** The text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
