/**
 * HTTP as plain records, without a transport: a surface is a function from a request to an answer. Two thin adapters exist: for `node:http`
 * in `src/node`, and for the Fetch API here.
 */

/** A request whose body was read within the limits. */
export interface PlainRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** The value of a header, by name in lower case. Several values are joined with commas, as in the Fetch API. */
  header(name: string): string | undefined;
  readonly body: Uint8Array;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Bytes of known length. */
export interface PlainBytes {
  readonly length: number;
  /** In memory, or produced as the client reads. */
  readonly parts: readonly Uint8Array[] | AsyncIterable<Uint8Array>;
}

/** A text is sent as UTF-8. */
export type PlainBody = string | PlainBytes;

export interface PlainAnswer {
  readonly status: number;
  /** By name in lower case, without `content-length`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: PlainBody;
}

/** Part of an HTTP server: which requests it may answer, and the answer. `undefined` leaves a request to others. */
export interface PlainSurface {
  accepts(method: string, target: string): boolean;
  answer(request: PlainRequest): PlainAnswer | undefined | Promise<PlainAnswer | undefined>;
}

/** These answers have no body, and so no `content-length` of their own. */
export function isBodyless(status: number): boolean {
  return status === 304 || status === 204;
}

function streamOf({ parts }: PlainBytes): ReadableStream<Uint8Array> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield* parts;
  }
  const reading = pieces();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reading.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await reading.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

const encoder = new TextEncoder();

/** The answer for the Fetch API. */
export function toResponse({ status, headers, body }: PlainAnswer): Response {
  if (isBodyless(status)) return new Response(null, { status, headers: { ...headers } });
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const sent = bytes instanceof Uint8Array ? bytes : streamOf(bytes);
  return new Response(sent, { status, headers: { ...headers, 'content-length': String(bytes.length) } });
}

const noBody = new Uint8Array(0);

/** Converts a request of the Fetch API, without its body. */
export function toPlainRequest({ method, url, headers, signal }: Request): PlainRequest {
  const { pathname, search } = new URL(url);
  const header = (name: string): string | undefined => headers.get(name) ?? undefined;
  return { method, target: pathname + search, header, body: noBody, signal };
}
