/** Errors for archives that are refused as a whole. */
import { type ErrorCode, SkillwireError } from '../errors.ts';

export interface RefusalDetails {
  /** A sentence without its period. */
  readonly remedy?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** `fault` is a clause without a period; it names the entry if there is one. */
export function refusedArchive(
  code: ErrorCode,
  fault: string,
  { remedy = remedies[code] ?? 'Pack it again', data, cause }: RefusalDetails = {},
): SkillwireError {
  return new SkillwireError(code, `Cannot use the archive: ${fault}. ${remedy}.`, { data, cause });
}

const remedies: Partial<Record<ErrorCode, string>> = {
  ARCHIVE_TRUNCATED: 'Fetch or pack it again',
  ARCHIVE_CORRUPT: 'Fetch or pack it again',
  ARCHIVE_AMBIGUOUS: 'Pack it again, with "skillwire pack" or another tool',
  ARCHIVE_ENTRY_TYPE: 'Pack plain files only',
  ARCHIVE_TOO_LARGE: 'Pack fewer or smaller files',
};

/** @throws SkillwireError INTERRUPTED */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new SkillwireError('INTERRUPTED', 'Reading or packing the archive was canceled by the caller.', {
    cause: signal.reason,
  });
}
