/** The MCP server that `connect` adds to a client: a running one, or one that the client starts over stdio. */
import { isAbsolute, relative, resolve } from 'node:path';
import type { ClientScope, McpServer } from '../agents/client-config.ts';
import { parseReadableOrigin } from '../origins/parse-origin.ts';
import { type Cli, usageError } from './cli.ts';
import { type ConnectionOptions, configFlags, refuseSecretInUrl } from './options/connection-options.ts';
import { findOrigins } from './origins/resolve-origins.ts';
import { serverName } from './render/serve-text.ts';

export interface ConnectServerOptions extends ConnectionOptions {
  readonly url?: string;
  readonly name?: string;
  readonly clientId?: string;
}

/** @throws SkillwireError USAGE if there is nothing to connect to, or if the address contains a secret */
export async function connectServer(
  originArgs: readonly string[],
  options: ConnectServerOptions,
  scope: ClientScope,
  cli: Cli,
): Promise<McpServer> {
  const name = options.name ?? serverName;
  if (options.clientId !== undefined && options.url === undefined)
    throw usageError('--client-id has an effect with --url only. Remove it.');
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name))
    throw usageError(`--name "${name}" is not a server name. Use letters, digits, "-" and "_".`);
  return options.url === undefined
    ? stdioServer(name, originArgs, options, scope, cli)
    : remoteServer(name, options.url, originArgs, options);
}

function remoteServer(
  name: string,
  url: string,
  originArgs: readonly string[],
  { tokenEnv, header, passEnv, insecureHttp, clientId }: ConnectServerOptions,
): McpServer {
  if (originArgs.length > 0) throw usageError('--url excludes origins. Remove one of them.');
  if (passEnv !== undefined) throw usageError('--pass-env has no effect with --url. Remove it.');
  const read = { exists: () => false, labels: [], insecureHttp: insecureHttp === true };
  const spec = parseReadableOrigin(`mcp:${url.replace(/^mcp:/i, '')}`, read);
  if (!('url' in spec)) throw usageError(`--url "${url}" is not the address of an MCP server.`);
  refuseSecretInUrl(spec.url);
  return { name, url: spec.url, tokenEnv, headers: header, ...(clientId === undefined ? {} : { clientId }) };
}

async function stdioServer(
  name: string,
  originArgs: readonly string[],
  options: ConnectServerOptions,
  scope: ClientScope,
  cli: Cli,
): Promise<McpServer> {
  const found = await findOrigins(originArgs, { ...options, nested: true }, cli, 'serve');
  // Other people share a project's file, so paths inside the project are relative.
  const shown = (path: string): string => (scope === 'project' ? belowProject(path, cli.cwd) : path);
  const origins = originArgs.length === 0 ? [] : found.arguments.map((argument) => shownOrigin(argument, shown));
  const configured = originArgs.length === 0 || found.origins.some(({ configured: isConfigured }) => isConfigured);
  const config = configured ? configFlags(found.found, shown) : [];
  const { tokenEnv, header = [], passEnv = [] } = options;
  const secrets = [
    ...(tokenEnv === undefined ? [] : ['--token-env', tokenEnv]),
    ...header.flatMap(({ name: of, variable }) => ['--header', `${of}=${variable}`]),
    ...passEnv.flatMap((variable) => ['--pass-env', variable]),
    ...(options.insecureHttp === true ? ['--insecure-http'] : []),
  ];
  const variables = [
    ...(tokenEnv === undefined ? [] : [tokenEnv]),
    ...header.map(({ variable }) => variable),
    ...passEnv,
  ];
  const words = ['npx', '-y', 'skillwire', 'serve', '--stdio', ...origins, ...config, ...secrets];
  // On Windows npx is a script that only a shell can start.
  const [command = 'npx', ...args] = process.platform === 'win32' ? ['cmd', '/c', ...words] : words;
  return { name, command, args, ...(variables.length === 0 ? {} : { env: [...new Set(variables)] }) };
}

function shownOrigin(argument: string, shown: (path: string) => string): string {
  const [, label = '', rest = argument] = /^([^=/\\]+=)(.*)$/s.exec(argument) ?? [];
  return isAbsolute(rest) ? `${label}${shown(rest)}` : argument;
}

function belowProject(path: string, project: string): string {
  const below = relative(project, resolve(project, path));
  if (below === '') return '.';
  return below.startsWith('..') || isAbsolute(below) ? path : `./${below.replaceAll('\\', '/')}`;
}
