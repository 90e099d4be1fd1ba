/**
 * Refusals as JSON-RPC errors. Errors of our own table keep their code, message and data. Of any other error, and of those
 * about folders, configuration and addresses, the client learns only that there was one: they name what is the business of
 * the operator, who gets them whole.
 */
import { SkillwireError } from '../../errors.ts';
import type { MethodCall } from './cache-fields.ts';

export type ReportError = (error: Error) => void;

export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

const internalError = -32603;
const operatorsBusiness = /^(?:ORIGIN|CONFIG|ADDRESS)_/;

/** What revisions before 2026-07-28 call a missing resource; later ones say "invalid params". */
export const legacyNotFoundCode = -32002;

/** What the client gets for an error; the operator gets the error itself where it is not the client's fault. */
export function wireError(error: unknown, call: MethodCall, report: ReportError | undefined): WireError {
  if (!(error instanceof SkillwireError)) {
    if (call.context.signal?.aborted !== true) report?.(error instanceof Error ? error : new Error(String(error)));
    return { code: internalError, message: 'Internal error' };
  }
  if (operatorsBusiness.test(error.code)) {
    report?.(error);
    return { code: internalError, message: 'Internal error' };
  }
  if (error.rpcCode === internalError) report?.(error);
  const missing = error.code === 'FILE_NOT_FOUND' && call.era === 'legacy';
  return {
    code: missing ? legacyNotFoundCode : error.rpcCode,
    message: error.message,
    ...(Object.keys(error.data).length === 0 ? {} : { data: { ...error.data } }),
  };
}
