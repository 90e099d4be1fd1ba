/** The way to a hub, whatever carries it. A wire is open when it is handed over, and ends once. */
import type { ClientMessage, ServerMessage } from '../dialects/mdp/messages.ts';
import { limits } from '../limits.ts';

/** Why a wire ended. `code` is that of the WebSocket; the HTTP loop has the ones that mean the same. */
export interface WireEnd {
  readonly code: number;
  readonly reason: string;
}

export interface Wire {
  send(message: ClientMessage): void;
  /** Sends what waits, then ends. */
  close(): Promise<void>;
}

export interface WireEvents {
  onMessage(message: ServerMessage): void;
  /** A message that cannot be understood; the wire goes on. */
  onFault(fault: string): void;
  /** Never after `close()`. */
  onEnd(end: WireEnd): void;
}

/** Opens a wire. @throws SkillwireError UNREACHABLE, NOT_AUTHORIZED; the reason of the signal where that ends it */
export type OpenWire = (events: WireEvents, signal: AbortSignal) => Promise<Wire>;

export const closeCodes = {
  /** Ended without a word. */
  lost: 1006,
  /** The hub does not accept what was sent, or who sent it. */
  refused: 1008,
  /** Another session has registered with the same id. */
  replaced: 4000,
} as const;

/**
 * How long to wait before the next attempt. A connection counts as good only after it has lasted: a hub that lets everybody in
 * and then throws some out would otherwise be asked again at once, for ever. One that refused is asked much less often.
 */

export interface Backoff {
  /** The connection has lasted. */
  settled(): void;
  /** Milliseconds until the next attempt. */
  next(refused: boolean): number;
}

/** @param random gives 0 to 1; half of each pause is left to it, so that a thousand tabs do not come back at one moment */
export function createBackoff(random: () => number = Math.random): Backoff {
  const { retryMs, longestRetryMs, refusedRetryMs, longestRefusedRetryMs } = limits.runtimeClient;
  let failures = 0;
  return {
    settled() {
      failures = 0;
    },
    next(refused) {
      const [first, most] = refused ? [refusedRetryMs, longestRefusedRetryMs] : [retryMs, longestRetryMs];
      const pause = Math.min(first * 2 ** Math.min(failures++, 16), most);
      return pause / 2 + (pause / 2) * random();
    },
  };
}
