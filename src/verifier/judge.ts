/** Judges an error of a server. If it breaks a rule, it is a failure; otherwise the report is incomplete. */
import { type ErrorCode, SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';
import { RpcError } from '../sources/mcp-server/wire.ts';

export type Judgement =
  | { readonly kind: 'broken'; readonly requirement: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string; readonly code: ErrorCode };

/** The rules that an error breaks. */
export interface BrokenRules {
  readonly requirement: string;
  /** If the server does not know the method. */
  readonly unknownMethod?: string;
}

export const rpcCodes = {
  methodNotFound: -32601,
  invalidParams: -32602,
  /** The code of revisions before 2026-07-28 for a missing resource. */
  resourceNotFound: -32002,
} as const;

const tooManyRequests = 429;

/** @throws the error itself if it is an interruption or a bug of this program */
export function judge(error: unknown, { requirement, unknownMethod = requirement }: BrokenRules): Judgement {
  if (error instanceof RpcError) {
    const unknown = error.code === rpcCodes.methodNotFound;
    return {
      kind: 'broken',
      requirement: unknown ? unknownMethod : requirement,
      message: `the server answers with the error ${error.code}, ${quoteText(error.message)}`,
    };
  }
  if (!(error instanceof SkillwireError) || error.code === 'INTERRUPTED') throw error;
  const { code, message, data } = error;
  const broken = code === 'BAD_ANSWER' || (code === 'ORIGIN_FAILED' && data['status'] !== tooManyRequests);
  if (!broken) return { kind: 'unknown', message, code };
  const named = data['requirement'];
  return { kind: 'broken', requirement: typeof named === 'string' ? named : requirement, message };
}

/** Whether the server reports that the requested resource does not exist. */
export function isNotFound(error: unknown): boolean {
  return (
    error instanceof RpcError && (error.code === rpcCodes.invalidParams || error.code === rpcCodes.resourceNotFound)
  );
}

export function isInterruption(error: unknown): boolean {
  return error instanceof SkillwireError && error.code === 'INTERRUPTED';
}
