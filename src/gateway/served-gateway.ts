/** The health of a configured server, as `/status`, `/readyz`, `/metrics` and the page show it. */
import type { UpstreamReport } from '../transforms/upstream-report.ts';

/** What is served is made of origins. */
export interface ServedGateway {
  /** By which it recognises what comes from itself. */
  readonly id?: string;
  origins(): readonly UpstreamReport[];
  /** What became of changes of the configuration. */
  reloads?(): ConfigurationReloads;
}

/** How many reloads were taken over and refused, and why the last one was refused. */
export interface ConfigurationReloads {
  /** How often one was taken over, and refused. */
  readonly taken: number;
  readonly refused: number;
  /** Why the current content of the file is not in force, if it is not. */
  readonly refusal?: { readonly at: string; readonly reason?: string };
}
