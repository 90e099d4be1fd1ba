/**
 * The port of the hub: the connected runtimes, their paths, and calls to them. A transport (WebSocket, HTTP loop) opens a session per
 * connection. No sockets here.
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
  /** Id of the credential that was authenticated when the connection was made. */
  readonly credential?: string;
  /** Authentication that the transport carried, unchecked. */
  readonly auth?: MdpAuth;
  /** The web origin of the page that connected. */
  readonly origin?: string;
  /** True while the peer does not read; it then gets no further calls. */
  readonly congested?: boolean;
  send(message: ServerMessage): void;
  /** May be called more than once. */
  close(code: number, reason: string): void;
}

export interface RuntimeSession {
  /** Handles a decoded message. If it is not allowed now, the connection is closed with 1008 and the reason is returned. */
  receive(message: ClientMessage): string | undefined;
  /** The peer is alive, even if it sent no message. */
  seen(): void;
  /** The connection ended, on either side. */
  ended(): void;
}

/** A snapshot of a registered runtime. */
export interface RuntimeClient extends ClientDescriptor {
  /** Grows with each registration: a stable order while others come and go. */
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

/**
 * Why the hub has no answer.
 *
 * - `mismatch`: the bytes of the answer differ from the declared ones.
 * - `reconnecting`: the hub was restarted, and the runtime is not back yet.
 */
export type HubReason =
  | 'not-connected'
  | 'reconnecting'
  | 'not-found'
  | 'busy'
  | 'too-large'
  | 'timeout'
  | 'gone'
  | 'mismatch';

export type CallOutcome =
  | { readonly ok: true; readonly data?: unknown }
  /** The runtime reported a failure. */
  | { readonly ok: false; readonly error: MdpError; readonly hub?: never }
  /** The call got no answer. */
  | { readonly ok: false; readonly error: MdpError; readonly hub: HubReason };

/** The live programs that are connected, and calls to them. */
export interface RuntimeRegistry {
  /** When the registry was created. It then knows no runtime. */
  readonly startedAt: Date;
  /** Throws LIMIT_EXCEEDED if there are too many sessions; call `refusal()` before accepting a connection. */
  open(connection: RuntimeConnection): RuntimeSession;
  /** Why a session for this credential cannot be opened now. */
  refusal(credential?: string): string | undefined;
  /** In the order of their registration. */
  clients(): readonly RuntimeClient[];
  client(id: string): RuntimeClient | undefined;
  /** A failing runtime is an outcome, not an error. Throws INTERRUPTED if the signal fires. */
  call(call: RuntimeCall, signal?: AbortSignal): Promise<CallOutcome>;
  /** Reports the ids of runtimes that connected, changed or left; changes in quick succession are reported together. */
  watch(listener: (changed: ReadonlySet<string>) => void): () => void;
  /** Waits for running calls, then closes all connections with 1001. */
  close(): Promise<void>;
}
