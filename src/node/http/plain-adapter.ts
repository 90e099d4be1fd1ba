/**
 * The fast adapter between `node:http` and the plain records of the surfaces. It takes only requests with a small body of known length, so
 * reading needs no limit and no stream; `http-adapter.ts` takes all others. Answers have a `content-length` and are written no faster
 * than the client reads.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '../../limits.ts';
import { isBodyless, type PlainAnswer, type PlainRequest } from '../../surfaces/plain-answer.ts';
import { timesSent } from './guards.ts';
import { drained } from './http-adapter.ts';

const noBody = Buffer.alloc(0);

/** The body; `undefined` if it is large or its length is unknown. */
export function smallBody(message: IncomingMessage): Buffer | Promise<Buffer> | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding } = message.headers;
  if (encoding !== undefined) return undefined;
  if (message.method === 'GET' || message.method === 'HEAD') return length === undefined ? noBody : undefined;
  return length !== undefined && Number(length) <= limits.http.hotRequestBytes ? readBody(message) : undefined;
}

/** The whole body. Never resolves if the client disconnects: nobody is left to answer. */
function readBody(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    let body: Buffer | undefined;
    message.on('data', (chunk: Buffer) => {
      body = body === undefined ? chunk : Buffer.concat([body, chunk]);
    });
    message.once('end', () => resolve(body ?? Buffer.alloc(0)));
  });
}

/** A request of `node:http`. A class, because one is created per request and most of its parts are rarely used. */
export class NodeRequest implements PlainRequest {
  readonly body: Uint8Array;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  #aborted: AbortController | undefined;

  constructor(message: IncomingMessage, response: ServerResponse, body: Uint8Array) {
    this.body = body;
    this.#message = message;
    this.#response = response;
  }

  get method(): string {
    return this.#message.method ?? 'GET';
  }

  get target(): string {
    return this.#message.url ?? '/';
  }

  header(name: string): string | undefined {
    // Node keeps only the first value of these headers.
    if ((name === 'content-type' || name === 'authorization') && timesSent(this.#message, name) > 1)
      return this.#message.headersDistinct[name]?.join(', ');
    return this.#message.headers[name] as string | undefined;
  }

  get signal(): AbortSignal {
    if (this.#aborted === undefined) {
      const [response, aborted] = [this.#response, new AbortController()];
      if (response.destroyed) aborted.abort();
      else
        response.once('close', () => {
          // A finished answer closes too. Aborting is not cheap, and nobody listens then.
          if (!response.writableFinished) aborted.abort();
        });
      this.#aborted = aborted;
    }
    return this.#aborted.signal;
  }
}

async function writePieces(
  response: ServerResponse,
  pieces: AsyncIterable<Uint8Array>,
  stalledMs: number,
): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece) && !(await drained(response, stalledMs))) return;
  }
  response.end();
}

/** Up to this size, copying the parts together is cheaper than writing them separately. */
const joinedBytes = 64 * 1024;

/** Up to this size, converting the bytes to a string, which is sent together with the head, is cheaper than two writes. */
const textBytes = 2 * 1024;

function writeParts(response: ServerResponse, parts: readonly Uint8Array[], length: number): void {
  if (length <= joinedBytes) {
    const [only] = parts;
    const bytes = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts, length);
    if (length > textBytes) response.end(bytes);
    // latin1 maps each byte to one character and back.
    else response.end(Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1'), 'latin1');
    return;
  }
  response.cork();
  for (let index = 0; index < parts.length - 1; index++) response.write(parts[index]);
  response.end(parts.at(-1));
}

/** Writes an answer. The promise, if any, resolves when all of it is handed to the system or the client is gone. */
export function sendPlain(
  response: ServerResponse,
  { status, headers, body }: PlainAnswer,
  more: Readonly<Record<string, string>>,
  stalledMs: number,
): Promise<void> | undefined {
  if (response.destroyed) return undefined;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const sent: (string | number)[] = isBodyless(status) ? [] : ['content-length', length];
  for (const name in headers) sent.push(name, headers[name] as string);
  for (const name in more) sent.push(name, more[name] as string);
  response.writeHead(status, sent as string[]);
  // Pure ASCII has the same bytes in both encodings, and latin1 needs no check of each character.
  if (typeof body === 'string') response.end(body, length === body.length ? 'latin1' : 'utf8');
  else if (Array.isArray(body.parts)) writeParts(response, body.parts, length);
  else return writePieces(response, body.parts as AsyncIterable<Uint8Array>, stalledMs);
  // The system has taken most answers by now. For the others, a client that does not read is disconnected.
  if ((response.socket?.writableLength ?? 0) > 0) response.socket?.setTimeout(stalledMs);
  return undefined;
}
