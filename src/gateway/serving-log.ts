/** Reports of a running server to its operator: events for programs, and lines for everything that has no event of its own. */
import type { UpstreamEvent } from '../transforms/upstream.ts';

/** Something that happened to an origin or to the configuration. */
export type ServingEvent =
  | UpstreamEvent
  | { readonly event: 'config.taken'; readonly file: string; readonly origins: number }
  | { readonly event: 'config.refused'; readonly file: string; readonly reason: string };

/**
 * Gets what an operator should know while a server runs.
 *
 * Neither ever gets a secret or text of a skill.
 */
export interface ServingLog {
  event(event: ServingEvent): void;
  line(text: string): void;
}
