/**
 * Runs work at most once at a time. A call during a run gets the next run, which it shares with all other calls until that one starts:
 * so every caller gets a result that began after its call.
 */
export function coalesced<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  function start(): Promise<T> {
    next = undefined;
    const own = work().finally(() => {
      if (running === own) running = undefined;
    });
    running = own;
    return own;
  }

  return () => {
    if (running === undefined) return start();
    next ??= running.then(start, start);
    return next;
  };
}
