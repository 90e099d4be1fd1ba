/**
 * Server-sent events, so that open pages refresh. An event names what to fetch again and contains no content. Decisions of other processes are
 * followed too, but only while somebody listens.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { limits } from '../../limits.ts';
import type { Sender } from '../sender.ts';
import type { PageEvent } from './page-data.ts';
import type { PageReview } from './page-ports.ts';

/** A reader that follows changes. */
export interface Listener {
  readonly signal: AbortSignal;
  readonly sender: Sender;
  /** The name of the token; distinguishes listeners that share an address. */
  readonly name?: string | undefined;
  readonly mayStay?: (() => Promise<boolean>) | undefined;
}

export interface EventsContext {
  readonly catalog: Catalog;
  readonly review: PageReview;
  /** Calls back when what is connected changes. */
  readonly watchRuntimes?: ((listener: () => void) => () => void) | undefined;
  readonly onerror: (error: Error) => void;
}

/** `undefined` for listeners that cannot be distinguished. */
function clientOf({ name, sender }: Listener): string | undefined {
  return name === undefined ? sender.client : `token ${name}`;
}

const encoder = new TextEncoder();
/** Many changes at once, as after a branch checkout, are one event that names the first of them. */
const namedUris = 200;

export function createPageEvents({ catalog, review, watchRuntimes, onerror }: EventsContext) {
  const streams = new Map<ReadableStreamDefaultController<Uint8Array>, Listener>();
  let stop: (() => void) | undefined;
  let closed = false;

  function write(text: string): void {
    const bytes = encoder.encode(text);
    for (const stream of [...streams.keys()]) {
      // A page that does not read is disconnected; it fetches everything when it reconnects.
      if ((stream.desiredSize ?? 0) < -64) end(stream);
      else stream.enqueue(bytes);
    }
  }

  function end(stream: ReadableStreamDefaultController<Uint8Array>): void {
    if (!streams.delete(stream)) return;
    stream.close();
    if (streams.size === 0) stopWatching();
  }

  const send = (event: PageEvent): void => write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

  function watch(): void {
    const unsubscribe = catalog.subscribe(({ added, removed, changed }) => {
      const first = (uris: readonly string[]): readonly string[] => uris.slice(0, namedUris);
      send({ type: 'catalog', added: first(added), removed: first(removed), changed: first(changed) });
    });
    const unwatch = watchRuntimes?.(() => send({ type: 'runtimes' }));
    const alive = setInterval(() => write(': still here\n\n'), limits.page.keepAliveMs);
    const unfollow = review.subscribe(() => send({ type: 'review' }));
    let looking = false;
    const look = async (): Promise<void> => {
      if (looking) return;
      looking = true;
      try {
        for (const [stream, { mayStay }] of [...streams]) if (mayStay !== undefined && !(await mayStay())) end(stream);
      } catch (error) {
        onerror(error instanceof Error ? error : new Error(String(error)));
      } finally {
        looking = false;
      }
    };
    // Only tokens become invalid without an event.
    const poll = setInterval(() => void look(), limits.page.tokenPollMs);
    void look();
    stop = () => {
      unsubscribe();
      unfollow();
      unwatch?.();
      clearInterval(alive);
      clearInterval(poll);
    };
  }

  function hasRoom(listener: Listener): boolean {
    const { eventStreams, eventStreamsPerClient } = limits.page;
    const key = clientOf(listener);
    const most = key === undefined ? eventStreams - eventStreamsPerClient : eventStreamsPerClient;
    let same = 0;
    for (const other of streams.values()) if (clientOf(other) === key) same++;
    return streams.size < eventStreams && same < most;
  }

  function stopWatching(): void {
    stop?.();
    stop = undefined;
  }

  return {
    /**
     * A stream of events, or `undefined` if there are too many in total or for this client. It ends with the signal, or soon after `mayStay`
     * returns false; it is called regularly.
     */
    open(listener: Listener): ReadableStream<Uint8Array> | undefined {
      if (closed || !hasRoom(listener)) return undefined;
      const { signal } = listener;
      let own: ReadableStreamDefaultController<Uint8Array>;
      return new ReadableStream<Uint8Array>({
        async start(controller) {
          own = controller;
          streams.set(controller, listener);
          if (stop === undefined) watch();
          signal.addEventListener('abort', () => end(controller), { once: true });
          await catalog.snapshot();
          const hello: PageEvent = { type: 'hello' };
          if (streams.has(controller))
            controller.enqueue(encoder.encode(`retry: 2000\nevent: hello\ndata: ${JSON.stringify(hello)}\n\n`));
        },
        cancel() {
          streams.delete(own);
          if (streams.size === 0) stopWatching();
        },
      });
    },
    /** Closes all streams. */
    close(): void {
      closed = true;
      for (const stream of [...streams.keys()]) end(stream);
      stopWatching();
    },
  };
}
