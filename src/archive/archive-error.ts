/** Why an archive is refused, in one form of words: nothing of it is used, whatever the fault is about. */
import { type ErrorCode, SkillwireError } from '../errors.ts';

/** `fault` is a sentence without its end; it names the entry where there is one. */
export function refusedArchive(code: ErrorCode, fault: string, cause?: unknown): SkillwireError {
  return new SkillwireError(code, `cannot use the archive: ${fault}; ${remedies[code] ?? 'pack it anew'}`, { cause });
}

const remedies: Partial<Record<ErrorCode, string>> = {
  ARCHIVE_TRUNCATED: 'fetch or pack it anew',
  ARCHIVE_CORRUPT: 'fetch or pack it anew',
  ARCHIVE_AMBIGUOUS: 'pack it anew, with "skillwire pack" or another tool',
  ARCHIVE_ENTRY_TYPE: 'pack plain files only',
};

/** Throws where the caller does not want to wait any longer. */
export function checkWanted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new SkillwireError('INTERRUPTED', 'gave up on the archive: the caller ended it', {
    cause: signal.reason,
  });
}
