/** The reports of a running server: its health for `/status`, `/readyz`, `/metrics` and the page, and its log. */

import type { UpstreamEvent, UpstreamReport } from '../transforms/upstream-report.ts';

/** The origins of a server. */
export interface ServedGateway {
  /** Lets the gateway recognize its own requests. */
  readonly id?: string;
  origins(): readonly UpstreamReport[];
  /** The results of configuration reloads. */
  reloads?(): ConfigurationReloads;
}

/** How many reloads were applied and rejected, and why the last one was rejected. */
export interface ConfigurationReloads {
  /** Number of applied reloads. */
  readonly applied: number;
  readonly refused: number;
  /** Why the current content of the file is not in use; absent if it is. */
  readonly refusal?: { readonly at: string; readonly reason?: string };
}

/** An event about an origin or the configuration. */
export type ServingEvent =
  | UpstreamEvent
  | { readonly event: 'config.applied'; readonly file: string; readonly origins: number }
  | { readonly event: 'config.refused'; readonly file: string; readonly reason: string };

/**
 * The log of a running server.
 *
 * Events are for programs, lines are for everything without an event. Neither contains secrets or skill text.
 */
export interface ServingLog {
  event(event: ServingEvent): void;
  line(text: string): void;
}
