/**
 * Messages of the Model Drive Protocol 2.0.0: JSON objects, one per text frame of a WebSocket or per request of the
 * HTTP loop. There are no acknowledgments and no error messages; a peer that breaks the protocol is disconnected.
 * Unknown fields are kept in both directions.
 */

export const mdpProtocolVersion = '2.0.0';
export const mdpProtocolRange = '^2.0.0';

/** Other methods make a message invalid, including `HEAD` and `OPTIONS`. */
export const mdpMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type MdpMethod = (typeof mdpMethods)[number];

export const mdpErrorCodes = [
  'bad_request',
  'not_found',
  'timeout',
  'transport_error',
  'handler_error',
  'not_ready',
] as const;
export type MdpErrorCode = (typeof mdpErrorCodes)[number];

export interface MdpError {
  readonly code: MdpErrorCode;
  readonly message: string;
  readonly details?: unknown;
}

/** Credentials of a runtime or a reader. The protocol does not check them. */
export interface MdpAuth {
  readonly scheme?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

interface DescribedPath {
  readonly path: string;
  readonly description?: string;
  /** Our own facts about a skill, under `dev.skillwire/`; the reference server passes them on. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Writers always set `contentType`: the reference server treats a missing one as `text/plain`. */
export interface SkillDescriptor extends DescribedPath {
  readonly type: 'skill';
  readonly contentType?: string;
}

export interface PromptDescriptor extends DescribedPath {
  readonly type: 'prompt';
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}

export interface EndpointDescriptor extends DescribedPath {
  readonly type: 'endpoint';
  readonly method: MdpMethod;
  readonly contentType?: string;
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}

export type PathDescriptor = SkillDescriptor | PromptDescriptor | EndpointDescriptor;

/** How a runtime introduces itself. Its id may be any text. */
export interface ClientDescriptor {
  readonly id: string;
  readonly name: string;
  readonly paths: readonly PathDescriptor[];
  readonly description?: string;
  readonly version?: string;
  readonly platform?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface RegisterClient {
  readonly type: 'registerClient';
  readonly client: ClientDescriptor;
  readonly auth?: MdpAuth;
}

/** Replaces the whole catalog of the runtime registered on the same session. */
export interface UpdateClientCatalog {
  readonly type: 'updateClientCatalog';
  readonly clientId: string;
  readonly paths: readonly PathDescriptor[];
}

export interface UnregisterClient {
  readonly type: 'unregisterClient';
  readonly clientId: string;
}

export interface CallClientResult {
  readonly type: 'callClientResult';
  readonly requestId: string;
  readonly ok: boolean;
  readonly data?: unknown;
  readonly error?: MdpError;
}

export interface Heartbeat {
  readonly type: 'ping' | 'pong';
  /** A pong repeats the timestamp of its ping. */
  readonly timestamp: number;
}

/** Skills are always called with `GET`. `query` on the wire is `queries` for the answering function. */
export interface CallClient {
  readonly type: 'callClient';
  readonly requestId: string;
  readonly clientId: string;
  readonly method: MdpMethod;
  readonly path: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: MdpAuth;
}

export type ClientMessage = RegisterClient | UpdateClientCatalog | UnregisterClient | CallClientResult | Heartbeat;
export type ServerMessage = CallClient | Heartbeat;

// The paths of an MDP hub, for the hub and its clients. The two listings are our own.
export const metaPath = '/mdp/meta';
export const authPath = '/mdp/auth';
export const httpLoopPath = '/mdp/http-loop';
export const listedSkillsPath = '/mdp/skills';
export const listedClientsPath = '/mdp/clients';
/** Reference servers use this path among themselves. We do not, and accept no runtime there. */
export const clusterPath = '/mdp/cluster';

/** Followed by the id of a runtime and the path of a skill. */
export const liveSkillsPath = '/skills';
