/**
 * Streams of callers whose token may be revoked while they are open. A stream was let in once and asks nothing any more, so whether its
 * token still holds is looked at from here: whenever tokens or profiles may have changed, when its time is over, and once soon after
 * the start, since something may have changed in between. One that does not hold is ended, and the next request hears why.
 *
 * Where it cannot be told whether a token holds, streams stay and it is asked again: new requests are refused meanwhile.
 */
import { limits } from '../../limits.ts';

export interface GuardedStreamsOptions {
  /** Another value wherever tokens or profiles may have changed. Absent: only the time of a token ends its streams. */
  readonly revision: (() => Promise<string>) | undefined;
  readonly onerror: (error: Error) => void;
  readonly pollMs?: number;
  readonly now?: () => number;
}

export interface StreamHolder {
  /** Whether the caller would be let in now as it was. */
  holds(): Promise<boolean>;
  /** Seconds since 1970. */
  readonly expiresAt?: number | undefined;
}

export interface GuardedStreams {
  /** The same answer; where it is a stream without an end, it ends with what let it in. */
  hold(answer: Response, holder: StreamHolder): Response;
  readonly size: number;
  /** Looks at nothing any more; open streams are for their owners to end. */
  close(): void;
}

interface Held extends StreamHolder {
  looked: boolean;
  end(): void;
}

export function createGuardedStreams(options: GuardedStreamsOptions): GuardedStreams {
  const { revision, onerror, pollMs = limits.access.streamPollMs, now = Date.now } = options;
  const streams = new Set<Held>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let known: string | undefined;
  let looking = false;
  let failing = false;

  async function look(): Promise<void> {
    const current = await revision?.();
    const changed = current !== known;
    for (const stream of [...streams]) {
      const over = (stream.expiresAt ?? Number.POSITIVE_INFINITY) * 1000 <= now();
      if (stream.looked && !changed && !over) continue;
      if (over || !(await stream.holds())) stream.end();
      else stream.looked = true;
    }
    known = current;
  }

  async function lookOnce(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      await look();
      failing = false;
    } catch (error) {
      if (!failing) onerror(error instanceof Error ? error : new Error(String(error)));
      failing = true;
    } finally {
      looking = false;
    }
  }

  function release(stream: Held): void {
    streams.delete(stream);
    if (streams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    hold(answer, { holds, expiresAt }) {
      if (answer.body === null || answer.headers.get('content-type')?.startsWith('text/event-stream') !== true)
        return answer;
      const reader = answer.body.getReader();
      const held: Held = { holds, expiresAt, looked: false, end: () => undefined };
      const body = new ReadableStream<Uint8Array>(
        {
          start(controller) {
            held.end = () => {
              release(held);
              controller.close();
              // Its owner is told as by a client that goes away; if that fails, the owner has been told already.
              reader.cancel().catch(() => undefined);
            };
          },
          async pull(controller) {
            try {
              const { done, value } = await reader.read();
              if (!streams.has(held)) return;
              if (!done) {
                controller.enqueue(value);
                return;
              }
              release(held);
              controller.close();
            } catch (error) {
              release(held);
              controller.error(error);
            }
          },
          async cancel(reason) {
            release(held);
            await reader.cancel(reason);
          },
        },
        { highWaterMark: 0 },
      );
      streams.add(held);
      timer ??= setInterval(() => void lookOnce(), pollMs);
      timer.unref();
      return new Response(body, answer);
    },
    get size() {
      return streams.size;
    },
    close() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
