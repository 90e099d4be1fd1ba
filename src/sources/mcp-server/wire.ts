/**
 * A connection to one MCP server, whatever carries it: a question by method and parameters, an answer as it came. What an
 * answer means is decided elsewhere.
 */
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
  /** The same is likely to be asked again and answered alike: one result, pinned, may then be given for several answers. */
  readonly repeated?: boolean;
  /** Told the size of the answer, where it is known. */
  readonly onBytes?: (bytes: number) => void;
}

export interface Wire {
  readonly era: 'modern' | 'legacy';
  readonly protocolVersion: string;
  /** As the server declared them. */
  readonly capabilities: unknown;
  readonly serverInfo?: ServerInfo;
  readonly instructions?: string;
  /** What an answer over this wire must have. */
  readonly rules: AnswerRules;
  /** True where nothing is lost when the connection is: each request stands for itself. */
  readonly stateless: boolean;
  /** The result. Throws {@link RpcError} for an error that the server answered, SkillwireError for everything else. */
  request(method: string, params: Readonly<Record<string, unknown>>, options: WireRequestOptions): Promise<unknown>;
  /** Called once when the other side is gone. */
  onClose(listener: () => void): void;
  close(): Promise<void>;
}

/** An error that the server answered. */
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

/** The error in a JSON-RPC answer, or undefined where it holds none. */
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
      `cannot use the answer to ${quoteText(method)}: it is not the JSON-RPC answer to this request`,
      { data: { method } },
    );
  return message['result'];
}

/** The text that a server gives about its use, cut where it is long. */
export function decodeInstructions(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, limits.origin.instructionsCharacters) : undefined;
}

export function timedOut(method: string, deadlineMs: number): SkillwireError {
  return new SkillwireError(
    'TIMED_OUT',
    `cannot use ${quoteText(method)}: the server did not answer within ${deadlineMs} ms; try a longer timeout`,
    { data: { method, deadlineMs } },
  );
}

export function interruptedCall(method: string, signal: AbortSignal | undefined): SkillwireError {
  return new SkillwireError(
    'INTERRUPTED',
    `gave up on ${quoteText(method)}: the caller did not want to wait any longer`,
    {
      cause: signal?.reason,
      data: { method },
    },
  );
}
