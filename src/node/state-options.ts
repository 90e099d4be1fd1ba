/** Options that locate the state of a command or a server. */
import type { ConfiguredStore } from '../gateway/store-schema.ts';

export interface StateOptions {
  /** A separate folder for state and cache. Default: see `SKILLWIRE_HOME`. */
  readonly state?: string | undefined;
  /** The configuration, which may name a shared store: `--config`, `--project-config`, else the nearest one. */
  readonly config?: string | undefined;
  readonly projectConfig?: string | undefined;
  readonly trustConfig?: readonly string[] | undefined;
  /** The shared store that a program chose; `none` for the state of this machine. Default: from the configuration. */
  readonly shared?: ConfiguredStore | 'none' | undefined;
  /** Whether a cluster that does not exist yet is created. */
  readonly createCluster?: boolean;
}

export interface StateSurroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}
