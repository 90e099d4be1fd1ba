/** The way to a hub, whatever carries it. A wire is open when it is handed over, and ends once. */
import type { ClientMessage, ServerMessage } from '../dialects/mdp/messages.ts';

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
