/**
 * One call to an origin, which ends: with its answer, when the caller gives up, or at the deadline, whether or not the origin
 * listens to its signal. Errors that are not ours become ORIGIN_FAILED, so that whoever is above meets known codes only.
 */
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';

export interface OriginCall {
  /** What is being done, for messages: `list its skills`. */
  readonly action: string;
  readonly label: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export async function withDeadline<T>(call: OriginCall, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, timeoutMs } = call;
  throwIfInterrupted(signal, call.action);
  const controller = new AbortController();
  let end: (error: SkillwireError) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    end = reject;
  });
  const stop = (error: SkillwireError): void => {
    end(error);
    controller.abort(error);
  };
  const timer = setTimeout(() => stop(timedOut(call)), timeoutMs);
  const onAbort = (): void => stop(interrupted(call.action));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([run(controller.signal), ended]);
  } catch (error) {
    throw asSkillwireError(error, call);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** @throws INTERRUPTED where the caller has given up. */
export function throwIfInterrupted(signal: AbortSignal | undefined, action: string): void {
  if (signal?.aborted === true) throw interrupted(action);
}

export function interrupted(action: string): SkillwireError {
  return new SkillwireError('INTERRUPTED', `gave up to ${action}: the caller ended it`);
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
