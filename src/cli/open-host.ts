/**
 * The one place where a command gets a host: finds the configuration and the state, opens the store and the origins, and
 * closes everything again, whatever happens. Ctrl-C aborts through the signal of the session.
 */

import { homedir } from 'node:os';
import { type ExitCode, exitCodes } from '../errors.ts';
import { given } from '../given.ts';
import { createHost } from '../host/create-host.ts';
import type { Host, HostOrigin } from '../host/host.ts';
import { type FoundConfiguration, findConfiguration } from '../node/find-configuration.ts';
import { judgedConfiguration } from '../node/judged-configuration.ts';
import { openState } from '../node/open-state.ts';
import { pathInside, shownPath } from '../node/shown-path.ts';
import { readAddedOrigins } from '../origins/added-origins.ts';
import { locationText } from '../origins/kinds.ts';
import type { NamedOrigin } from '../origins/named-origin.ts';
import { type ReadingContext, resolveReadingOrigins } from '../origins/resolve-reading.ts';
import { displayText } from '../skill/display-text.ts';
import type { Store } from '../store/store.ts';
import type { Cli } from './cli.ts';
import { interruptible } from './interrupts.ts';
import type { ConnectionOptions } from './options/connection-options.ts';
import { originContext } from './origins/origin-context.ts';

export interface Session {
  readonly host: Host;
  readonly store: Store;
  /** The origins of this session, in the order of the arguments. */
  readonly origins: readonly NamedOrigin[];
  /** What arguments can mean; found out when it is needed, so that a broken configuration disturbs nobody else. */
  place(): Promise<ReadingContext>;
  configuration(): Promise<FoundConfiguration | undefined>;
  /** What arguments mean, each accepted or harmless; for commands that open origins themselves. @throws SkillwireError NOT_TRUSTED */
  resolve(given: readonly string[]): Promise<readonly NamedOrigin[]>;
  readonly signal: AbortSignal;
}

/** Which origins a command works on: those of its arguments (all that are known without one), what it finds out itself, or none at all. */
export type WantedOrigins =
  | readonly string[]
  | 'none'
  | ((place: ReadingContext, store: Store) => Promise<readonly NamedOrigin[]>);

export interface OpenHow {
  /** What a site publishes without digests gets those of the bytes that came. */
  readonly ownDigests?: boolean;
  /** Skills are pinned while it runs, and are then read as pinned. */
  readonly pins?: boolean | undefined;
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
      const place = async (): Promise<ReadingContext> => {
        const found = await configuration();
        return {
          cwd: cli.cwd,
          home: homedir(),
          found: found === undefined ? undefined : await judgedConfiguration(found, store.state, options),
          added: await readAddedOrigins(store.state),
        };
      };
      const resolve = async (named: Exclude<WantedOrigins, 'none'>): Promise<readonly NamedOrigin[]> =>
        trusted(await wantedOrigins(named, options, await place(), store), store, cli, signal);
      const origins = wanted === 'none' ? [] : await resolve(wanted);
      const opened = await withPinnedSkills(await openOrigins(origins, options, cli, how), origins, store, how);
      const host = await createHost({
        origins: opened,
        store,
        timeoutMs: options.timeout,
        onWarning: ({ message }) => warn(message),
      });
      try {
        const exitCode = await run({ host, store, origins, place, configuration, resolve, signal });
        if (exitCode !== exitCodes.ok) noteGuarded(origins, options, cli);
        return exitCode;
      } catch (error) {
        noteGuarded(origins, options, cli);
        throw error;
      } finally {
        await host.close();
      }
    } finally {
      await store.close();
    }
  });
}

/** Says why an origin may have failed that a trusted file would have reached: a private network, or a Git repository that wants a login. */
function noteGuarded(origins: readonly NamedOrigin[], options: ConnectionOptions & { json?: boolean }, cli: Cli): void {
  const guarded = origins.find(({ trust, location }) => trust.standing === 'guarded' && !('path' in location));
  if (options.json === true || guarded?.trust.file === undefined) return;
  const { file } = guarded.trust.file;
  cli.stderr.write(
    `note: ${displayText(shownPath(cli.cwd, file))} is not trusted, so "${displayText(guarded.label)}" was read without your credentials ` +
      'and not inside your network. Review the file with "skillwire trust".\n',
  );
}

async function wantedOrigins(
  wanted: Exclude<WantedOrigins, 'none'>,
  options: ConnectionOptions,
  place: ReadingContext,
  store: Store,
): Promise<readonly NamedOrigin[]> {
  return typeof wanted === 'function' ? wanted(place, store) : resolveReadingOrigins(wanted, options, place);
}

/** @throws SkillwireError NOT_TRUSTED */
async function trusted(
  origins: readonly NamedOrigin[],
  store: Store,
  cli: Cli,
  signal: AbortSignal,
): Promise<readonly NamedOrigin[]> {
  if (origins.every(({ trust }) => trust.standing !== 'untrusted')) return origins;
  const { requireTrust } = await import('./origins/trust-question.ts');
  return requireTrust(origins, store, cli, signal);
}

/** Nothing is asked of an origin yet, so there is nothing to undo where one of them cannot be opened. */
function openOrigins(
  origins: readonly NamedOrigin[],
  options: ConnectionOptions,
  cli: Cli,
  how: OpenHow,
): Promise<readonly HostOrigin[]> {
  // Who reads a project wants to see all of it; who serves it says what of it.
  const context = { ...originContext(options, cli), agentFolders: true, ...given(how) };
  return Promise.all(
    origins.map(async (origin) => (await import('../origins/open-origin.ts')).openOrigin(origin, context)),
  );
}

/** What was pinned of an origin is read in place of what it has now; what was pinned of another one with its label is not. */
async function withPinnedSkills(
  origins: readonly HostOrigin[],
  named: readonly NamedOrigin[],
  store: Store,
  { pins = false }: OpenHow,
): Promise<readonly HostOrigin[]> {
  const pinned = new Set((await store.state.entries(['pinned'])).map(({ key: [, label] }) => label));
  if (!pins && !origins.some(({ label }) => pinned.has(label))) return origins;
  const [{ withPinned }, { pinnedInStore }] = await Promise.all([
    import('../transforms/with-pinned.ts'),
    import('../transforms/stored-pins.ts'),
  ]);
  return origins.map((origin) => {
    if (!pins && !pinned.has(origin.label)) return origin;
    const location = named.find(({ label }) => label === origin.label)?.location;
    const address = location === undefined ? undefined : locationText(location);
    const mine = pinnedInStore(store, (skill) => skill.label === origin.label && skill.origin === address);
    return { ...origin, source: withPinned(origin.source, mine) };
  });
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
