/**
 * A connection to one MCP server over any transport: requests by method and parameters, raw answers. Other files
 * interpret the answers.
 */

import { createTurns } from '../../async/slices.ts';
import type { AnswerRules } from '../../dialects/skills-extension/remark.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import type { ServerInfo } from './protocol.ts';

export interface WireRequestOptions {
  readonly signal?: AbortSignal;
  readonly deadlineMs: number;
  /** Of the whole answer as JSON. */
  readonly maxBytes: number;
  /** The request is likely to repeat with the same answer; one deep-frozen result may then serve several answers. */
  readonly repeated?: boolean;
  /** Receives the size of the answer, if known. */
  readonly onBytes?: (bytes: number) => void;
}

export interface Wire {
  readonly era: 'modern' | 'legacy';
  readonly protocolVersion: string;
  /** As the server declared them. */
  readonly capabilities: unknown;
  readonly serverInfo?: ServerInfo;
  readonly instructions?: string;
  /** The fields that an answer over this wire must have. */
  readonly rules: AnswerRules;
  /** True if each request is self-contained, so that losing the connection loses nothing. */
  readonly stateless: boolean;
  /** Returns the result. Throws {@link RpcError} for an error from the server, SkillwireError for everything else. */
  request(method: string, params: Readonly<Record<string, unknown>>, options: WireRequestOptions): Promise<unknown>;
  /** Called once, when the other side is gone. */
  onClose(listener: () => void): void;
  close(): Promise<void>;
}

/** An error from the server. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

export const modernRules: AnswerRules = { cacheFields: true, resultType: true };
export const legacyRules: AnswerRules = { cacheFields: false, resultType: false };

/** The error in a JSON-RPC answer; `undefined` if there is none. */
export function rpcErrorOf(message: unknown): RpcError | undefined {
  if (!isJsonObject(message) || !isJsonObject(message['error'])) return undefined;
  const { code, message: text, data } = message['error'];
  if (typeof code !== 'number') return undefined;
  return new RpcError(code, typeof text === 'string' ? text : '', data);
}

/** The result of a JSON-RPC answer with this id. */
export function resultOf(method: string, message: unknown, id: number): unknown {
  const error = rpcErrorOf(message);
  if (error !== undefined) throw error;
  if (!isJsonObject(message) || message['jsonrpc'] !== '2.0' || message['id'] !== id || !('result' in message))
    throw new SkillwireError(
      'BAD_ANSWER',
      `Cannot use the answer to ${quoteText(method)}: it is not a JSON-RPC answer to this request. Check the address.`,
      { data: { method } },
    );
  return message['result'];
}

/** The server's instructions, truncated if long. */
export function decodeInstructions(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, limits.origin.instructionsCharacters) : undefined;
}

export function timedOut(method: string, deadlineMs: number): SkillwireError {
  return new SkillwireError(
    'TIMED_OUT',
    `The server did not answer ${quoteText(method)} within ${deadlineMs} ms. Try a longer timeout.`,
    { data: { method, deadlineMs } },
  );
}

export function interruptedCall(method: string, signal: AbortSignal | undefined): SkillwireError {
  return new SkillwireError('INTERRUPTED', `Request ${quoteText(method)} canceled by the caller.`, {
    cause: signal?.reason,
    data: { method },
  });
}

/**
 * Large answers are parsed, and pages decoded, one per turn of the event loop, across all servers. Each takes
 * milliseconds. Without turns, the request to the last of fifty servers would wait for the decoding of all the others.
 */
export const decodingTurn: () => Promise<void> = createTurns();
