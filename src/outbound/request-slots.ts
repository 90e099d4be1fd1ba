/**
 * Limits how many requests run at the same time, in total and per origin (sec:N-13). Requests without a slot wait in
 * line; aborted requests leave it.
 */
import { limits } from '../limits.ts';

export interface RequestSlots {
  /**
   * Takes a slot, waiting if none is free, and returns the function that frees it. Rejects with the signal's reason.
   */
  take(origin: string, signal?: AbortSignal): Promise<() => void> | (() => void);
}

interface Waiting {
  readonly origin: string;
  readonly start: () => void;
}

export function createRequestSlots(
  total: number = limits.outbound.concurrency,
  perOrigin: number = limits.outbound.perOrigin,
): RequestSlots {
  const running = new Map<string, number>();
  const line: Waiting[] = [];
  let all = 0;

  const isFree = (origin: string): boolean => all < total && (running.get(origin) ?? 0) < perOrigin;

  function occupy(origin: string): () => void {
    all++;
    running.set(origin, (running.get(origin) ?? 0) + 1);
    let freed = false;
    return () => {
      if (freed) return;
      freed = true;
      all--;
      const left = (running.get(origin) ?? 1) - 1;
      if (left === 0) running.delete(origin);
      else running.set(origin, left);
      const next = line.findIndex((waiting) => isFree(waiting.origin));
      if (next !== -1) line.splice(next, 1)[0]?.start();
    };
  }

  return {
    take(origin, signal) {
      if (isFree(origin)) return occupy(origin);
      return new Promise((resolve, reject) => {
        const leaveLine = (): void => {
          const index = line.indexOf(waiting);
          if (index !== -1) line.splice(index, 1);
          reject(signal?.reason);
        };
        const waiting: Waiting = {
          origin,
          start() {
            signal?.removeEventListener('abort', leaveLine);
            resolve(occupy(origin));
          },
        };
        if (signal?.aborted === true) return leaveLine();
        signal?.addEventListener('abort', leaveLine, { once: true });
        line.push(waiting);
      });
    },
  };
}

/** The slots of this process, used unless a client brings its own. */
export const sharedSlots: RequestSlots = createRequestSlots();
