/** What a call that brought no text means to who wanted to read a skill. */
import { SkillwireError, VerificationError } from '../../errors.ts';
import type { CallOutcome } from '../../runtimes/runtime-registry.ts';
import { quoteText } from '../../skill/display-text.ts';

/** Undefined where the skill is simply not there any more. */
export function outcomeError(
  uri: string,
  { error, hub }: Extract<CallOutcome, { ok: false }>,
): SkillwireError | undefined {
  const data = { uri, ...(hub === undefined ? { code: error.code } : { reason: hub }) };
  const failed = `cannot read "${uri}": ${quoteText(error.message)}`;
  switch (hub) {
    case 'not-connected':
    case 'not-found':
      return undefined;
    case 'gone':
      return new SkillwireError('UNREACHABLE', `${failed}; the runtime has gone while it was asked`, { data });
    case 'timeout':
      return new SkillwireError('TIMED_OUT', `${failed}; look at the runtime, or try again`, { data });
    case 'too-large':
      return new SkillwireError('LIMIT_EXCEEDED', failed, { data });
    case 'mismatch':
      return new VerificationError('digest', `${failed}; nothing of the answer is used`, { data });
    case 'busy':
      return new SkillwireError('ORIGIN_FAILED', `${failed}; try again later`, { data });
    default:
      return new SkillwireError(
        'ORIGIN_FAILED',
        `cannot read "${uri}": its runtime failed: ${quoteText(error.message)}`,
        { data },
      );
  }
}

export function notText(uri: string): SkillwireError {
  return new SkillwireError('BAD_ANSWER', `cannot read "${uri}": its runtime answered something else than text`, {
    data: { uri },
  });
}
