/**
 * Between `node:http` and the plain records of the surfaces: the fast way. A request is taken here only if its body is small
 * and its length announced, so reading it needs no limit and no stream; every other one goes through `http-adapter.ts`.
 * Answers leave with their `content-length`, and no faster than the client reads.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '../../limits.ts';
import { isBodyless, type PlainAnswer, type PlainRequest } from '../../surfaces/plain-answer.ts';
import { timesSent } from './guards.ts';
import { drained } from './http-adapter.ts';

const noBody = Buffer.alloc(0);

/** The body where there is none or it can be read at once; undefined where it is large, or its length not known. */
export function smallBody(message: IncomingMessage): Buffer | Promise<Buffer> | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding } = message.headers;
  if (encoding !== undefined) return undefined;
  if (message.method === 'GET' || message.method === 'HEAD') return length === undefined ? noBody : undefined;
  return length !== undefined && Number(length) <= limits.http.hotRequestBytes ? readBody(message) : undefined;
}

/** The whole body. Where the client goes away before it is through, nobody is left to be answered, and it never resolves. */
function readBody(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    let body: Buffer | undefined;
    message.on('data', (chunk: Buffer) => {
      body = body === undefined ? chunk : Buffer.concat([body, chunk]);
    });
    message.once('end', () => resolve(body ?? Buffer.alloc(0)));
  });
}

/** A request of `node:http`. A class, because one is made for every request and its parts are seldom asked for. */
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
    // Of these the system keeps the first and drops the others.
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
          // An answer that is through closes too; nobody is interested then, and aborting is not cheap.
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

/** Up to here copying the parts together costs less than handing over several. */
const joinedBytes = 64 * 1024;

/** Up to here making a text of the bytes, which leaves in one piece with the head, costs less than handing over two pieces. */
const textBytes = 2 * 1024;

function writeParts(response: ServerResponse, parts: readonly Uint8Array[], length: number): void {
  if (length <= joinedBytes) {
    const [only] = parts;
    const bytes = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts, length);
    if (length > textBytes) response.end(bytes);
    // Each byte is one character of this encoding, and the other way round.
    else response.end(Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1'), 'latin1');
    return;
  }
  response.cork();
  for (let index = 0; index < parts.length - 1; index++) response.write(parts[index]);
  response.end(parts.at(-1));
}

/** Writes an answer. What it returns resolves when all of it was handed to the system, or the client is gone. */
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
  // A text of ASCII alone is the same bytes in both encodings, and one of them needs no look at each character.
  if (typeof body === 'string') response.end(body, length === body.length ? 'latin1' : 'utf8');
  else if (Array.isArray(body.parts)) writeParts(response, body.parts, length);
  else return writePieces(response, body.parts as AsyncIterable<Uint8Array>, stalledMs);
  // Most answers are in the hands of the system by now; a client that does not read the others is cut off.
  if ((response.socket?.writableLength ?? 0) > 0) response.socket?.setTimeout(stalledMs);
  return undefined;
}
