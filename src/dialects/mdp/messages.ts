/**
 * The messages of the Model Drive Protocol, version 2.0.0, as they stand on the wire: JSON objects, one per text frame of a
 * WebSocket or one per request of the HTTP loop. Nothing acknowledges a message and there is no message for errors; a peer that
 * says something wrong is disconnected. Fields that are not named here are kept, in both directions.
 */

export const mdpProtocolVersion = '2.0.0';
export const mdpProtocolRange = '^2.0.0';

/** Other methods make a message invalid, `HEAD` and `OPTIONS` too. */
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

/** Credentials of a runtime or of a reader. Nothing in them is checked by the protocol. */
export interface MdpAuth {
  readonly scheme?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

interface DescribedPath {
  readonly path: string;
  readonly description?: string;
  /** Our own facts about a skill stand here, under `dev.skillwire/`; the reference server hands it through. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Absent `contentType` means `text/plain` on the routes of the reference server, so writers always name it. */
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

/** A runtime as it introduces itself. Its id may be any text. */
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

/** Replaces the whole catalogue of a runtime that is registered on the same session. */
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
  /** A pong repeats the one of its ping. */
  readonly timestamp: number;
}

/** Skills are always called with `GET`. `query` of the wire is `queries` to the function that answers. */
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
