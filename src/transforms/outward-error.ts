import { SkillwireError, VerificationError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';

/** An error as clients of the gateway may see it; the operator gets what is behind it as its cause. */
export function outwardError(error: unknown, label: string): unknown {
  if (!(error instanceof SkillwireError) || error.code === 'INTERRUPTED' || error.code === 'LIMIT_EXCEEDED')
    return error;
  if (error instanceof VerificationError) return error;
  const options = { data: { label }, cause: error };
  const origin = `the origin ${quoteText(label)} of this gateway`;
  if (error.code === 'NOT_AUTHORIZED')
    return new SkillwireError('NOT_AUTHORIZED', `${origin} does not let the gateway in; tell its operator`, options);
  if (error.code === 'UNREACHABLE' || error.code === 'TIMED_OUT')
    return new SkillwireError(error.code, `${origin} does not answer now; try again later`, options);
  return new SkillwireError(error.code, `${origin} gives no usable answer; tell the operator of the gateway`, options);
}
