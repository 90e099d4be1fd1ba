/** The origins that `serve`, `build`, `validate` and `connect` use. Each part of a configuration is accepted by the user or harmless. */
import { untrustedParts } from '../../gateway/configured-origins.ts';
import type { OneStore } from '../../gateway/one-store.ts';
import type { ServedOrigins } from '../../gateway/served-origins.ts';
import type { FoundConfiguration } from '../../node/find-configuration.ts';
import { earlierJudgement, type JudgedConfiguration, judgedConfiguration } from '../../node/find-configuration.ts';
import type { OriginAccess } from '../../origins/credentials.ts';
import { type OriginTrust, usersWord } from '../../origins/named-origin.ts';
import type { AgentFolders, DirectoryRoot } from '../../sources/directory/directory-root.ts';
import type { StateKey } from '../../store/state-kinds.ts';
import type { Cli } from '../cli.ts';
import type { StateOptions } from '../options/connection-options.ts';
import { withState } from './origin-context.ts';

type TrustOptions = Pick<OriginOptions, 'state' | 'trustConfig' | 'again' | 'store'>;

/** Opens the state only if its content can change the result. @param isAmbiguous whether an argument is a label and a path */
export async function judgedHere(
  found: FoundConfiguration | undefined,
  options: TrustOptions,
  cli: Cli,
  isAmbiguous = false,
): Promise<JudgedConfiguration | undefined> {
  if (found === undefined) return undefined;
  const { trustConfig, again } = options;
  const state = { get: (key: StateKey) => withState(options, cli, (store) => store.state.get(key)) };
  return judgedConfiguration(found, state, { trustConfig, earlier: earlierJudgement(again), skipPlain: !isAmbiguous });
}

/** The parts of a configuration, beside its origins, that a command uses. */
const usedParts: Readonly<Record<ResolveOriginsOptions['command'], readonly string[]>> = {
  serve: ['access', 'search', 'signers'],
  build: ['signers'],
  validate: [],
  sign: [],
};

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
  const at = untrustedParts([...found.origins, ...found.mirrors], configured, usedParts[command]);
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

/** The options with which a command finds its origins. */
export interface OriginOptions extends OriginAccess, StateOptions {
  readonly json?: boolean;
  readonly config?: string;
  /** A configuration that came with a folder, wherever the command runs. */
  readonly projectConfig?: string;
  readonly trustConfig?: readonly string[];
  /** The current configuration, to be read again. */
  readonly again?: JudgedConfiguration;
  /** The store of the process. Default: the state is opened and closed when needed. */
  readonly store?: Pick<OneStore, 'open'>;
  /** False for `--no-nested`. */
  readonly nested: boolean;
  /** Files of `--publish`, relative to the working folder. */
  readonly publish?: readonly string[];
  /** True for `--agent-folders`. */
  readonly agentFolders?: boolean;
}

export interface ResolveOriginsOptions {
  readonly cwd: string;
  readonly home: string;
  readonly found: JudgedConfiguration | undefined;
  readonly nested: boolean;
  readonly publish?: readonly string[] | undefined;
  readonly agentFolders?: AgentFolders | undefined;
  /** Called with the interpretation of an argument, if its text does not show it. */
  readonly understood?: ((note: string) => void) | undefined;
  /** Named in errors. */
  readonly command: 'serve' | 'validate' | 'build' | 'sign';
}

export interface ResolvedOrigin {
  readonly root: DirectoryRoot;
  /** Names the same origin from any working folder, with the same configuration. */
  readonly argument: string;
  /** The configuration names its folder. */
  readonly configured: boolean;
  readonly trust: OriginTrust;
}

export interface FoundOrigins extends ServedOrigins {
  /** The folders. */
  readonly origins: readonly ResolvedOrigin[];
  /** Name the same origins from any working folder, in the order of the arguments. */
  readonly arguments: readonly string[];
  readonly found: JudgedConfiguration | undefined;
  /** Adds the origin to an error: see `namingOrigin()`. */
  explain(error: unknown): unknown;
}
