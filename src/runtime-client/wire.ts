/** A connection to a hub, whatever the transport. A wire is open when its opener returns it, and it ends once. */
import type { ClientMessage, ServerMessage } from '../dialects/mdp/messages.ts';
import { limits } from '../limits.ts';

/** Why a wire ended. `code` is a WebSocket close code; the HTTP loop uses the code with the same meaning. */
export interface WireEnd {
  readonly code: number;
  readonly reason: string;
}

export interface RuntimeWire {
  send(message: ClientMessage): void;
  /** Sends the waiting messages, then closes. */
  close(): Promise<void>;
}

export interface WireEvents {
  onMessage(message: ServerMessage): void;
  /** A message that cannot be understood; the wire stays open. */
  onFault(fault: string): void;
  /** Never after `close()`. */
  onEnd(end: WireEnd): void;
}

/** Opens a wire. @throws SkillwireError UNREACHABLE, NOT_AUTHORIZED; the reason of the signal if it aborts */
export type OpenWire = (events: WireEvents, signal: AbortSignal) => Promise<RuntimeWire>;

export const closeCodes = {
  /** The connection ended without a close message. */
  lost: 1006,
  /** The hub did not accept the message or its sender. */
  refused: 1008,
  /** Another session has registered with the same id. */
  replaced: 4000,
} as const;

/**
 * * Computes the pause before the next attempt. Only a connection that has lasted resets it: otherwise a hub that accepts
 * and then disconnects would be retried at once, forever. After a refusal, the pause is much longer.
 * @param random returns 0 to 1; it decides half of each pause, so that a thousand tabs do not reconnect at once
 */
export function createBackoff(random: () => number = Math.random) {
  const { retryMs, longestRetryMs, refusedRetryMs, longestRefusedRetryMs } = limits.runtimeClient;
  let failures = 0;
  return {
    /** The connection has lasted. */
    settled(): void {
      failures = 0;
    },
    /** Milliseconds until the next attempt. */
    next(refused: boolean): number {
      const [first, most] = refused ? [refusedRetryMs, longestRefusedRetryMs] : [retryMs, longestRetryMs];
      const pause = Math.min(first * 2 ** Math.min(failures++, 16), most);
      return pause / 2 + (pause / 2) * random();
    },
  };
}
