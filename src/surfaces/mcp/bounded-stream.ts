/**
 * A bounded event stream whose sender never waits (sec:M-15). Unread data is buffered up to a number of events and bytes; then the stream
 * ends with the reason as its last line. A single event may be larger. A client that reconnects fetches everything again, so it misses
 * nothing.
 */
import { limits } from '../../limits.ts';

export interface StreamBounds {
  readonly events: number;
  readonly bytes: number;
}

export interface BoundedAnswerOptions {
  /** Called once when the stream ends for any reason, or at once if the answer is no stream. */
  readonly ended?: () => void;
}

/** Bounds the stream of an answer; other answers are returned unchanged. */
export function boundedAnswer(answer: Response, { ended }: BoundedAnswerOptions = {}): Response {
  if (answer.body === null || answer.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    ended?.();
    return answer;
  }
  return new Response(boundedStream(answer.body, limits.http.stream, ended), answer);
}

export function boundedStream(
  body: ReadableStream<Uint8Array>,
  { events, bytes }: StreamBounds,
  ended: () => void = () => undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  // An event counts at least for its share of the bytes, so one measure covers both bounds.
  const size = (chunk: Uint8Array | undefined): number => Math.max(chunk?.length ?? 0, bytes / events);
  async function pass(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if ((controller.desiredSize ?? 0) <= 0) {
        const reason = `: closed, because more than ${events} events or ${bytes} bytes were not read\n\n`;
        controller.enqueue(new TextEncoder().encode(reason));
        await reader.cancel();
        break;
      }
      controller.enqueue(value);
    }
    controller.close();
  }
  let gone = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        pass(controller)
          .catch((error: unknown) => {
            if (!gone) controller.error(error);
          })
          .finally(ended);
      },
      async cancel(reason) {
        gone = true;
        await reader.cancel(reason);
      },
    },
    { highWaterMark: bytes, size },
  );
}
