/**
 * A wire over an already connected client of the official MCP SDK, 1.x or 2.x. Clients are typed by their shape, so
 * that they need not come from the same copy of the package. The client may have validated the answers first, and 2.x
 * removes `resultType`.
 */

import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { httpFailure, tryJson } from './http-failure.ts';
import { decodeServerInfo, modernVersion } from './protocol.ts';
import { decodeInstructions, interruptedCall, legacyRules, RpcError, rpcErrorOf, timedOut, type Wire } from './wire.ts';

/** The used part of a connected client. */
export interface ConnectedClient {
  request(
    request: { method: string; params?: Record<string, unknown> },
    resultSchema: object,
    options?: { signal?: AbortSignal; timeout?: number; maxTotalTimeout?: number },
  ): Promise<unknown>;
  getServerCapabilities(): object | undefined;
  getServerVersion?(): object | undefined;
  getInstructions?(): string | undefined;
  getNegotiatedProtocolVersion?(): string | undefined;
  onclose?: (() => void) | undefined;
  close?(): Promise<void>;
}

/** Accepts every result: a Standard Schema for 2.x, a zod schema for 1.x. */
const anything = {
  '~standard': { version: 1, vendor: 'skillwire', validate: (value: unknown) => ({ value }) },
  parse: (value: unknown) => value,
  safeParse: (data: unknown) => ({ success: true, data }),
  parseAsync: async (value: unknown) => value,
  safeParseAsync: async (data: unknown) => ({ success: true, data }),
} as const;

export interface ClientWireOptions {
  /** Whether closing the wire closes the client. */
  readonly closes: boolean;
}

export function clientWire(client: ConnectedClient, { closes }: ClientWireOptions): Wire {
  const version = client.getNegotiatedProtocolVersion?.();
  const modern = version !== undefined && version >= modernVersion;
  const info = decodeServerInfo(client.getServerVersion?.());
  const instructions = decodeInstructions(client.getInstructions?.());
  const listeners: (() => void)[] = [];
  const before = client.onclose;
  const onclose = (): void => {
    before?.();
    for (const listener of listeners.splice(0)) listener();
  };
  client.onclose = onclose;
  return {
    era: modern ? 'modern' : 'legacy',
    protocolVersion: version ?? '',
    capabilities: client.getServerCapabilities(),
    serverInfo: info,
    instructions,
    rules: modern ? { cacheFields: true, resultType: false } : legacyRules,
    stateless: false,
    async request(method, params, { signal, deadlineMs }) {
      const call = { method, deadlineMs, signal };
      try {
        return await client.request({ method, params: { ...params } }, anything, {
          timeout: deadlineMs,
          maxTotalTimeout: deadlineMs,
          signal,
        });
      } catch (error) {
        throw clientError(error, call);
      }
    },
    onClose: (listener) => listeners.push(listener),
    async close() {
      if (client.onclose === onclose) client.onclose = before;
      if (closes) await client.close?.();
    },
  };
}

interface ClientError {
  readonly name?: string;
  readonly code?: unknown;
  readonly message?: string;
  readonly data?: unknown;
}

export interface FailedCall {
  readonly method: string;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

const closedCodes = new Set(['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED']);
const unauthorizedCodes = new Set(['CLIENT_HTTP_AUTHENTICATION', 'CLIENT_HTTP_FORBIDDEN']);
const v1ConnectionClosed = -32000;
const v1RequestTimeout = -32001;

/**
 * Translates errors of the MCP clients. The 2.x clients have text codes for their own errors and numbers for those of the server; 1.x has
 * numbers for both.
 */
export function clientError(error: unknown, call: FailedCall): SkillwireError | RpcError {
  if (call.signal?.aborted === true) return interruptedCall(call.method, call.signal);
  if (error instanceof SkillwireError || error instanceof RpcError) return error;
  const { name, code, message = String(error), data } = (typeof error === 'object' ? error : {}) as ClientError;
  if (typeof code === 'number') return serverError(code, message, data, call);
  if (code === 'REQUEST_TIMEOUT') return timedOut(call.method, call.deadlineMs);
  if (typeof code === 'string' && closedCodes.has(code)) return closed(call.method, error);
  const { status, text } = (data ?? {}) as { status?: unknown; text?: unknown };
  if (typeof status === 'number') return httpError(call.method, status, typeof text === 'string' ? text : '');
  if (name === 'UnauthorizedError' || (typeof code === 'string' && unauthorizedCodes.has(code)))
    return httpError(call.method, 401, '');
  if (/not connected/i.test(message)) return closed(call.method, error);
  return new SkillwireError(
    'BAD_ANSWER',
    `Cannot use the answer to ${quoteText(call.method)}: ${quoteText(message)}.`,
    {
      cause: error,
      data: { method: call.method },
    },
  );
}

function serverError(code: number, message: string, data: unknown, call: FailedCall): SkillwireError | RpcError {
  if (code === v1RequestTimeout && /timed out/i.test(message)) return timedOut(call.method, call.deadlineMs);
  if (code === v1ConnectionClosed && /connection closed/i.test(message)) return closed(call.method, undefined);
  return new RpcError(code, message.replace(/^MCP error -?\d+: /, ''), data);
}

/** The clients wrap a JSON-RPC error with its own HTTP status, such as -32601 with 404, into an HTTP error. */
function httpError(method: string, status: number, text: string): SkillwireError | RpcError {
  const refusal = status === 401 || status === 403;
  return (
    (refusal ? undefined : rpcErrorOf(tryJson(text))) ??
    httpFailure({ url: method, status, type: undefined, text }, { present: true })
  );
}

function closed(method: string, cause: unknown): SkillwireError {
  return new SkillwireError(
    'UNREACHABLE',
    `Cannot use ${quoteText(method)}: the connection to the server is closed. Connect again.`,
    {
      cause,
      data: { method, reason: 'CLOSED' },
    },
  );
}
