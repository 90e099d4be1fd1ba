/**
 * Converts errors to JSON-RPC errors. Errors of our own table keep code, message and data. For any other error, and for errors about
 * folders, configuration and addresses, the client only gets "Internal error"; the operator gets the full error.
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
const operatorOnly = /^(?:ORIGIN|CONFIG|ADDRESS)_/;

/** The code for a missing resource before revision 2026-07-28; later ones use "invalid params". */
export const legacyNotFoundCode = -32002;

/** The error for the client. The operator gets the original error if it is not the client's fault. */
export function wireError(error: unknown, call: MethodCall, report: ReportError | undefined): WireError {
  if (!(error instanceof SkillwireError)) {
    if (call.context.signal?.aborted !== true) report?.(error instanceof Error ? error : new Error(String(error)));
    return { code: internalError, message: 'Internal error' };
  }
  if (operatorOnly.test(error.code)) {
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
