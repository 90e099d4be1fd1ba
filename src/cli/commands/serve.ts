/**
 * `skillwire serve`: serves folders and mirrors over HTTP or stdio until a signal or the end of stdin. With `--stdio` stdout belongs to
 * the protocol alone; otherwise it carries one line of JSON if that was asked for, and nothing else.
 */
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { StdioServer } from '../../agents/host-config.ts';
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import type { CatalogChange } from '../../catalog/catalog.ts';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import type { FrozenForHub, HubAddresses } from '../../gateway/frozen-for-hub.ts';
import type { OneStore } from '../../gateway/one-store.ts';
import { limits } from '../../limits.ts';
import { answeredHosts } from '../../node/guards.ts';
import { isLoopback, urlHost } from '../../node/host-names.ts';
import type { ServePageOptions } from '../../node/page/page-door.ts';
import type { ServeHandle, ServeHttpOptions } from '../../node/serve.ts';
import type { ServeMdpOptions } from '../../node/serve-mdp.ts';
import { usersStore } from '../../node/users-store.ts';
import { placeText } from '../../origins/kinds.ts';
import { countFindings } from '../../skill/finding.ts';
import { dialectOptionsOf } from '../../surfaces/mcp/aliases/served-dialects.ts';
import { archiveFormatOption } from '../archive-format-option.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { configFlags } from '../config-flags.ts';
import {
  addCredentialOptions,
  addStateOption,
  configOption,
  type StateOptions,
  trustOption,
} from '../connection-options.ts';
import { addDialectOptions, type DialectFlags, dialectFlags } from '../dialect-options.ts';
import type { FoundOrigins, OriginOptions } from '../found-origins.ts';
import { defaultListenAddress, type ListenAddress, parseListenAddress } from '../listen-address.ts';
import { addMdpOptions, type MdpOptions, mdpFlags, mdpOptions } from '../mdp-options.ts';
import type { Serving } from '../open-serving.ts';
import { addPageOptions, type PageOptions, pageOptions } from '../page-options.ts';
import { publishOption } from '../publish-option.ts';
import { createColors, wantsColor } from '../render/color.ts';
import { jsonText } from '../render/json-text.ts';
import { changeText, readyText, serverName } from '../render/serve-text.ts';
import { shownPath } from '../render/shown-path.ts';
import { createServeLog, type LogFormat, type ServeEvent, type ServeLog } from '../serve-log.ts';
import { keepYoungGenerationSmall } from '../young-generation.ts';

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
    .addOption(
      new Option('--log-format <format>', 'what is told while it serves: lines, or JSON lines').choices([
        'text',
        'json',
      ]),
    )
    .addHelpText('after', help)
    .action(async (origins: readonly string[], _: unknown, self: Command) => {
      finish(await serveOrigins(origins, self.optsWithGlobals<ServeCommandOptions>(), cli));
    });
}

/** One store for everybody in the process: the judgement of the file, the policy, pinned skills and the page. */
async function serveOrigins(given: readonly string[], options: ServeCommandOptions, cli: Cli): Promise<ExitCode> {
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
  const { findOrigins } = await import('../resolve-origins.ts');
  const origins = await findOrigins(given, { ...options, store }, cli, 'serve');
  const http = options.stdio === true ? undefined : httpOptions(options);
  const { serve } = await import('../../node/serve.ts');
  const letGrow = keepYoungGenerationSmall();
  const { watch, cache } = options;
  const { rules = [], freeze = [] } = origins.found?.configuration ?? {};
  const serving = await openOrigins(origins, options, cli, log, store);
  const served = serving?.options ?? { roots: origins.roots, watch, cache };
  const frozen = mdp === undefined ? undefined : await openFrozen(store);
  frozen?.listens(expectedAddresses(http, mdp?.listen));
  const handle: ServeHandle = await serve({
    ...served,
    rules: serving === undefined ? rules : [],
    ...(options.search === true ? { search: true } : {}),
    ...dialectOptionsOf(options),
    ...(http === undefined
      ? { stdio: true }
      : { http, page: pageFor(() => handle, { origins, options, mdp, cli, store, log: (line) => log.line(line) }) }),
    ...(mdp === undefined || frozen === undefined ? {} : { mdp: { ...mdp, frozen: frozen.frozen, freeze } }),
    log: (line) => log.line(line),
  }).catch(async (error: unknown) => {
    await serving?.close();
    throw error;
  });
  frozen?.listens(handle);
  serving?.follow(handle);
  const announced = announce(handle, { given, origins, options, http, cli, log }).catch(async (error) => {
    // Closed before it was ready: stdin ended or a signal came, which is not a failure.
    if (error instanceof SkillwireError && error.code === 'CLOSED') return;
    await handle.close();
    throw origins.explain(error);
  });
  setTimeout(letGrow, limits.cli.startMs).unref();
  let exitCode: ExitCode;
  try {
    [exitCode] = await Promise.all([untilStopped(handle, cli), announced]);
  } finally {
    await serving?.close();
  }
  // An answer that the client never reads keeps the pipe, and with it the process, open.
  if (options.stdio === true) setTimeout(() => process.exit(exitCode), limits.stdio.shutdownMs).unref();
  return exitCode;
}

/** What is more than plain folders on the command line: a gateway, or a configuration that is followed. */
async function openOrigins(
  origins: FoundOrigins,
  options: ServeCommandOptions,
  cli: Cli,
  log: ServeLog,
  store: OneStore,
): Promise<Serving | undefined> {
  if (origins.mirrors.length === 0 && !origins.fromFile && origins.found?.configuration.policy === undefined)
    return undefined;
  const { openServing } = await import('../open-serving.ts');
  return openServing({
    origins,
    options,
    cli,
    log,
    store,
    async again() {
      const { findOrigins } = await import('../resolve-origins.ts');
      // A running server asks nobody.
      const { ask: _, ...quiet } = cli;
      return findOrigins(
        [],
        { ...options, store, ...(origins.found === undefined ? {} : { again: origins.found }) },
        quiet,
        'serve',
      );
    },
  });
}

interface PageSurroundings extends Pick<Announcement, 'origins' | 'options' | 'cli'> {
  readonly mdp: ServeMdpOptions | undefined;
  readonly store: OneStore;
  readonly log: (line: string) => unknown;
}

/** A link that was used is followed by a new one, for the next browser. */
function pageFor(handle: () => ServeHandle, surroundings: PageSurroundings): ServePageOptions {
  const { origins, options, mdp, cli, store, log } = surroundings;
  return {
    ...pageOptions(options, origins, mdp, cli, store),
    onLinkUsed: () => log(`a browser may approve skills now; a link for another one: ${handle().pageLink?.() ?? ''}`),
  };
}

/** Pinned live skills, followed while the server runs. */
async function openFrozen(store: OneStore): Promise<FrozenForHub> {
  const [opened, { frozenForHub }] = await Promise.all([store.open(), import('../../gateway/frozen-for-hub.ts')]);
  return frozenForHub(opened);
}

/** Where the server will listen, as far as that is known before it does. */
function expectedAddresses(http: ServeHttpOptions | undefined, own: ServeHttpOptions | undefined): HubAddresses {
  const hub = own ?? http;
  return {
    ...(http === undefined || http.port === 0 ? {} : { mcp: `http://${urlHost(http.host)}:${http.port}/mcp` }),
    ...(hub === undefined || hub.port === 0 ? {} : { mdp: { url: `ws://${urlHost(hub.host)}:${hub.port}` } }),
  };
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
      throw new SkillwireError('USAGE', `--${name} cannot be used with --stdio alone; leave it out, or add --mdp`);
}

function httpOptions(options: ServeCommandOptions): ServeHttpOptions {
  return {
    ...(options.http ?? defaultListenAddress),
    allowedHosts: options.allowedHost ?? [],
    allowedOrigins: options.allowedOrigin ?? [],
    allowUnauthenticatedRemote: options.allowUnauthenticatedRemote === true,
    ...(options.archiveFormat === undefined ? {} : { archiveFormat: options.archiveFormat }),
  };
}

interface Announcement {
  /** The origins as they stand on the command line. */
  readonly given: readonly string[];
  readonly origins: FoundOrigins;
  readonly options: ServeCommandOptions;
  /** Undefined over stdio. */
  readonly http: ServeHttpOptions | undefined;
  readonly cli: Cli;
  readonly log: ServeLog;
}

async function announce(handle: ServeHandle, announcement: Announcement): Promise<void> {
  const { given, origins, options, http, cli, log } = announcement;
  const { cwd, env, stderr, stdout } = cli;
  const colors = createColors(wantsColor(stderr, { env, color: options.color }));
  const snapshot = await handle.catalog.snapshot();
  handle.catalog.subscribe((change) => {
    if (log.format === 'text') stderr.write(changeText(change, cwd));
    else log.event(changeEvent(change));
  });
  if (options.json === true && options.stdio !== true) {
    const { problems } = countFindings(snapshot.findings);
    const { url, mcp } = handle;
    const mdp = handle.mdp === undefined ? {} : { mdp: handle.mdp.url };
    stdout.write(`${jsonText({ event: 'listening', url, mcp, ...mdp, skills: snapshot.skills.length, problems })}\n`);
  }
  if (log.format === 'json') {
    const { problems } = countFindings(snapshot.findings);
    const { url, mcp } = handle;
    const address = { ...(url === undefined ? {} : { url }), ...(mcp === undefined ? {} : { mcp }) };
    log.event({ event: 'listening', ...address, skills: snapshot.skills.length, problems });
    return;
  }
  const configured = origins.found?.configuration;
  const ready = readyText(snapshot, {
    handle,
    roots: origins.roots,
    mirrors: origins.mirrors.map(({ place }) =>
      place.kind === 'archive' ? shownPath(cwd, place.path) : placeText(place),
    ),
    configuration: origins.found?.file,
    // What is mirrored has nothing that its reader could mend.
    validate:
      origins.mirrors.length > 0
        ? undefined
        : [
            ...given,
            ...originFlags(options, options.config === undefined ? [] : ['--config', options.config], options.publish),
          ],
    answeredHosts: http === undefined || isLoopback(http.host) ? undefined : answeredHosts(http),
    tokens: configured?.profiles !== undefined || configured?.access !== undefined,
    stdioServer: http === undefined && cli.stdin.isTTY === true ? stdioServer(announcement) : undefined,
    cwd,
    colors,
    version: cli.version,
  });
  stderr.write(ready);
}

function changeEvent({ added, changed, removed, snapshot }: CatalogChange): ServeEvent {
  const counts = { added: added.length, changed: changed.length, removed: removed.length };
  return { event: 'skills.changed', ...counts, skills: snapshot.skills.length };
}

/** How a host starts what was started here, from whatever folder. */
function stdioServer({ given, origins, options, cli }: Announcement): StdioServer {
  const folders = given.length === 0 ? [] : origins.arguments;
  const flags = [
    ...originFlags(
      options,
      configFlags(origins.found),
      options.publish?.map((file) => resolve(cli.cwd, file)),
    ),
    ...(options.watch ? [] : ['--no-watch']),
    ...(options.cache ? [] : ['--no-cache']),
    ...(options.search === true ? ['--search'] : []),
    ...mdpFlags(options),
    ...dialectFlags(options),
  ];
  return { name: serverName, command: 'npx', args: ['skillwire', 'serve', '--stdio', ...folders, ...flags] };
}

function originFlags({ nested }: OriginOptions, config: readonly string[], publish: readonly string[] = []): string[] {
  return [...(nested ? [] : ['--no-nested']), ...publish.flatMap((file) => ['--publish', file]), ...config];
}

/** Waits for the end of the service. The first signal closes it, a second one ends the process at once. */
async function untilStopped(handle: ServeHandle, { stderr }: Cli): Promise<ExitCode> {
  let exitCode: ExitCode | undefined;
  const { promise, resolve, reject } = deferred();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (exitCode !== undefined) process.exit(exitCodes.interrupted);
    exitCode = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.ok;
    if (signal === 'SIGINT' && stderr.isTTY === true) stderr.write('closing; Ctrl-C again stops at once\n');
    handle.close().then(resolve, reject);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    await Promise.race([promise, handle.closed]);
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
  return exitCode ?? exitCodes.ok;
}

function deferred(): { promise: Promise<void>; resolve: () => void; reject: (error: unknown) => void } {
  let resolve: () => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

function collectHost(name: string, earlier: readonly string[] = []): readonly string[] {
  if (/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(name)) return [...earlier, name];
  throw new SkillwireError(
    'USAGE',
    `--allowed-host "${name}" is no host name; write it without scheme and path, for example skills.example.com`,
    { data: { name } },
  );
}

function collectOrigin(origin: string, earlier: readonly string[] = []): readonly string[] {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return [...earlier, origin];
  throw new SkillwireError(
    'USAGE',
    `--allowed-origin "${origin}" is no web origin; write scheme and host without a path, for example https://example.com`,
    { data: { origin } },
  );
}
