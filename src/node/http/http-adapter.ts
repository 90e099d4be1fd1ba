/**
 * Between `node:http` and the Fetch API. A request body is streamed and counted, an answer is written as fast as the client
 * reads and no faster; a client that stops reading is cut off, one that goes away aborts the request's signal. Answers whose
 * body is in memory leave with a `content-length`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';

/** Belongs to one connection and not to the answer. */
const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'trailer']);

/** The body as it arrives. Reading beyond the limit fails; what is never read is never fetched. */
function bodyOf(message: IncomingMessage, maximum: number): ReadableStream<Uint8Array> {
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
        const onClose = settle(() => controller.error(new Error('the client went away')));
        const onLimit = settle(() => {
          const fault = `cannot read the request: it has more than ${maximum} bytes`;
          controller.error(new SkillwireError('LIMIT_EXCEEDED', fault));
        });
        const onData = (chunk: Uint8Array): void => {
          message.pause();
          received += chunk.length;
          if (received > maximum) onLimit();
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
      // Whoever reads has read enough. What still comes is dealt with when the answer is sent.
      cancel() {
        leave();
      },
    },
    { highWaterMark: 0 },
  );
}

/** True if the length that the client announces is over the limit. */
export function announcesTooMuch(message: IncomingMessage, maximum: number = limits.http.requestBytes): boolean {
  return Number(message.headers['content-length'] ?? 0) > maximum;
}

/**
 * The request for handlers of the Fetch API. `origin` is scheme and host as the client addressed us; the path is taken as
 * text, so that no path can name another host. `read` is the body where it was read already.
 */
export function toRequest(message: IncomingMessage, origin: string, signal: AbortSignal, read?: Uint8Array): Request {
  const headers = new Headers();
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2)
    headers.append(message.rawHeaders[index] as string, message.rawHeaders[index + 1] as string);
  const method = message.method ?? 'GET';
  // One byte more than handlers accept: they find it too long themselves and say so in their own words.
  const body = method === 'GET' || method === 'HEAD' ? null : (read ?? bodyOf(message, limits.http.requestBytes + 1));
  return new Request(`${origin}${message.url ?? '/'}`, {
    method,
    headers,
    signal,
    ...(body === null ? {} : { body, duplex: 'half' }),
  } as RequestInit);
}

/**
 * Lets a client finish sending what will not be read, within bounds: one that is still sending when the connection closes
 * would lose the answer.
 */
async function discardRest(message: IncomingMessage): Promise<void> {
  if (message.complete || message.destroyed) return;
  await new Promise<void>((resolve) => {
    let left: number = limits.http.discardedBytes;
    const onData = (chunk: Uint8Array): void => {
      left -= chunk.length;
      if (left < 0) settle();
    };
    // Whoever was reading has stopped.
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

/** Waits until the client has read; false where it went away. A client that reads nothing is cut off by the socket's timer. */
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
  // Also when the body is through: cancelling then does nothing.
  await reader.cancel();
  end(response, stalledMs);
}

export interface SendOptions {
  /** False where the client waits to be asked before it sends its body, and was not asked. */
  readonly clientSends?: boolean;
  /** How long a client may go without reading before it is cut off. */
  readonly stalledWriteMs?: number | undefined;
}

/** Writes an answer. Resolves when all of it was handed to the system, or the client is gone. */
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
      // The body failed by itself; whoever reads it has been told.
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
