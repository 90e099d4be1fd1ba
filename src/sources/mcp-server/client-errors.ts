/**
 * Errors that the official MCP clients throw, in our words. The two generations differ: 2.x has text codes for its own errors
 * and numbers for those of the server, 1.x has numbers for both.
 */
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { httpFailure, tryJson } from './http-failure.ts';
import { interruptedCall, RpcError, rpcErrorOf, timedOut } from './wire.ts';

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

const gone = new Set(['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED']);
const refused = new Set(['CLIENT_HTTP_AUTHENTICATION', 'CLIENT_HTTP_FORBIDDEN']);
const v1ConnectionClosed = -32000;
const v1RequestTimeout = -32001;

export function clientError(error: unknown, call: FailedCall): SkillwireError | RpcError {
  if (call.signal?.aborted === true) return interruptedCall(call.method, call.signal);
  if (error instanceof SkillwireError || error instanceof RpcError) return error;
  const { name, code, message = String(error), data } = (typeof error === 'object' ? error : {}) as ClientError;
  if (typeof code === 'number') return serverError(code, message, data, call);
  if (code === 'REQUEST_TIMEOUT') return timedOut(call.method, call.deadlineMs);
  if (typeof code === 'string' && gone.has(code)) return closed(call.method, error);
  const { status, text } = (data ?? {}) as { status?: unknown; text?: unknown };
  if (typeof status === 'number') return httpError(call.method, status, typeof text === 'string' ? text : '');
  if (name === 'UnauthorizedError' || (typeof code === 'string' && refused.has(code)))
    return httpError(call.method, 401, '');
  if (/not connected/i.test(message)) return closed(call.method, error);
  return new SkillwireError('BAD_ANSWER', `cannot use the answer to ${quoteText(call.method)}: ${quoteText(message)}`, {
    cause: error,
    data: { method: call.method },
  });
}

function serverError(code: number, message: string, data: unknown, call: FailedCall): SkillwireError | RpcError {
  if (code === v1RequestTimeout && /timed out/i.test(message)) return timedOut(call.method, call.deadlineMs);
  if (code === v1ConnectionClosed && /connection closed/i.test(message)) return closed(call.method, undefined);
  return new RpcError(code, message.replace(/^MCP error -?\d+: /, ''), data);
}

/** The clients wrap a JSON-RPC error with an HTTP status of its own, such as -32601 with 404, into an HTTP error. */
function httpError(method: string, status: number, text: string): SkillwireError | RpcError {
  const refusal = status === 401 || status === 403;
  return (
    (refusal ? undefined : rpcErrorOf(tryJson(text))) ??
    httpFailure({ url: method, status, type: undefined, text }, true)
  );
}

function closed(method: string, cause: unknown): SkillwireError {
  return new SkillwireError('UNREACHABLE', `cannot use ${quoteText(method)}: the connection to the server is closed`, {
    cause,
    data: { method, reason: 'CLOSED' },
  });
}
