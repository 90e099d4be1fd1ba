/**
 * A stream of events whose sender never waits, bounded (sec:M-15): what a client does not read is kept up to so many events and bytes;
 * then the stream ends, with the reason as its last line. One event alone may be larger. A client that comes back asks for
 * everything anew, so nothing is lost by it.
 */
import { limits } from '../../limits.ts';

export interface StreamBounds {
  readonly events: number;
  readonly bytes: number;
}

/** The same answer with its stream bounded; any other answer as it is. */
export function boundedAnswer(answer: Response, bounds: StreamBounds = limits.http.stream): Response {
  if (answer.body === null || answer.headers.get('content-type')?.startsWith('text/event-stream') !== true)
    return answer;
  return new Response(boundedStream(answer.body, bounds), answer);
}

export function boundedStream(
  body: ReadableStream<Uint8Array>,
  { events, bytes }: StreamBounds,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  // An event counts for its share of the bytes at least, so that one measure holds both bounds.
  const size = (chunk: Uint8Array | undefined): number => Math.max(chunk?.length ?? 0, bytes / events);
  async function pass(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if ((controller.desiredSize ?? 0) <= 0) {
        const reason = `: ended, because more than ${events} events or ${bytes} bytes were not read\n\n`;
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
        pass(controller).catch((error: unknown) => {
          if (!gone) controller.error(error);
        });
      },
      async cancel(reason) {
        gone = true;
        await reader.cancel(reason);
      },
    },
    { highWaterMark: bytes, size },
  );
}
