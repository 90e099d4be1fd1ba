/**
 * Calls back when something was written to a state, by this process or by another one. Writes of this process and events of the disk
 * are noticed at once; the revision is compared now and then too, because some file systems report nothing.
 */
import { limits } from '../limits.ts';

export interface StateFollower {
  /** Until the returned function is called. */
  add(listener: () => void): () => void;
  /** Something may have been written. */
  wake(): void;
  close(): void;
}

/**
 * @param revision of the state; a failure counts as a change, since a reader must find out about it
 * @param watch calls back when the state may have changed, until the returned function is called
 */
export function createStateFollower(
  revision: () => Promise<number>,
  watch: (onEvent: () => void) => () => void = () => () => undefined,
): StateFollower {
  const listeners = new Set<() => void>();
  let known: number | undefined;
  let isLooking = false;
  let isDue = false;
  let stop: (() => void) | undefined;

  async function look(): Promise<void> {
    isDue = true;
    if (isLooking) return;
    isLooking = true;
    while (isDue && listeners.size > 0) {
      isDue = false;
      const now = await revision().catch(() => undefined);
      if (now !== undefined && now === known) continue;
      const isFirst = known === undefined;
      known = now;
      if (!isFirst || now === undefined) for (const listener of [...listeners]) listener();
    }
    isLooking = false;
  }

  function start(): void {
    const timer = setInterval(() => void look(), limits.store.followMs);
    (timer as { unref?: () => void }).unref?.();
    const unwatch = watch(() => void look());
    stop = () => {
      clearInterval(timer);
      unwatch();
      stop = undefined;
    };
    void look();
  }

  return {
    add(listener) {
      listeners.add(listener);
      if (stop === undefined) start();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop?.();
      };
    },
    wake() {
      if (stop !== undefined) void look();
    },
    close() {
      listeners.clear();
      stop?.();
    },
  };
}
