/**
 * `skillwire serve`: serves folders and mirrors over HTTP or stdio until a signal or the end of stdin. With `--stdio` stdout belongs to
 * the protocol alone; otherwise it carries one line of JSON if that was asked for, and nothing else.
 */

import { type Command, Option } from 'commander';
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import { type ExitCode, SkillwireError } from '../../errors.ts';
import type { OneStore } from '../../gateway/one-store.ts';
import { limits } from '../../limits.ts';
import type { ServeHttpOptions } from '../../node/serve.ts';
import type { ServeMdpOptions } from '../../node/serve-mdp.ts';
import { servingPlace } from '../../node/serving-place.ts';
import { usersStore } from '../../node/users-store.ts';
import { secretIn } from '../../origins/credentials.ts';
import { dialectOptionsOf } from '../../surfaces/mcp/aliases/served-dialects.ts';
import { announce } from '../announce-serving.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { untilStopped } from '../interrupts.ts';
import {
  addCredentialOptions,
  addStateOption,
  configOption,
  type StateOptions,
  trustOption,
} from '../options/connection-options.ts';
import { addDialectOptions, type DialectFlags } from '../options/dialect-options.ts';
import { defaultListenAddress, type ListenAddress, parseListenAddress } from '../options/listen-address.ts';
import { addMdpOptions, type MdpOptions, mdpOptions } from '../options/mdp-options.ts';
import { archiveFormatOption, publishOption } from '../options/publish-options.ts';
import { originContext } from '../origins/origin-context.ts';
import type { OriginOptions } from '../origins/trusted-origins.ts';
import { createServeLog, type LogFormat, type ServeLog } from '../serve-log.ts';
import { keepYoungGenerationSmall } from '../v8-flags.ts';

interface ServeCommandOptions
  extends GlobalOptions,
    OriginOptions,
    MdpOptions,
    PageOptions,
    StateOptions,
    DialectFlags {
  readonly stdio?: boolean;
  readonly http?: ListenAddress;
  readonly watch: boolean;
  readonly cache: boolean;
  readonly allowedHost?: readonly string[];
  readonly allowedOrigin?: readonly string[];
  readonly allowUnauthenticatedRemote?: boolean;
  readonly archiveFormat?: ArchiveFormat;
  readonly search?: boolean;
  readonly listAll?: boolean;
  readonly logFormat?: LogFormat;
}

const help = `
ORIGIN is a folder, or a label of skillwire.json; or what is mirrored: an archive (./skills.zip), a site (https://HOST),
an MCP server (mcp:URL, stdio:COMMAND). The skills of LABEL=ORIGIN are served below skill://LABEL/. A mirror gives out
the origin's skills with a digest for each file, asks it for changes, and keeps what it has while it does not answer.
Without ORIGIN everything in skillwire.json is served: the one of --config, else the nearest one upwards, else
the user's own. Its rules hold in any case.

Exit codes:
  0 ended by SIGTERM or the end of stdin, 2 could not serve, 3 not authorized to mirror, 4 nothing to mirror is
  reachable, 130 interrupted by Ctrl-C

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
  addDialectOptions(addCredentialOptions(addStateOption(addPageOptions(addMdpOptions(command)))))
    .usage('[[LABEL=]ORIGIN...] [options]')
    .argument('[origin...]', 'folders, labels of the configuration, or what is mirrored')
    .addOption(
      new Option('--stdio', 'speak MCP over stdin and stdout instead of HTTP').conflicts(['http', 'archiveFormat']),
    )
    .option(
      '--http <[host:]port>',
      `listen here; port 0 picks a free one (default: ${host}:${port})`,
      parseListenAddress,
    )
    .option('--no-watch', 'do not follow changes in the folders')
    .option('--no-cache', 'do not keep what was read for the next start, and use nothing that was kept')
    .option('--no-nested', 'do not serve skills inside the folder of another skill')
    .option('--agent-folders', 'publish skills in the hidden folders of agents too, such as .claude/skills')
    .addOption(publishOption())
    .addOption(
      new Option('--project-config <file>', 'Use this project file; what acts in it needs trust').conflicts('config'),
    )
    .addOption(configOption())
    .addOption(trustOption())
    .option('--allowed-host <name>', 'answer requests for this host name too (repeatable)', collectHost)
    .option('--allowed-origin <origin>', 'answer pages of this web origin too (repeatable)', collectOrigin)
    .option('--allow-unauthenticated-remote', 'listen beyond loopback, where everybody who reaches the port may read')
    .addOption(archiveFormatOption())
    .option('--search', 'offer models the tool search_skills; what skillwire.json serves has it anyway')
    .option('--list-all', 'list skills for which the official MCP client rejects the whole listing, too')
    .addOption(
      new Option('--log-format <format>', 'what is told while it serves: lines, or JSON lines').choices([
        'text',
        'json',
      ]),
    )
    .addHelpText('after', help)
    .action(async (origins: readonly string[], _: unknown, self: Command) => {
      finish(await serveCommand(origins, self.optsWithGlobals<ServeCommandOptions>(), cli));
    });
}

/** One store for everybody in the process: the judgement of the file, the policy, pinned skills and the page. */
async function serveCommand(given: readonly string[], options: ServeCommandOptions, cli: Cli): Promise<ExitCode> {
  const mdp = mdpOptions(options, { env: cli.env, stdio: options.stdio === true, guards: httpOptions(options) });
  assertListens(options, mdp !== undefined);
  const log = createServeLog(options.logFormat ?? 'text', (text) => cli.stderr.write(text));
  const store = usersStore(options, cli, (message) => log.line(`warning: ${message}`));
  try {
    return await serveFrom(store, { given, options, cli, mdp, log });
  } finally {
    await store.close();
  }
}

interface ServeRun {
  /** The origins as they stand on the command line. */
  readonly given: readonly string[];
  readonly options: ServeCommandOptions;
  readonly cli: Cli;
  readonly mdp: ServeMdpOptions | undefined;
  readonly log: ServeLog;
}

async function serveFrom(store: OneStore, { given, options, cli, mdp, log }: ServeRun): Promise<ExitCode> {
  const { findOrigins } = await import('../origins/resolve-origins.ts');
  const origins = await findOrigins(given, { ...options, store }, cli, 'serve');
  const http = options.stdio === true ? undefined : httpOptions(options);
  const { watch, cache, search } = options;
  const listing = options.listAll === true ? 'all' : undefined;
  const token = http === undefined ? undefined : pageToken(options, cli.env);
  const { serveOrigins } = await import('../../node/serve-origins.ts');
  const letGrow = keepYoungGenerationSmall();
  const handle = await serveOrigins({
    origins,
    options: { http, mdp, pageToken: token, search, listing, watch, cache, ...dialectOptionsOf(options) },
    place: servingPlace(originContext({}, cli, store)),
    store,
    log,
    again() {
      // A running server asks nobody.
      const { ask: _, ...quiet } = cli;
      const again = origins.found === undefined ? {} : { again: origins.found };
      return findOrigins([], { ...options, store, ...again }, quiet, 'serve');
    },
  });
  const announced = announce(handle, { given, origins, options, http, cli, log }).catch(async (error) => {
    // Closed before it was ready: stdin ended or a signal came, which is not a failure.
    if (error instanceof SkillwireError && error.code === 'CLOSED') return;
    await handle.close();
    throw origins.explain(error);
  });
  setTimeout(letGrow, limits.cli.startMs).unref();
  const [exitCode] = await Promise.all([untilStopped(handle, cli), announced]);
  // An answer that the client never reads keeps the pipe, and with it the process, open.
  if (options.stdio === true) setTimeout(() => process.exit(exitCode), limits.stdio.shutdownMs).unref();
  return exitCode;
}

/** Who is let in is asked only where something listens. */
function assertListens(options: ServeCommandOptions, runtimes: boolean): void {
  if (options.stdio !== true || runtimes) return;
  const given = {
    'allowed-host': options.allowedHost,
    'allowed-origin': options.allowedOrigin,
    'allow-unauthenticated-remote': options.allowUnauthenticatedRemote,
    'page-token-env': options.pageTokenEnv,
  };
  for (const [name, value] of Object.entries(given))
    if (value !== undefined)
      throw usageError(`--${name} cannot be used with --stdio alone; leave it out, or add --mdp`);
}

function httpOptions(options: ServeCommandOptions): ServeHttpOptions {
  return {
    ...(options.http ?? defaultListenAddress),
    allowedHosts: options.allowedHost ?? [],
    allowedOrigins: options.allowedOrigin ?? [],
    allowUnauthenticatedRemote: options.allowUnauthenticatedRemote === true,
    archiveFormat: options.archiveFormat,
  };
}

function collectHost(name: string, earlier: readonly string[] = []): readonly string[] {
  if (/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(name)) return [...earlier, name];
  throw usageError(`--allowed-host "${name}" is no host name; write it without scheme and path, for example skills.example.com`, { name });
}

function collectOrigin(origin: string, earlier: readonly string[] = []): readonly string[] {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return [...earlier, origin];
  throw usageError(`--allowed-origin "${origin}" is no web origin; write scheme and host without a path, for example https://example.com`, { origin });
}

/** The option by which browsers may decide on the page beyond loopback. The token comes from the environment only. */

export interface PageOptions {
  readonly pageTokenEnv?: string;
}

export function addPageOptions(command: Command): Command {
  return command.option(
    '--page-token-env <name>',
    'let browsers approve skills on the page that know the token in this variable',
    parseVariable,
  );
}

/** The text may be a secret that was written in the wrong place, so it is not repeated. */
function parseVariable(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return name;
  throw usageError('--page-token-env takes the name of an environment variable; the token itself is never written there');
}

/** The token that lets browsers sign in; undefined if none is wanted. @throws SkillwireError USAGE */
export function pageToken({ pageTokenEnv }: PageOptions, env: Cli['env']): string | undefined {
  return pageTokenEnv === undefined ? undefined : tokenIn(pageTokenEnv, env);
}

function tokenIn(variable: string, env: Cli['env']): string {
  const token = secretIn(variable, 'the token of the page', env);
  const { leastTokenCharacters } = limits.page;
  if (token.length >= leastTokenCharacters) return token;
  throw usageError(`the token in the environment variable "${variable}" is too short; use at least ${leastTokenCharacters} characters`);
}
