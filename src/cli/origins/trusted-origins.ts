/** What `serve`, `build`, `validate` and `connect` use of a configuration, each part accepted by the user or harmless. */
import { untrustedParts } from '../../gateway/configured-origins.ts';
import type { OneStore } from '../../gateway/one-store.ts';
import type { ServedOrigins } from '../../gateway/served-origins.ts';
import type { FoundConfiguration } from '../../node/find-configuration.ts';
import { earlierJudgement, type JudgedConfiguration, judgedConfiguration } from '../../node/judged-configuration.ts';
import type { OriginAccess } from '../../origins/credentials.ts';
import { type OriginTrust, usersWord } from '../../origins/named-origin.ts';
import { displayText } from '../../skill/display-text.ts';
import type { DirectoryRoot } from '../../sources/directory/directory-root.ts';
import type { StateKey } from '../../store/state-kinds.ts';
import type { Store } from '../../store/store.ts';
import type { Cli } from '../cli.ts';
import type { StateOptions } from '../options/connection-options.ts';

type TrustOptions = Pick<OriginOptions, 'state' | 'trustConfig' | 'again' | 'store'>;

/** The state is opened only if what it says can make a difference. */
export async function judgedHere(
  found: FoundConfiguration | undefined,
  options: TrustOptions,
  cli: Cli,
): Promise<JudgedConfiguration | undefined> {
  if (found === undefined) return undefined;
  const { trustConfig, again } = options;
  const state = { get: (key: StateKey) => withState(options, cli, (store) => store.state.get(key)) };
  return judgedConfiguration(found, state, { trustConfig, earlier: earlierJudgement(again), skipPlain: true });
}

/** @throws SkillwireError NOT_TRUSTED */
export async function trustedOrigins(
  found: FoundOrigins,
  options: TrustOptions,
  cli: Cli,
  command: ResolveOriginsOptions['command'],
): Promise<FoundOrigins> {
  const { found: configured } = found;
  if (configured === undefined || configured.judged === 'own') return found;
  const { judged } = configured;
  const at = untrustedParts([...found.origins, ...found.mirrors], configured, command === 'serve');
  if (at.length === 0) return found;
  const { requireAccepted } = await import('./trust-question.ts');
  const { signal } = new AbortController();
  await withState(options, cli, (store) => requireAccepted(judged, at, store, cli, signal));
  return {
    ...found,
    origins: found.origins.map((origin) => ({ ...origin, trust: usersWord })),
    mirrors: found.mirrors.map((origin) => ({ ...origin, trust: usersWord })),
  };
}

async function withState<T>(options: TrustOptions, cli: Cli, run: (store: Store) => Promise<T>): Promise<T> {
  if (options.store !== undefined) return run(await options.store.open());
  const { openState } = await import('../../node/open-state.ts');
  const store = await openState(options, cli, (message) => cli.stderr.write(`warning: ${displayText(message)}\n`));
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}

/** What `serve`, `build`, `validate` and `connect` work on. */

/** The options by which a command finds its origins. */
export interface OriginOptions extends OriginAccess, StateOptions {
  readonly config?: string;
  /** A configuration that came with a folder, wherever the command runs. */
  readonly projectConfig?: string;
  readonly trustConfig?: readonly string[];
  /** The configuration that is in force already, which is read again. */
  readonly again?: JudgedConfiguration;
  /** The store of the process. Default: the state is opened for one question, and closed. */
  readonly store?: Pick<OneStore, 'open'>;
  /** False for `--no-nested`. */
  readonly nested: boolean;
  /** Files of `--publish`, from the working folder. */
  readonly publish?: readonly string[];
  /** Skills in the folders of agents, of `--agent-folders`. */
  readonly agentFolders?: boolean;
}

export interface ResolveOriginsOptions {
  readonly cwd: string;
  readonly home: string;
  readonly found: JudgedConfiguration | undefined;
  readonly nested: boolean;
  readonly publish?: readonly string[] | undefined;
  readonly agentFolders?: boolean | undefined;
  /** Named in what to do where there is nothing. */
  readonly command: 'serve' | 'validate' | 'build';
}

export interface ResolvedOrigin {
  readonly root: DirectoryRoot;
  /** Means the same origin on the command line of any folder, with the same configuration. */
  readonly argument: string;
  /** Its folder is named by the configuration. */
  readonly configured: boolean;
  readonly trust: OriginTrust;
}

export interface FoundOrigins extends ServedOrigins {
  /** The folders, as the command line names them. */
  readonly origins: readonly ResolvedOrigin[];
  /** Mean the same origins on the command line of any folder, in the order of the arguments. */
  readonly arguments: readonly string[];
  readonly found: JudgedConfiguration | undefined;
  /** The error as it is reported: see `namingOrigin()`. */
  explain(error: unknown): unknown;
}
