/** Reports of `serve` once it is ready and while it runs: lines on stderr, and with `--json` one line on stdout. */
import { resolve } from 'node:path';
import type { StdioServer } from '../agents/client-config.ts';
import type { CatalogChange } from '../catalog/catalog.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { answeredHosts } from '../node/http/guards.ts';
import { isLoopback } from '../node/http/host-names.ts';
import type { ServeHandle, ServeHttpOptions } from '../node/serve.ts';
import { shownPath } from '../node/shown-path.ts';
import { locationText } from '../origins/kinds.ts';
import { countFindings } from '../skill/finding.ts';
import type { Cli, GlobalOptions } from './cli.ts';
import { configFlags } from './options/connection-options.ts';
import { type DialectFlags, dialectFlags } from './options/dialect-options.ts';
import { type MdpOptions, mdpFlags } from './options/mdp-options.ts';
import type { FoundOrigins, OriginOptions } from './origins/trusted-origins.ts';
import { colorsFor } from './render/color.ts';
import { commandText, placeFlags } from './render/decision-commands.ts';
import { jsonText } from './render/json-text.ts';
import { changeText, readyText, serverName, serverWarnings } from './render/serve-text.ts';
import type { ServeEvent, ServeLog } from './serve-log.ts';

interface AnnouncedOptions extends GlobalOptions, OriginOptions, MdpOptions, DialectFlags {
  readonly state?: string;
  readonly stdio?: boolean;
  readonly watch: boolean;
  readonly cache: boolean;
  readonly search?: boolean;
  readonly listAll?: boolean;
}

export interface Announcement {
  /** The origins as typed on the command line. */
  readonly args: readonly string[];
  readonly origins: FoundOrigins;
  readonly options: AnnouncedOptions;
  /** `undefined` over stdio. */
  readonly http: ServeHttpOptions | undefined;
  readonly cli: Cli;
  readonly log: ServeLog;
}

/** Reports that the server is ready, and every change of its skills from then on. */
export async function announce(handle: ServeHandle, announcement: Announcement): Promise<void> {
  const { args, origins, options, http, cli, log } = announcement;
  const { cwd, env, stderr, stdout } = cli;
  const colors = colorsFor(stderr, { env }, options);
  const snapshot = await handle.catalog.snapshot();
  const warn = (now: Snapshot, before?: Snapshot): void => {
    for (const line of serverWarnings(now, before, cwd)) log.line(line);
  };
  handle.catalog.subscribe((change) => {
    if (log.format === 'text') stderr.write(changeText(change, cwd));
    else log.event(changeEvent(change));
    warn(change.snapshot, change.previous);
  });
  if (options.json === true && options.stdio !== true) {
    const { problems } = countFindings(snapshot.findings);
    const { url, mcp } = handle;
    const mdp = handle.mdp === undefined ? {} : { mdp: handle.mdp.url };
    const skills = snapshot.skills.length;
    stdout.write(`${jsonText({ event: 'listening', url, mcp, ...mdp, skills, ...waitingOf(handle), problems })}\n`);
  }
  if (log.format === 'json') {
    const { problems } = countFindings(snapshot.findings);
    const { url, mcp } = handle;
    log.event({ event: 'listening', url, mcp, skills: snapshot.skills.length, ...waitingOf(handle), problems });
    warn(snapshot);
    return;
  }
  const configured = origins.found?.configuration;
  const ready = readyText(snapshot, {
    handle,
    roots: origins.roots,
    mirrors: origins.mirrors.map(({ location }) =>
      location.kind === 'archive' ? shownPath(cwd, location.path) : locationText(location),
    ),
    review: commandText(['review', ...placeFlags(options)]),
    configuration: origins.found?.file,
    // The user cannot fix the findings of a mirror.
    validate:
      origins.mirrors.length > 0
        ? undefined
        : [
            ...args,
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
  warn(snapshot);
}

/** Absent without a policy. */
function waitingOf({ unserved }: ServeHandle): { readonly waiting?: number } {
  return unserved === undefined ? {} : { waiting: unserved().waiting };
}

function changeEvent({ added, changed, removed, snapshot }: CatalogChange): ServeEvent {
  const counts = { added: added.length, changed: changed.length, removed: removed.length };
  return { event: 'skills.changed', ...counts, skills: snapshot.skills.length };
}

/** How a client starts the same server, from any folder. */
function stdioServer({ args, origins, options, cli }: Announcement): StdioServer {
  const folders = args.length === 0 ? [] : origins.arguments;
  const flags = [
    ...originFlags(
      options,
      configFlags(origins.found),
      options.publish?.map((file) => resolve(cli.cwd, file)),
    ),
    ...(options.watch ? [] : ['--no-watch']),
    ...(options.cache ? [] : ['--no-cache']),
    ...(options.search === true ? ['--search'] : []),
    ...(options.listAll === true ? ['--list-all'] : []),
    ...mdpFlags(options),
    ...dialectFlags(options),
  ];
  return { name: serverName, command: 'npx', args: ['skillwire', 'serve', '--stdio', ...folders, ...flags] };
}

function originFlags({ nested }: OriginOptions, config: readonly string[], publish: readonly string[] = []): string[] {
  return [...(nested ? [] : ['--no-nested']), ...publish.flatMap((file) => ['--publish', file]), ...config];
}
