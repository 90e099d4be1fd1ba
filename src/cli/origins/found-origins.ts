/** What `serve`, `build`, `validate` and `connect` work on. */
import type { OneStore } from '../../gateway/one-store.ts';
import type { ServedOrigins } from '../../gateway/served-origins.ts';
import type { JudgedConfiguration } from '../../node/judged-configuration.ts';
import type { WayOptions } from '../../origins/credentials.ts';
import type { OriginTrust } from '../../origins/named-origin.ts';
import type { DirectoryRoot } from '../../sources/directory/directory-root.ts';
import type { StateOptions } from '../options/connection-options.ts';

/** The options by which a command finds its origins. */
export interface OriginOptions extends WayOptions, StateOptions {
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
