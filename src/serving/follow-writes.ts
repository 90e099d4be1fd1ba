/**
 * Reads decisions again after writes. Many writes in a row, as of an approved plan, are read together. Judging every skill
 * after each of them would take longer than the writes. Requests never wait for this; they read decisions themselves.
 */
import { monotonicMs } from '../async/slices.ts';
import { limits } from '../limits.ts';

/** @returns a function that stops */
export function followWrites(
  subscribe: (listener: () => void) => () => void,
  read: () => Promise<void>,
  onerror: (error: Error) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = 0;
  async function readNow(): Promise<void> {
    timer = undefined;
    const start = monotonicMs();
    try {
      await read();
    } catch (error) {
      onerror(error instanceof Error ? error : new Error(String(error)));
    }
    pauseMs = Math.min((monotonicMs() - start) * limits.policy.followPauses, limits.policy.longestFollowPauseMs);
  }
  const stop = subscribe(() => {
    timer ??= setTimeout(() => void readNow(), pauseMs);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}
