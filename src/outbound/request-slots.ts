/**
 * How many requests run at the same time, all together and to one origin (sec:N-13). Whoever finds no slot waits in line; who
 * gives up while waiting leaves the line.
 */
import { limits } from '../limits.ts';

export interface RequestSlots {
  /** Waits for a slot and returns the function that frees it. Rejects with the reason of the signal. */
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
        const giveUp = (): void => {
          const index = line.indexOf(waiting);
          if (index !== -1) line.splice(index, 1);
          reject(signal?.reason);
        };
        const waiting: Waiting = {
          origin,
          start() {
            signal?.removeEventListener('abort', giveUp);
            resolve(occupy(origin));
          },
        };
        if (signal?.aborted === true) {
          giveUp();
          return;
        }
        signal?.addEventListener('abort', giveUp, { once: true });
        line.push(waiting);
      });
    },
  };
}

/** The slots of the process, for everybody who does not bring its own. */
export const sharedSlots: RequestSlots = createRequestSlots();
