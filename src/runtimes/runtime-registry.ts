/**
 * The port of the hub: which runtimes are connected, what they expose, and calls to them. Whoever carries the messages (a
 * WebSocket, an HTTP loop) opens a session per connection; whoever wants an answer of a runtime calls. No sockets here.
 */
import type {
  ClientDescriptor,
  ClientMessage,
  MdpAuth,
  MdpError,
  MdpMethod,
  ServerMessage,
} from '../dialects/mdp/messages.ts';

/** One connection as its transport sees it. */
export interface RuntimeConnection {
  readonly mode: 'ws' | 'http-loop';
  readonly secure: boolean;
  /** Who was authenticated when the connection was made; an id of whoever checks credentials. */
  readonly credential?: string;
  /** What the transport carried about the peer, unchecked. */
  readonly auth?: MdpAuth;
  /** The web origin of the page that connected. */
  readonly origin?: string;
  /** True while the peer does not read what was sent; it then gets no further calls. */
  readonly congested?: boolean;
  send(message: ServerMessage): void;
  /** May be called more than once. */
  close(code: number, reason: string): void;
}

export interface RuntimeSession {
  /** Takes a decoded message. Where it may not be sent now, the connection is closed with 1008 and the reason is returned. */
  receive(message: ClientMessage): string | undefined;
  /** The peer is there, although it said nothing. */
  seen(): void;
  /** The connection is gone, whoever ended it. */
  ended(): void;
}

/** A registered runtime as it is at one moment. */
export interface RuntimeClient extends ClientDescriptor {
  /** Grows with each registration: a place in the order of them that stays good when others come and go. */
  readonly serial: number;
  readonly connectedAt: Date;
  readonly lastSeenAt: Date;
  readonly lastCallAt?: Date;
  readonly connection: {
    readonly mode: 'ws' | 'http-loop';
    readonly secure: boolean;
    readonly authSource: 'none' | 'message' | 'transport' | 'transport+message';
  };
}

export interface RuntimeCall {
  readonly clientId: string;
  readonly method: MdpMethod;
  /** Concrete: without parameters. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: MdpAuth;
}

/** Why the hub itself has no answer. `mismatch`: the runtime answered other bytes than it had declared. */
export type HubReason = 'not-connected' | 'not-found' | 'busy' | 'too-large' | 'timeout' | 'gone' | 'mismatch';

export type CallOutcome =
  | { readonly ok: true; readonly data?: unknown }
  /** The runtime answered that it failed. */
  | { readonly ok: false; readonly error: MdpError; readonly hub?: never }
  /** The call did not get to an answer. */
  | { readonly ok: false; readonly error: MdpError; readonly hub: HubReason };

/** The live programs that are connected, and calls to them. */
export interface RuntimeRegistry {
  /** Throws LIMIT_EXCEEDED where there are too many sessions; ask `refusal()` before a connection is made. */
  open(connection: RuntimeConnection): RuntimeSession;
  /** Why a session for this credential could not be opened now. */
  refusal(credential?: string): string | undefined;
  /** In the order of their registration. */
  clients(): readonly RuntimeClient[];
  client(id: string): RuntimeClient | undefined;
  /** Never throws for what a runtime does; INTERRUPTED where the signal fires. */
  call(call: RuntimeCall, signal?: AbortSignal): Promise<CallOutcome>;
  /** Tells the ids of runtimes that came, changed or went; what happens within a moment is told at once. */
  watch(listener: (changed: ReadonlySet<string>) => void): () => void;
  /** Lets calls under way finish, then closes all connections with 1001. */
  close(): Promise<void>;
}
