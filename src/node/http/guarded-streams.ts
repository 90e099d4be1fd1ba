/**
 * Closes streams whose token was revoked. A stream is admitted once and sends no further requests, so its token is checked here. The check
 * runs when tokens or profiles may have changed, when the token expires, and once soon after the start. The next request gets the reason.
 *
 * If the check itself fails, streams stay open and the check is repeated; new requests are rejected meanwhile.
 */
import { limits } from '../../limits.ts';

export interface GuardedStreamsOptions {
  /** Changes when tokens or profiles may have changed. Absent: streams end only when their token expires. */
  readonly revision: (() => Promise<string>) | undefined;
  readonly onerror: (error: Error) => void;
  readonly pollMs?: number;
  readonly now?: () => number;
}

export interface StreamOwner {
  /** True if the caller would still be admitted. */
  isValid(): Promise<boolean>;
  /** Seconds since 1970. */
  readonly expiresAt?: number | undefined;
}

interface GuardedStream extends StreamOwner {
  checked: boolean;
  end(): void;
}

export function createGuardedStreams(options: GuardedStreamsOptions) {
  const { revision, onerror, pollMs = limits.access.streamPollMs, now = Date.now } = options;
  const streams = new Set<GuardedStream>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let known: string | undefined;
  let looking = false;
  let failing = false;

  async function look(): Promise<void> {
    const current = await revision?.();
    const changed = current !== known;
    for (const stream of [...streams]) {
      const over = (stream.expiresAt ?? Number.POSITIVE_INFINITY) * 1000 <= now();
      if (stream.checked && !changed && !over) continue;
      if (over || !(await stream.isValid())) stream.end();
      else stream.checked = true;
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

  function release(stream: GuardedStream): void {
    streams.delete(stream);
    if (streams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    /** Closes an event stream when its token becomes invalid; other answers are returned unchanged. */
    guard(answer: Response, { isValid, expiresAt }: StreamOwner): Response {
      if (answer.body === null || answer.headers.get('content-type')?.startsWith('text/event-stream') !== true)
        return answer;
      const reader = answer.body.getReader();
      const stream: GuardedStream = { isValid, expiresAt, checked: false, end: () => undefined };
      const body = new ReadableStream<Uint8Array>(
        {
          start(controller) {
            stream.end = () => {
              release(stream);
              controller.close();
              // For its owner this looks like a disconnected client. If canceling fails, the stream has already ended.
              reader.cancel().catch(() => undefined);
            };
          },
          async pull(controller) {
            try {
              const { done, value } = await reader.read();
              if (!streams.has(stream)) return;
              if (!done) {
                controller.enqueue(value);
                return;
              }
              release(stream);
              controller.close();
            } catch (error) {
              release(stream);
              controller.error(error);
            }
          },
          async cancel(reason) {
            release(stream);
            await reader.cancel(reason);
          },
        },
        { highWaterMark: 0 },
      );
      streams.add(stream);
      timer ??= setInterval(() => void lookOnce(), pollMs);
      timer.unref();
      return new Response(body, answer);
    },
    get size(): number {
      return streams.size;
    },
    /** Stops checking. Open streams are closed by their owners. */
    close(): void {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
