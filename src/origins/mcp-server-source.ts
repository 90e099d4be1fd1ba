/** MCP servers as sources on Node, which can start programs and has a fast SHA-256. */
import { type OAuthClientProvider, providerCredentials } from '../credentials/provider-credentials.ts';
import { dialectIds } from '../dialects/dialect-skill.ts';
import { SkillwireError } from '../errors.ts';
import {
  callback,
  checkArgument,
  checkOptions,
  count,
  either,
  flag,
  listOf,
  type OptionChecks,
  oneOf,
  required,
  text,
  texts,
  withMembers,
} from '../skill/checked-options.ts';
import type { McpServerSource, ServerOriginOptions } from '../sources/mcp-server/connection-source.ts';
import {
  mcpServerSource as anyMcpServerSource,
  type McpCommandSourceOptions as CommandOptions,
  type McpServerSourceOptions as LocatedOptions,
  type McpUrlOptions as UrlOptions,
} from '../sources/mcp-server/mcp-server-source.ts';
import { nodeDigest } from '../store/embedded/node-digest.ts';
import type { PrivateRecords } from '../store/private-records.ts';
import { startServerChild } from './start-server-child.ts';
import { storedLogins } from './stored-logins.ts';

export type McpCommandOptions = Omit<CommandOptions, 'startChild'>;

/** How to reach an MCP server at an address, with one kind of credentials at most. */
export interface McpAddressOptions extends UrlOptions {
  /** An OAuth provider of the MCP SDK. A server that hides PKCE is refused. */
  readonly authProvider?: OAuthClientProvider;
  /** The store that `logIn()` wrote the login to. */
  readonly tokens?: PrivateRecords;
}

/** How to reach an MCP server: a URL or a command, with credentials. */
export type McpServerOptions = McpAddressOptions | McpCommandOptions;

const serverOptions = withMembers<McpServerOptions>('an object with "url" or "command"');
const originChecks: OptionChecks<ServerOriginOptions & Pick<McpAddressOptions, 'era'>> = {
  name: text,
  timeoutMs: count,
  assumeSkills: flag,
  dialect: oneOf(...dialectIds),
  forbidDialects: listOf(oneOf(...dialectIds), 'a list of dialects'),
  onRemark: callback(),
  digest: callback(),
  era: oneOf('auto', 'modern', 'legacy'),
};
const urlChecks: OptionChecks<McpAddressOptions> = {
  ...originChecks,
  url: required(either(text, withMembers<URL>('a URL', 'href'))),
  headers: withMembers('an object'),
  insecureHttp: flag,
  namedByUser: flag,
  concurrency: count,
  lookup: callback(),
  traceParent: callback(),
  token: either(text, callback()),
  authProvider: withMembers('a provider of the MCP SDK'),
  tokens: withMembers('a store of logins'),
  credentials: withMembers('an object'),
};
const commandChecks: OptionChecks<McpCommandOptions> = {
  ...originChecks,
  command: required(text),
  args: texts,
  env: withMembers('an object'),
  cwd: text,
};

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
  checkArgument('mcpServerSource()', 'options', options, serverOptions);
  if ('command' in options) checkOptions('mcpServerSource()', options, commandChecks);
  else checkOptions('mcpServerSource()', options, urlChecks);
  return locatedServer('command' in options ? { ...options, startChild: startServerChild } : withCredentials(options));
}

/** For an origin whose options were checked where they were written. */
export function locatedServer(options: LocatedOptions): McpServerSource {
  return anyMcpServerSource({ ...options, digest: options.digest ?? nodeDigest });
}

function withCredentials({ authProvider, tokens, ...options }: McpAddressOptions): UrlOptions {
  const given = [options.token, options.credentials, authProvider, tokens].filter((one) => one !== undefined);
  if (given.length > 1)
    throw new SkillwireError('USAGE', 'Use only one of "token", "authProvider" and "tokens" for a server.');
  if (authProvider !== undefined) return { ...options, credentials: providerCredentials(authProvider) };
  if (tokens === undefined) return options;
  const url = String(options.url);
  const target = { url, kind: 'mcp', origin: `mcp:${url}` } as const;
  return { ...options, credentials: storedLogins(tokens).credentialsFor(target) };
}
