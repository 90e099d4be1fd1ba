/**
 * The one place where a command gets a host: finds the configuration and the state, opens the store and the origins, and
 * closes everything again, whatever happens. Ctrl-C aborts through the signal of the session.
 */
import { homedir, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { skillFolders } from '../agents/skill-folders.ts';
import type { ExitCode } from '../errors.ts';
import { createHost } from '../host/create-host.ts';
import type { Host, HostOrigin } from '../host/host.ts';
import { stateFolders } from '../node/state-folders.ts';
import { displayText } from '../skill/display-text.ts';
import { openStore } from '../store/embedded/open-store.ts';
import type { AuditRecord, Store } from '../store/store.ts';
import { readAddedOrigins } from './added-origins.ts';
import type { Cli } from './cli.ts';
import type { ConnectionOptions, StateOptions } from './connection-options.ts';
import { type FoundConfiguration, findConfiguration } from './find-configuration.ts';
import { interruptible } from './interrupts.ts';
import { labelOf, type ReadingOrigin, type ReadingPlace, resolveReadingOrigins } from './reading-origins.ts';
import { pathInside } from './render/shown-path.ts';

export interface Session {
  readonly host: Host;
  readonly store: Store;
  /** The origins of this session, in the order of the arguments. */
  readonly origins: readonly ReadingOrigin[];
  /** What arguments can mean; found out when it is needed, so that a broken configuration disturbs nobody else. */
  place(): Promise<ReadingPlace>;
  configuration(): Promise<FoundConfiguration | undefined>;
  readonly signal: AbortSignal;
}

/** Which origins a command works on: those of its arguments (all that are known where there is none), or none at all. */
export type WantedOrigins = readonly string[] | 'none';

export interface OpenHow {
  /** What a site publishes without digests gets those of the bytes that came. */
  readonly ownDigests?: boolean;
}

export function withHost(
  wanted: WantedOrigins,
  options: ConnectionOptions,
  cli: Cli,
  run: (session: Session) => Promise<ExitCode>,
  how: OpenHow = {},
): Promise<ExitCode> {
  return interruptible(async (signal) => {
    const warn = (message: string): unknown => cli.stderr.write(`warning: ${displayText(message)}\n`);
    const store = await openState(options, cli, warn);
    try {
      const configuration = (): Promise<FoundConfiguration | undefined> => configurationInForce(options, cli);
      const place = async (): Promise<ReadingPlace> => ({
        cwd: cli.cwd,
        home: homedir(),
        found: await configuration(),
        added: await readAddedOrigins(store.state),
      });
      const origins = wanted === 'none' ? [] : resolveReadingOrigins(wanted, options, await place());
      const opened = await withFrozenSkills(await openOrigins(origins, options, cli, how), origins, store);
      const host = await createHost({
        origins: opened,
        store,
        ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout }),
        onWarning: ({ message }) => warn(message),
      });
      try {
        return await run({ host, store, origins, place, configuration, signal });
      } finally {
        await host.close();
      }
    } finally {
      await store.close();
    }
  });
}

/** Nothing is asked of an origin yet, so there is nothing to undo where one of them cannot be opened. */
function openOrigins(
  origins: readonly ReadingOrigin[],
  options: ConnectionOptions,
  cli: Cli,
  how: OpenHow,
): Promise<readonly HostOrigin[]> {
  return Promise.all(
    origins.map(async (origin) => (await import('./open-origin.ts')).openOrigin(origin, options, cli, how)),
  );
}

/** What was frozen of an origin is read in place of what it has now; what was frozen of another one with its label is not. */
async function withFrozenSkills(
  origins: readonly HostOrigin[],
  named: readonly ReadingOrigin[],
  store: Store,
): Promise<readonly HostOrigin[]> {
  const frozen = new Set((await store.state.entries(['frozen'])).map(({ key: [, label] }) => label));
  if (!origins.some(({ label }) => frozen.has(label))) return origins;
  const [{ withFrozen }, { frozenInStore }] = await Promise.all([
    import('../transforms/with-frozen.ts'),
    import('../transforms/stored-frozen.ts'),
  ]);
  return origins.map((origin) => {
    if (!frozen.has(origin.label)) return origin;
    const place = named.find(({ label }) => label === origin.label)?.place;
    const address = place === undefined ? undefined : labelOf(place);
    const mine = frozenInStore(store, (skill) => skill.label === origin.label && skill.origin === address);
    return { ...origin, source: withFrozen(origin.source, mine) };
  });
}

/** @param warn told of what is damaged in it */
export async function openState(options: StateOptions, cli: Cli, warn: (message: string) => unknown): Promise<Store> {
  const store = await openPlainState(options, cli, warn);
  return { ...store, audit: { ...store.audit, append: (record) => store.audit.append(withUser(record)) } };
}

/** The same without a word about who uses it in what is recorded. */
export function openPlainState(
  { state }: StateOptions,
  { cwd, env }: Cli,
  warn: (message: string) => unknown,
): Promise<Store> {
  const own = state === undefined ? env : { ...env, SKILLWIRE_HOME: resolve(cwd, state) };
  const folders = stateFolders({ env: own, home: homedir(), platform: process.platform });
  return openStore({
    stateFolder: folders.state,
    cacheFolder: folders.cache,
    // A cached remote skill in such a folder would be found as a local one (SEP-2640: H-67).
    forbiddenFolders: skillFolders({ home: homedir(), cwd, env }),
    onCorrupt: ({ file, line, reason, copy }) =>
      warn(
        `"${file}"${line === undefined ? '' : `:${line}`}: ${reason}${copy === undefined ? '' : ` (kept as "${copy}")`}`,
      ),
  });
}

/** What a person decides at a command is recorded with the name under which the system knows them, unless they are known otherwise. */
function withUser(record: AuditRecord): AuditRecord {
  const { by, data = {} } = record;
  if (by !== 'person' || typeof data !== 'object' || data === null || Array.isArray(data)) return record;
  return { ...record, data: { user: userName(), ...data } };
}

export function userName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    // The system need not know a name for every number.
    if (error instanceof Error && 'code' in error) return `uid ${process.getuid?.() ?? 'unknown'}`;
    throw error;
  }
}

function configurationInForce(
  { config }: ConnectionOptions,
  { cwd, env }: Cli,
): Promise<FoundConfiguration | undefined> {
  return findConfiguration({ cwd, env, home: homedir(), platform: process.platform }, config);
}

/** The label for a person: a folder below the working folder is shown as its path from there. */
export function shownLabel(label: string, cwd: string): string {
  const inside = /^(?:[/\\]|[A-Za-z]:[\\/])/.test(label) ? pathInside(cwd, label) : undefined;
  if (inside === undefined) return label;
  return inside === '' ? '.' : `./${inside}`;
}
