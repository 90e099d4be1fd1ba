/**
 * Runs one call to an origin. It always ends: with the answer, when the caller cancels, or at the deadline, even if the
 * origin ignores its signal. Foreign errors become ORIGIN_FAILED, so that callers see only known codes.
 */
import { withDeadline } from '../../async/deadline.ts';
import { interrupted } from '../../async/unless-aborted.ts';
import { reasonOf, SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';

export interface OriginCall {
  /** The action for messages: `list its skills`. */
  readonly action: string;
  readonly label: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export async function callOrigin<T>(call: OriginCall, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { action, signal, timeoutMs } = call;
  try {
    return await withDeadline(
      { ms: timeoutMs, signal, late: () => timedOut(call), interrupted: () => interrupted(action) },
      run,
    );
  } catch (error) {
    throw asSkillwireError(error, call);
  }
}

/** @throws INTERRUPTED if the caller canceled */
export function throwIfInterrupted(signal: AbortSignal | undefined, action: string): void {
  if (signal?.aborted === true) throw interrupted(action);
}

function timedOut({ action, label, timeoutMs }: OriginCall): SkillwireError {
  return new SkillwireError(
    'TIMED_OUT',
    `Cannot ${action}: the origin ${quoteText(label)} did not answer within ${timeoutMs} ms. Try again, or allow more time.`,
    { data: { label, timeoutMs } },
  );
}

function asSkillwireError(error: unknown, { action, label }: OriginCall): SkillwireError {
  if (error instanceof SkillwireError) return error;
  const reason = reasonOf(error);
  return new SkillwireError(
    'ORIGIN_FAILED',
    `Cannot ${action}: the origin ${quoteText(label)} failed: ${quoteText(reason)}`,
    {
      data: { label },
      cause: error,
    },
  );
}
