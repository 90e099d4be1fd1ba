/**
 * `skillwire serve`: serves folders and mirrors over HTTP or stdio until a signal or the end of stdin. With `--stdio` only the protocol
 * writes to stdout; otherwise stdout gets one line of JSON with `--json`, and nothing else.
 */

import { hostname } from 'node:os';
import { type Command, Option } from 'commander';
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import { type ExitCode, SkillwireError } from '../../errors.ts';
import type { OneStore } from '../../gateway/one-store.ts';
import { limits } from '../../limits.ts';
import { isLoopback } from '../../node/http/host-names.ts';
import type { ServeLimits } from '../../node/http/server-caps.ts';
import { createTrustedProxies } from '../../node/http/trusted-proxies.ts';
import type { ServeHttpOptions } from '../../node/serve.ts';
import type { ServeMdpOptions } from '../../node/serve-mdp.ts';
import { servingMachine } from '../../node/serving-machine.ts';
import { usersStore } from '../../node/users-store.ts';
import { secretIn } from '../../origins/credentials.ts';
import { durationMs } from '../../origins/time-span.ts';
import { dialectOptionsOf } from '../../surfaces/mcp/aliases/served-dialects.ts';
import { announce } from '../announce-serving.ts';
import { type Cli, type GlobalOptions, runs, usageError } from '../cli.ts';
import { groups, rareOption } from '../help/option-groups.ts';
import { untilStopped } from '../interrupts.ts';
import {
  addConfigOptions,
  addCredentialOptions,
  addStateOption,
  parseVariable,
  type StateOptions,
} from '../options/connection-options.ts';
import { addDialectOptions, type DialectFlags } from '../options/dialect-options.ts';
import { defaultListenAddress, type ListenAddress, parseListenAddress } from '../options/listen-address.ts';
import { addMdpOptions, type MdpOptions, mdpOptions } from '../options/mdp-options.ts';
import { agentFoldersOption, archiveFormatOption, publishOption } from '../options/publish-options.ts';
import { limitNames, parseLimit } from '../options/serve-limits.ts';
import { originContext } from '../origins/origin-context.ts';
import type { OriginOptions } from '../origins/trusted-origins.ts';
import { createServeLog, type LogFormat, type ServeLog } from '../serve-log.ts';
import { keepYoungGenerationSmall } from '../v8-flags.ts';

interface ServeCommandOptions extends GlobalOptions, OriginOptions, MdpOptions, StateOptions, DialectFlags {
  readonly stdio?: boolean;
  readonly http?: ListenAddress;
  readonly watch: boolean;
  readonly cache: boolean;
  readonly allowedHost?: readonly string[];
  readonly allowedOrigin?: readonly string[];
  readonly allowUnauthenticatedRemote?: boolean;
  readonly archiveFormat?: ArchiveFormat;
  readonly limit?: ServeLimits;
  readonly search?: boolean;
  readonly listAll?: boolean;
  readonly pageTokenEnv?: string;
  readonly logFormat?: LogFormat;
  readonly trustedProxy?: readonly string[];
  readonly drain?: number;
  readonly replica?: string;
}

const help = `
ORIGIN is a folder, a label of skillwire.json, or an origin to mirror: an archive (./skills.zip), a site (https://HOST) or
an MCP server (mcp:URL, stdio:COMMAND). LABEL=ORIGIN serves its skills below skill://LABEL/. A mirror serves the origin's
skills with a digest for each file, polls it for changes, and keeps serving while the origin is down.

Without ORIGIN, all origins of skillwire.json are served: the file of --config, else the nearest one upwards, else your
own. Its rules always apply.

Exit codes:
  0 stopped by SIGTERM or the end of stdin, 2 failed, 3 not authorized to mirror, 4 no mirror is reachable,
  130 interrupted by Ctrl-C

Examples:
  skillwire serve ./skills
  skillwire serve ./skills team=../team/skills --http 8080
  skillwire serve ./skills --stdio
  skillwire serve https://docs.example.com
  skillwire serve ./skills --mdp
  skillwire serve ./skills --dialects all
  skillwire serve --config deploy/skillwire.json --http 0.0.0.0:80 --allow-unauthenticated-remote`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  const { host, port } = defaultListenAddress;
  addConfigOptions(addDialectOptions(addCredentialOptions(addStateOption(addMdpOptions(command)))))
    .usage('[[LABEL=]ORIGIN...] [options]')
    .argument('[origin...]', 'Folders, labels, or origins to mirror')
    .addOption(
      new Option('--stdio', 'Speak MCP over stdin and stdout instead of HTTP').conflicts(['http', 'archiveFormat']),
    )
    .option(
      '--http <[host:]port>',
      `Address to listen on; port 0 picks a free one (default: ${host}:${port})`,
      parseListenAddress,
    )
    .option('--search', 'Offer the tool search_skills (always on with skillwire.json)')
    .option('--no-watch', 'Do not watch folders for changes')
    .addOption(rareOption('common', '--no-cache', 'Do not use the cache of read files'))
    .addOption(rareOption('common', '--no-nested', 'Do not serve nested skills'))
    .addOption(agentFoldersOption())
    .addOption(publishOption())
    .addOption(
      rareOption('common', '--project-config <file>', 'Configuration of a project; acting lines need trust').conflicts(
        'config',
      ),
    )
    .optionsGroup(groups.server)
    .option('--allowed-host <name>', 'Answer requests for this host name too (repeatable)', collectHost)
    .addOption(
      rareOption('server', '--allowed-origin <origin>', 'Answer pages of this web origin too (repeatable)').argParser(
        collectOrigin,
      ),
    )
    .addOption(
      rareOption('server', '--limit <name=number>', `Most ${limitNames.join(', ')} (repeatable)`).argParser(parseLimit),
    )
    .option('--allow-unauthenticated-remote', 'Listen beyond loopback; anyone who reaches the port may read')
    .option(
      '--page-token-env <name>',
      'Let browsers approve skills with the token in this variable',
      parseVariable('--page-token-env'),
    )
    .addOption(
      rareOption(
        'server',
        '--trusted-proxy <range>',
        'Believe X-Forwarded-For of these proxies: an address or CIDR range (repeatable)',
      ).argParser(collectRange),
    )
    .addOption(
      rareOption(
        'server',
        '--drain <time>',
        'After SIGTERM, answer for this long with /readyz at 503 (default: 10s beyond loopback)',
      ).argParser(parseDrain),
    )
    .addOption(
      rareOption(
        'server',
        '--replica <name>',
        'Name of this server in logs, audit and metrics (default: host name)',
      ).argParser(parseReplica),
    )
    .addOption(archiveFormatOption())
    .addOption(
      rareOption(
        'compatibility',
        '--list-all',
        'List skills that make the official MCP client reject the listing, too',
      ),
    )
    .addOption(rareOption('server', '--log-format <format>', 'Log format').choices(['text', 'json']))
    .addHelpText('after', help)
    .action(runs(cli, finish, serveCommand));
}

/** Opens one store for the process: trust, policy, pinned skills and the page share it. */
async function serveCommand(args: readonly string[], options: ServeCommandOptions, cli: Cli): Promise<ExitCode> {
  const mdp = mdpOptions(options, { env: cli.env, stdio: options.stdio === true, guards: httpOptions(options) });
  assertListens(options, mdp !== undefined);
  const replica = options.replica ?? hostname();
  const log = createServeLog(options.logFormat ?? 'text', (text) => cli.stderr.write(text), replica);
  const lost = new AbortController();
  const onLost = (error: SkillwireError): void => lost.abort(error);
  const store = usersStore(options, cli, (message) => log.line(`warning: ${message}`), { replica, onLost });
  try {
    return await serveFrom(store, { args, options, cli, mdp, log, lost: lost.signal });
  } finally {
    await store.close();
  }
}

interface ServeRun {
  /** The origins as typed on the command line. */
  readonly args: readonly string[];
  readonly options: ServeCommandOptions;
  readonly cli: Cli;
  readonly mdp: ServeMdpOptions | undefined;
  readonly log: ServeLog;
  /** Aborts if another machine took the state folder. */
  readonly lost: AbortSignal;
}

async function serveFrom(store: OneStore, run: ServeRun): Promise<ExitCode> {
  const { args, options, cli, mdp, log, lost } = run;
  const { findOrigins } = await import('../origins/resolve-origins.ts');
  const origins = await findOrigins(args, { ...options, store }, cli, 'serve');
  // A replica serves nothing before it has caught up.
  if (origins.found?.configuration.store !== undefined) await store.open();
  const http = options.stdio === true ? undefined : httpOptions(options);
  const { watch, cache, search } = options;
  const listing = options.listAll === true ? 'all' : undefined;
  const token = http === undefined ? undefined : pageToken(options.pageTokenEnv, cli.env);
  const { serveOrigins } = await import('../../node/serve-origins.ts');
  const releaseYoungGeneration = keepYoungGenerationSmall();
  const handle = await serveOrigins({
    origins,
    options: { http, mdp, pageToken: token, search, listing, watch, cache, ...dialectOptionsOf(options) },
    place: servingMachine(originContext({}, cli, store)),
    store,
    log,
    again() {
      // A running server cannot ask anybody.
      const { ask: _, ...quiet } = cli;
      const again = { again: origins.found };
      return findOrigins([], { ...options, store, ...again }, quiet, 'serve');
    },
  });
  const announced = announce(handle, { args, origins, options, http, cli, log }).catch(async (error) => {
    // Closed before it was ready, by the end of stdin or a signal: not a failure.
    if (error instanceof SkillwireError && error.code === 'CLOSED') return;
    await handle.close();
    throw origins.explain(error);
  });
  setTimeout(releaseYoungGeneration, limits.cli.startMs).unref();
  lost.addEventListener('abort', () => void handle.close());
  const [exitCode] = await Promise.all([untilStopped(handle, cli, drainMs(options)), announced]);
  lost.throwIfAborted();
  // An answer that the client never reads keeps the pipe and the process open.
  if (options.stdio === true) setTimeout(() => process.exit(exitCode), limits.stdio.shutdownMs).unref();
  return exitCode;
}

/** Access options need a listening server. */
function assertListens(options: ServeCommandOptions, runtimes: boolean): void {
  if (options.stdio !== true || runtimes) return;
  const access = {
    'allowed-host': options.allowedHost,
    'allowed-origin': options.allowedOrigin,
    limit: options.limit,
    'allow-unauthenticated-remote': options.allowUnauthenticatedRemote,
    'page-token-env': options.pageTokenEnv,
    'trusted-proxy': options.trustedProxy,
    drain: options.drain,
  };
  for (const [name, value] of Object.entries(access))
    if (value !== undefined) throw usageError(`--${name} cannot be used with --stdio alone. Remove it, or add --mdp.`);
}

function httpOptions(options: ServeCommandOptions): ServeHttpOptions {
  return {
    ...(options.http ?? defaultListenAddress),
    allowedHosts: options.allowedHost ?? [],
    allowedOrigins: options.allowedOrigin ?? [],
    allowUnauthenticatedRemote: options.allowUnauthenticatedRemote === true,
    archiveFormat: options.archiveFormat,
    limits: options.limit,
    trustedProxies: options.trustedProxy ?? [],
    replica: options.replica,
  };
}

/** Nobody balances requests over servers on loopback. */
function drainMs({ drain, http = defaultListenAddress }: ServeCommandOptions): number {
  return drain ?? (isLoopback(http.host) ? 0 : limits.http.drainMs);
}

function parseDrain(text: string): number {
  const ms = text === '0' ? 0 : durationMs(text);
  if (ms !== undefined && ms <= limits.http.longestDrainMs) return ms;
  throw usageError(`--drain "${text}" is not a time. Use 0 to 10m, for example 30s.`, { text });
}

function parseReplica(name: string): string {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/.test(name)) return name;
  throw usageError(`--replica "${name}" is not a name. Use letters and digits, with ".", "_" or "-" between them.`, {
    name,
  });
}

function collectRange(range: string, earlier: readonly string[] = []): readonly string[] {
  createTrustedProxies([range]);
  return [...earlier, range];
}

function collectHost(name: string, earlier: readonly string[] = []): readonly string[] {
  if (/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(name)) return [...earlier, name];
  throw usageError(
    `--allowed-host "${name}" is not a host name. Use it without scheme and path, for example skills.example.com.`,
    { name },
  );
}

function collectOrigin(origin: string, earlier: readonly string[] = []): readonly string[] {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return [...earlier, origin];
  throw usageError(
    `--allowed-origin "${origin}" is not a web origin. Use scheme and host without a path, for example https://example.com.`,
    { origin },
  );
}

/** The token that lets browsers sign in; `undefined` without `--page-token-env`. @throws SkillwireError USAGE */
function pageToken(variable: string | undefined, env: Cli['env']): string | undefined {
  if (variable === undefined) return undefined;
  const token = secretIn(variable, 'the token of the page', env);
  const { leastTokenCharacters } = limits.page;
  if (token.length >= leastTokenCharacters) return token;
  throw usageError(`The token in "${variable}" is too short. Use at least ${leastTokenCharacters} characters.`);
}
