/**
 * Adapts `node:http` to the Fetch API. Request bodies are streamed and counted. Answers are written no faster than the client reads; a
 * client that stops reading is disconnected, and a disconnect aborts the signal of the request. Answers in memory have a
 * `content-length`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';

/** Headers of the connection, not of the answer. */
const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'trailer']);

/** The request is larger than the limit. */
export class RequestTooLarge extends SkillwireError {
  constructor() {
    super('LIMIT_EXCEEDED', `A request may have at most ${limits.http.requestBytes} bytes.`);
    this.name = 'RequestTooLarge';
  }
}

/** The body as it arrives. Reading beyond the limit fails. Data is received only when it is read. */
function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  let received = 0;
  let leave = (): void => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const settle = (end: () => void) => (): void => {
          message.off('data', onData);
          message.off('end', onEnd);
          message.off('close', onClose);
          end();
        };
        const onEnd = settle(() => controller.close());
        const onClose = settle(() => controller.error(new Error('the client disconnected')));
        const onLimit = settle(() => controller.error(new RequestTooLarge()));
        const onData = (chunk: Uint8Array): void => {
          message.pause();
          received += chunk.length;
          if (received > limits.http.requestBytes) onLimit();
          else controller.enqueue(chunk);
        };
        message.on('data', onData);
        message.on('end', onEnd);
        message.on('close', onClose);
        message.pause();
        leave = settle(() => {});
      },
      pull() {
        message.resume();
      },
      // The reader has read enough. `sendResponse()` discards the remaining data.
      cancel() {
        leave();
      },
    },
    { highWaterMark: 0 },
  );
}

/** True if the announced length is over the limit. */
export function announcesTooMuch(message: IncomingMessage): boolean {
  return Number(message.headers['content-length'] ?? 0) > limits.http.requestBytes;
}

export function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string);
  return headers;
}

/**
 * The request for handlers of the Fetch API. `base` is scheme and host as the client addressed us. The path is appended as text, so no
 * path can name another host. `read` is the body if it was read already.
 */
export function toRequest(message: IncomingMessage, base: string, signal: AbortSignal, read?: Uint8Array): Request {
  const headers = headersOf(message);
  const method = message.method ?? 'GET';
  const body = method === 'GET' || method === 'HEAD' ? null : (read ?? bodyOf(message));
  return new Request(`${base}${message.url ?? '/'}`, {
    method,
    headers,
    signal,
    ...(body === null ? {} : { body, duplex: 'half' }),
  } as RequestInit);
}

/** Discards the remaining request body, within limits. A client that is still sending when the connection closes would lose the answer. */
async function discardRest(message: IncomingMessage): Promise<void> {
  if (message.complete || message.destroyed) return;
  await new Promise<void>((resolve) => {
    let left: number = limits.http.discardedBytes;
    const onData = (chunk: Uint8Array): void => {
      left -= chunk.length;
      if (left < 0) settle();
    };
    // The previous reader has stopped.
    message.removeAllListeners('data');
    const settle = (): void => {
      clearTimeout(timer);
      message.off('data', onData);
      for (const event of ['end', 'close', 'error']) message.off(event, settle);
      resolve();
    };
    const timer = setTimeout(settle, limits.http.discardMs);
    for (const event of ['end', 'close', 'error']) message.on(event, settle);
    message.on('data', onData);
    message.resume();
  });
}

/** Waits until the client has read; false if it disconnected. The socket's timer disconnects a client that reads nothing. */
export async function drained(response: ServerResponse, stalledMs: number): Promise<boolean> {
  if (response.destroyed) return false;
  response.socket?.setTimeout(stalledMs);
  const open = await new Promise<boolean>((resolve) => {
    const settle = (value: boolean) => () => {
      response.off('drain', onDrain);
      response.off('close', onClose);
      resolve(value);
    };
    const onDrain = settle(true);
    const onClose = settle(false);
    response.once('drain', onDrain);
    response.once('close', onClose);
  });
  if (open) response.socket?.setTimeout(0);
  return open;
}

function writeHead(response: ServerResponse, answer: Response, length: number | undefined): void {
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) {
    if (hopByHop.has(name) || name === 'set-cookie') continue;
    response.setHeader(name, value);
  }
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  if (length !== undefined) response.setHeader('content-length', length);
}

function end(response: ServerResponse, stalledMs: number, bytes?: Uint8Array): void {
  if (response.destroyed) return;
  response.socket?.setTimeout(stalledMs);
  if (bytes === undefined) response.end();
  else response.end(bytes);
}

async function writeStream(
  response: ServerResponse,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  first: readonly Uint8Array[],
  stalledMs: number,
): Promise<void> {
  for (const chunk of first) response.write(chunk);
  for (;;) {
    if (response.writableNeedDrain && !(await drained(response, stalledMs))) break;
    const { done, value } = await reader.read();
    if (done) break;
    if (response.destroyed) break;
    response.write(value);
  }
  // Canceling a finished body does nothing.
  await reader.cancel();
  end(response, stalledMs);
}

export interface SendOptions {
  /** False if the client waits for `100 Continue` and did not get it. */
  readonly clientSends?: boolean;
  /** How long a client may not read before it is disconnected. */
  readonly stalledWriteMs?: number | undefined;
}

/** Writes an answer. Resolves when all of it is handed to the system, or the client is gone. */
export async function sendResponse(
  message: IncomingMessage,
  response: ServerResponse,
  answer: Response,
  options: SendOptions = {},
): Promise<void> {
  const stalledMs = options.stalledWriteMs ?? limits.http.stalledWriteMs;
  if (!message.complete && message.method !== 'GET' && message.method !== 'HEAD') {
    if (options.clientSends !== false) await discardRest(message);
    if (!message.complete) response.setHeader('connection', 'close');
  }
  if (response.destroyed) {
    await answer.body?.cancel();
    return;
  }
  if (answer.body === null || message.method === 'HEAD') {
    await answer.body?.cancel();
    writeHead(
      response,
      answer,
      answer.status === 204 || answer.status === 304 || message.method === 'HEAD' ? undefined : 0,
    );
    end(response, stalledMs);
    return;
  }
  const reader = answer.body.getReader();
  const gone = (): void => {
    reader.cancel().catch(() => {
      // The body failed by itself, and its reader got the error.
    });
  };
  response.once('close', gone);
  try {
    if (answer.headers.get('content-type')?.startsWith('text/event-stream') === true) {
      writeHead(response, answer, undefined);
      response.flushHeaders();
      await writeStream(response, reader, [], stalledMs);
      return;
    }
    const first = await reader.read();
    const second = first.done ? first : await reader.read();
    if (second.done) {
      writeHead(response, answer, first.value?.length ?? 0);
      end(response, stalledMs, first.value);
      return;
    }
    writeHead(response, answer, undefined);
    await writeStream(response, reader, [first.value as Uint8Array, second.value], stalledMs);
  } finally {
    response.off('close', gone);
  }
}
