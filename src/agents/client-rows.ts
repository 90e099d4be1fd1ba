/**
 * The twelve clients as data: file, root key, spelling, and how the file refers to an environment variable. As of November 2026. A client
 * without `placeholder` uses values literally, so its file must not need a secret.
 */
import {
  type ClientEntry,
  headerSettings,
  type RemoteServer,
  type Setting,
  type StdioServer,
  serverVariables,
} from './mcp-server.ts';

export type ClientId =
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

export type ClientLanguage = 'json' | 'toml' | 'yaml';

/** `~/` is the home folder, `%APPDATA%/` the settings folder of Windows. Of several, the first that exists counts, else the first. */
export type ClientFile = readonly [string, ...string[]];
export type UserFile =
  | ClientFile
  | { readonly linux: ClientFile; readonly darwin: ClientFile; readonly win32: ClientFile };

export interface ClientRow {
  readonly title: string;
  /** Its id among the agents, if that is another one. */
  readonly agent?: string;
  readonly language: ClientLanguage;
  readonly root: string;
  readonly project?: ClientFile;
  readonly user: UserFile;
  /** A variable that moves the folder of the user's file. */
  readonly home?: { readonly variable: string; readonly replaces: string };
  readonly placeholder?: (variable: string) => string;
  /** The client asks the person for values and stores them: the file lists them under `inputs`. */
  readonly inputs?: true;
  /** How the file names the client id for a login. Absent if it has no such field. */
  readonly login?: (clientId: string) => ClientEntry;
  /** Absent if the client accepts remote servers only in another way, which `remoteElsewhere` names. */
  readonly remote?: (server: RemoteServer) => ClientEntry;
  readonly remoteElsewhere?: string;
  readonly stdio: (server: StdioServer) => ClientEntry;
  /** A hint for the person, shown if variables are used. */
  readonly note?: string;
}

const dollar = (variable: string): string => `\${${variable}}`;
const dollarEnv = (variable: string): string => `\${env:${variable}}`;
const braces = (variable: string): string => `{env:${variable}}`;
const input = (variable: string): string => `\${input:${inputId(variable)}}`;

/** The id of VS Code's input for the variable. */
export function inputId(variable: string): string {
  return variable.toLowerCase().replaceAll('_', '-');
}

function some(key: string, value: Readonly<Record<string, string>>): ClientEntry {
  return Object.keys(value).length === 0 ? {} : { [key]: value };
}

function listed(key: string, names: readonly string[]): ClientEntry {
  return names.length === 0 ? {} : { [key]: names };
}

function envSettings(names: readonly string[] = [], placeholder = dollar): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, placeholder(name)]));
}

const remoteAs =
  (placeholder: (variable: string) => string, before: Readonly<Record<string, Setting>>, urlKey = 'url') =>
  (server: RemoteServer): ClientEntry => ({
    ...before,
    [urlKey]: server.url,
    ...some('headers', headerSettings(server, placeholder)),
  });

const stdioAs =
  (placeholder: (variable: string) => string, before: Readonly<Record<string, Setting>> = {}) =>
  ({ command, args, env }: StdioServer): ClientEntry => ({
    ...before,
    command,
    args,
    ...some('env', envSettings(env, placeholder)),
  });

const code = {
  linux: '~/.config/Code/User',
  darwin: '~/Library/Application Support/Code/User',
  win32: '%APPDATA%/Code/User',
} as const;

const cline = 'globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';

export const clientRows: Readonly<Record<ClientId, ClientRow>> = {
  'claude-code': {
    title: 'Claude Code',
    language: 'json',
    root: 'mcpServers',
    project: ['.mcp.json'],
    user: ['~/.claude.json'],
    home: { variable: 'CLAUDE_CONFIG_DIR', replaces: '~' },
    placeholder: dollar,
    login: (clientId) => ({ oauth: { clientId } }),
    remote: remoteAs(dollar, { type: 'http' }),
    stdio: stdioAs(dollar),
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    language: 'json',
    root: 'mcpServers',
    user: {
      linux: ['~/.config/Claude/claude_desktop_config.json'],
      darwin: ['~/Library/Application Support/Claude/claude_desktop_config.json'],
      win32: ['%APPDATA%/Claude/claude_desktop_config.json'],
    },
    remoteElsewhere: 'Add the address under Settings > Connectors, or let the client start "skillwire serve --stdio".',
    stdio: stdioAs(dollar),
  },
  cursor: {
    title: 'Cursor',
    language: 'json',
    root: 'mcpServers',
    project: ['.cursor/mcp.json'],
    user: ['~/.cursor/mcp.json'],
    placeholder: dollarEnv,
    login: (clientId) => ({ auth: { CLIENT_ID: clientId } }),
    remote: remoteAs(dollarEnv, {}),
    stdio: stdioAs(dollarEnv),
  },
  vscode: {
    title: 'VS Code',
    language: 'json',
    root: 'servers',
    project: ['.vscode/mcp.json'],
    user: {
      linux: [`${code.linux}/mcp.json`],
      darwin: [`${code.darwin}/mcp.json`],
      win32: [`${code.win32}/mcp.json`],
    },
    placeholder: input,
    inputs: true,
    login: (clientId) => ({ oauth: { clientId } }),
    remote: remoteAs(input, { type: 'http' }),
    stdio: stdioAs(input),
    note: 'VS Code asks for the values once and stores them.',
  },
  codex: {
    title: 'Codex',
    login: (clientId) => ({ oauth: { client_id: clientId } }),
    language: 'toml',
    root: 'mcp_servers',
    project: ['.codex/config.toml'],
    user: ['~/.codex/config.toml'],
    home: { variable: 'CODEX_HOME', replaces: '~/.codex' },
    placeholder: dollar,
    // Codex accepts names of variables and expands none in other texts.
    remote: ({ url, tokenEnv, headers = [] }) => ({
      url,
      ...(tokenEnv === undefined ? {} : { bearer_token_env_var: tokenEnv }),
      ...some('env_http_headers', Object.fromEntries(headers.map(({ name, variable }) => [name, variable]))),
    }),
    stdio: ({ command, args, env = [] }) => ({ command, args, ...listed('env_vars', env) }),
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    language: 'json',
    root: 'mcpServers',
    project: ['.gemini/settings.json'],
    user: ['~/.gemini/settings.json'],
    placeholder: dollar,
    remote: remoteAs(dollar, { type: 'http' }),
    stdio: stdioAs(dollar),
  },
  windsurf: {
    title: 'Windsurf',
    language: 'json',
    root: 'mcpServers',
    user: ['~/.codeium/windsurf/mcp_config.json'],
    placeholder: dollarEnv,
    remote: remoteAs(dollarEnv, {}, 'serverUrl'),
    stdio: stdioAs(dollarEnv),
  },
  cline: {
    title: 'Cline',
    language: 'json',
    root: 'mcpServers',
    user: {
      linux: [`${code.linux}/${cline}`],
      darwin: [`${code.darwin}/${cline}`],
      win32: [`${code.win32}/${cline}`],
    },
    placeholder: dollarEnv,
    remote: (server) => ({ ...remoteAs(dollarEnv, { type: 'streamableHttp' })(server), disabled: false }),
    stdio: (server) => ({ ...stdioAs(dollarEnv)(server), disabled: false }),
  },
  goose: {
    title: 'goose',
    language: 'yaml',
    root: 'extensions',
    project: ['.goose/config.yaml'],
    user: {
      linux: ['~/.config/goose/config.yaml'],
      darwin: ['~/.config/goose/config.yaml'],
      win32: ['%APPDATA%/Block/goose/config/config.yaml'],
    },
    placeholder: dollar,
    remote: (server) => ({
      type: 'streamable_http',
      name: server.name,
      uri: server.url,
      ...some('headers', headerSettings(server, dollar)),
      ...listed('env_keys', serverVariables(server)),
      enabled: true,
      timeout: 300,
    }),
    stdio: ({ name, command, args, env = [] }) => ({
      type: 'stdio',
      name,
      cmd: command,
      args,
      ...listed('env_keys', env),
      enabled: true,
      timeout: 300,
    }),
  },
  opencode: {
    title: 'OpenCode',
    language: 'json',
    root: 'mcp',
    project: ['opencode.jsonc', 'opencode.json', '.opencode/opencode.jsonc', '.opencode/opencode.json'],
    user: ['~/.config/opencode/opencode.jsonc', '~/.config/opencode/opencode.json'],
    placeholder: braces,
    remote: (server) => ({ ...remoteAs(braces, { type: 'remote' })(server), enabled: true }),
    stdio: ({ command, args, env }) => ({
      type: 'local',
      command: [command, ...args],
      ...some('environment', envSettings(env, braces)),
      enabled: true,
    }),
  },
  zed: {
    title: 'Zed',
    language: 'json',
    root: 'context_servers',
    project: ['.zed/settings.json'],
    user: {
      linux: ['~/.config/zed/settings.json'],
      darwin: ['~/.config/zed/settings.json'],
      win32: ['%APPDATA%/Zed/settings.json'],
    },
    remote: remoteAs(dollar, { source: 'custom', type: 'http' }),
    stdio: stdioAs(dollar, { source: 'custom' }),
  },
  'copilot-cli': {
    title: 'Copilot CLI',
    agent: 'github-copilot',
    language: 'json',
    root: 'mcpServers',
    project: ['.mcp.json', '.github/mcp.json'],
    user: ['~/.copilot/mcp-config.json'],
    placeholder: dollar,
    remote: (server) => ({ ...remoteAs(dollar, { type: 'http' })(server), tools: ['*'] }),
    stdio: (server) => ({ ...stdioAs(dollar, { type: 'stdio' })(server), tools: ['*'] }),
    note: 'Copilot CLI expands variables since version 1.0.10.',
  },
};
