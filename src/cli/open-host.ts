/**
 * Gives a command its host: finds the configuration and the state, opens the store and the origins, and always closes them again. Ctrl-C
 * aborts through the signal of the session.
 */

import { homedir } from 'node:os';
import { definedFields } from '../defined-fields.ts';
import { type ExitCode, exitCodes } from '../errors.ts';
import type { InstallSetting } from '../gateway/configuration.ts';
import { createHost } from '../host/create-host.ts';
import type { Host, HostOrigin } from '../host/host.ts';
import {
  type ConfigurationBase,
  type FoundConfiguration,
  findConfiguration,
  installSetting,
  judgedConfiguration,
} from '../node/find-configuration.ts';
import { openState } from '../node/open-state.ts';
import { pathInside, shownPath } from '../node/shown-path.ts';
import { readAddedOrigins } from '../origins/added-origins.ts';
import { locationText } from '../origins/kinds.ts';
import type { NamedOrigin } from '../origins/named-origin.ts';
import { type ReadingContext, resolveReadingOrigins } from '../origins/resolve-reading.ts';
import { displayText } from '../skill/display-text.ts';
import type { Store } from '../store/store.ts';
import { type Cli, noteTo } from './cli.ts';
import { type DecisionConfirmation, decisionConfirmation } from './decisions/confirm-decision.ts';
import { interruptible } from './interrupts.ts';
import type { ConnectionOptions } from './options/connection-options.ts';
import { originContext } from './origins/origin-context.ts';
import { type ReadingSignatures, readingSignatures } from './reading-signatures.ts';

export interface CommandSession {
  readonly host: Host;
  readonly store: Store;
  /** The signers and rules of the user. */
  readonly signatures: ReadingSignatures;
  /** The origins of this session, in the order of the arguments. */
  readonly origins: readonly NamedOrigin[];
  /** Resolves arguments. Read on demand, so a broken configuration does not affect other commands. */
  place(): Promise<ReadingContext>;
  configuration(): Promise<FoundConfiguration | undefined>;
  /** The user's setting `"install"`. */
  installs(): Promise<InstallSetting>;
  /** The trusted or harmless origins of arguments, for commands that open origins themselves. @throws SkillwireError NOT_TRUSTED */
  resolve(args: readonly string[]): Promise<readonly NamedOrigin[]>;
  /** For the JSON of a decision: on which replicas it has taken effect. Empty for a store of one machine. */
  readonly confirmation: DecisionConfirmation['fields'];
  readonly signal: AbortSignal;
}

/** The origins of a command: those of its arguments (all known ones if there are none), those that it resolves itself, or none. */
export type WantedOrigins =
  | readonly string[]
  | 'none'
  | ((place: ReadingContext, store: Store) => Promise<readonly NamedOrigin[]>);

export interface OpenHow {
  /** Compute the digests that a site does not publish. */
  readonly ownDigests?: boolean;
  /** The command concerns this machine, even if the configuration names a shared store. */
  readonly local?: boolean;
  /** The command pins skills and then reads the pinned versions. */
  readonly pins?: boolean | undefined;
  /** Gets the skill of `owner/repo@skill` or `LABEL@skill`. Absent: such an argument is refused. */
  readonly chosen?: (skill: string) => void;
}

export function withHost(
  wanted: WantedOrigins,
  options: ConnectionOptions & { readonly json?: boolean },
  cli: Cli,
  run: (session: CommandSession) => Promise<ExitCode>,
  how: OpenHow = {},
): Promise<ExitCode> {
  return interruptible(async (signal) => {
    const warn = (message: string): unknown => cli.stderr.write(`warning: ${displayText(message)}\n`);
    const store = await openState(how.local === true ? { ...options, shared: 'none' } : options, cli, warn);
    try {
      const configuration = (): Promise<FoundConfiguration | undefined> => configurationInForce(options, cli);
      const place = async (): Promise<ReadingContext> => {
        const found = await configuration();
        return {
          cwd: cli.cwd,
          home: homedir(),
          found: found === undefined ? undefined : await judgedConfiguration(found, store.state, options),
          added: await readAddedOrigins(store.state),
          understood: noteTo(cli, options),
          ...definedFields({ chosen: how.chosen }),
        };
      };
      const resolve = async (named: Exclude<WantedOrigins, 'none'>): Promise<readonly NamedOrigin[]> =>
        trusted(await wantedOrigins(named, options, await place(), store), store, cli, signal);
      const origins = wanted === 'none' ? [] : await resolve(wanted);
      const opened = await withPinnedSkills(await openOrigins(origins, options, cli, how), origins, store, how);
      const signatures = readingSignatures(options, cli, store);
      const host = await createHost({
        origins: opened,
        store,
        timeoutMs: options.timeout,
        signatures,
        onWarning: ({ message }) => warn(message),
      });
      try {
        const installs = async (): Promise<InstallSetting> =>
          installSetting(configurationPlace(cli), await configuration());
        const { fields: confirmation, finish } = decisionConfirmation(store);
        const exitCode = await run({
          host,
          confirmation,
          store,
          signatures,
          origins,
          place,
          configuration,
          installs,
          resolve,
          signal,
        });
        if (exitCode !== exitCodes.ok) noteGuarded(origins, options, cli);
        return await finish(cli, exitCode);
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

/** Explains why an origin of an untrusted file may have failed: a private network, or a Git repository that needs a login. */
function noteGuarded(origins: readonly NamedOrigin[], options: ConnectionOptions & { json?: boolean }, cli: Cli): void {
  const guarded = origins.find(({ trust, location }) => trust.standing === 'guarded' && !('path' in location));
  if (options.json === true || guarded?.trust.file === undefined) return;
  const { file } = guarded.trust.file;
  cli.stderr.write(
    `note: ${displayText(shownPath(cli.cwd, file))} is not trusted, so "${displayText(guarded.label)}" was read without credentials, ` +
      'from public addresses only. Review the file with "skillwire trust".\n',
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

/** Opening contacts no origin, so there is nothing to undo if one of them fails. */
function openOrigins(
  origins: readonly NamedOrigin[],
  options: ConnectionOptions,
  cli: Cli,
  how: OpenHow,
): Promise<readonly HostOrigin[]> {
  // Readers see all of a project; `serve` publishes agent folders only on request.
  const context = {
    ...originContext(options, cli),
    agentFolders: 'read' as const,
    ...definedFields({ ownDigests: how.ownDigests }),
  };
  return Promise.all(
    origins.map(async (origin) => (await import('../origins/open-origin.ts')).openOrigin(origin, context)),
  );
}

/** Pinned versions replace what an origin serves now. Pins of another origin with the same label do not count. */
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
    const snapshots = pinnedInStore(store, (skill) => skill.label === origin.label && skill.origin === address);
    return { ...origin, source: withPinned(origin.source, snapshots) };
  });
}

function configurationInForce({ config }: ConnectionOptions, cli: Cli): Promise<FoundConfiguration | undefined> {
  return findConfiguration(configurationPlace(cli), config);
}

function configurationPlace({ cwd, env }: Cli): ConfigurationBase {
  return { cwd, env, home: homedir(), platform: process.platform };
}

/** The display form of a label: a folder below the working folder becomes a relative path. */
export function shownLabel(label: string, cwd: string): string {
  const inside = /^(?:[/\\]|[A-Za-z]:[\\/])/.test(label) ? pathInside(cwd, label) : undefined;
  if (inside === undefined) return label;
  return inside === '' ? '.' : `./${inside}`;
}
