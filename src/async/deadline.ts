/** Bounds work by its caller's signal and by deadlines, whether or not the work observes its own signal. */

export interface Deadline {
  /** Since the start, or since the last progress. */
  readonly ms: number;
  /** In total, even with progress. */
  readonly mostMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly late: (ms: number) => Error;
  readonly interrupted: (reason: unknown) => Error;
}

export async function withDeadline<T>(
  { ms, mostMs, signal: outer, late, interrupted }: Deadline,
  run: (signal: AbortSignal, alive: () => void) => Promise<T>,
): Promise<T> {
  // One caller may wait for many origins at once. Each has a signal of its own, or Node warns of a leak.
  const signal = outer === undefined ? undefined : AbortSignal.any([outer]);
  if (signal?.aborted === true) throw interrupted(signal.reason);
  const controller = new AbortController();
  let end: (error: Error) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    end = reject;
  });
  const stop = (error: Error): void => {
    end(error);
    controller.abort(error);
  };
  const onAbort = (): void => stop(interrupted(signal?.reason));
  const stopAfter = (time: number): ReturnType<typeof setTimeout> => setTimeout(() => stop(late(time)), time);
  let timer = stopAfter(ms);
  const whole = mostMs === undefined ? undefined : stopAfter(mostMs);
  let over = false;
  const alive = (): void => {
    if (over) return;
    clearTimeout(timer);
    timer = stopAfter(ms);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([run(controller.signal, alive), ended]);
  } finally {
    over = true;
    clearTimeout(timer);
    clearTimeout(whole);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Whether the work is done in time; the work itself continues. Rejects if the work fails before. */
export async function isDoneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
