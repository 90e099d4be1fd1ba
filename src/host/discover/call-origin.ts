/**
 * One call to an origin, which ends: with its answer, when the caller gives up, or at the deadline, whether or not the origin
 * listens to its signal. Errors that are not ours become ORIGIN_FAILED, so that whoever is above meets known codes only.
 */
import { withDeadline } from '../../async/deadline.ts';
import { interrupted } from '../../async/unless-aborted.ts';
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';

export interface OriginCall {
  /** What is being done, for messages: `list its skills`. */
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

/** @throws INTERRUPTED where the caller has given up. */
export function throwIfInterrupted(signal: AbortSignal | undefined, action: string): void {
  if (signal?.aborted === true) throw interrupted(action);
}

function timedOut({ action, label, timeoutMs }: OriginCall): SkillwireError {
  return new SkillwireError(
    'TIMED_OUT',
    `cannot ${action}: the origin ${quoteText(label)} did not answer within ${timeoutMs} ms; try again, or allow more time`,
    { data: { label, timeoutMs } },
  );
}

function asSkillwireError(error: unknown, { action, label }: OriginCall): SkillwireError {
  if (error instanceof SkillwireError) return error;
  const told = error instanceof Error ? error.message : String(error);
  return new SkillwireError(
    'ORIGIN_FAILED',
    `cannot ${action}: the origin ${quoteText(label)} failed: ${quoteText(told)}`,
    {
      data: { label },
      cause: error,
    },
  );
}
