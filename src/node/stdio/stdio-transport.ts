/**
 * JSON-RPC over stdin and stdout, one message per line. Unlike the SDK's own transport it says what is wrong with a line that
 * is no message, and when stdin ends it lets requests be answered that were read before: `echo ... | skillwire` works.
 * A line that is too long is refused once and passed over without being kept; the next line is read as usual. While the
 * client does not read its answers no further requests are taken, and only a little is read ahead, so that the end of stdin is
 * noticed. stdout carries messages and nothing else.
 *
 * The SDK is loaded for the first message that no shortcut takes; until then what follows it waits, in order.
 */
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import type { MaybePromise } from '../../async/maybe-promise.ts';
import { isTooDeep } from '../../dialects/json-bounds.ts';
import { limits } from '../../limits.ts';
import type { PlainBody } from '../../surfaces/plain-answer.ts';

export interface StdioTransport extends Transport {
  /** Resolves when stdin has ended, or failed, or the transport was closed. */
  readonly ended: Promise<void>;
  /** Takes no further input. */
  stopReading(): void;
  /** Resolves when every request that was read is answered or cancelled; streams of notifications do not count. */
  idle(): Promise<void>;
  /** Has the SDK answer requests whose answers the client has already; it gets no others. Resolves when that is done. */
  replay(requests: readonly JSONRPCMessage[]): Promise<void>;
}

/** Answers some requests without the SDK. */
export interface StdioShortcut {
  /** Undefined for a message that is for the SDK. */
  take(message: unknown): ((signal: AbortSignal) => MaybePromise<PlainBody>) | undefined;
  /** Hears of every response that the SDK gave. */
  responded(id: unknown, isResult: boolean): void;
}

/** Reads JSON as a message. @throws where it is none */
export type ParseMessage = (value: unknown) => JSONRPCMessage;

export interface StdioTransportOptions {
  readonly maxLineBytes?: number;
  readonly shortcut?: StdioShortcut;
  /** Called once, for the first message that is for the SDK. */
  readonly loadSdk?: () => Promise<ParseMessage>;
}

const newline = 0x0a;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function requestKey(id: unknown): string {
  return `${typeof id} ${String(id)}`;
}

/** An id that may be echoed, of a message that could not be read as one. */
function idOf(value: unknown): string | number | null {
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : undefined;
  if (typeof id === 'number') return id;
  return typeof id === 'string' && id.length <= limits.stdio.idCharacters ? id : null;
}

async function sdkParser(): Promise<ParseMessage> {
  return (await import('@modelcontextprotocol/server')).parseJSONRPCMessage;
}

/** A line as parts of it. */
async function inMemory(body: PlainBody): Promise<readonly (string | Uint8Array)[]> {
  if (typeof body === 'string') return [`${body}\n`];
  const parts: (string | Uint8Array)[] = [];
  for await (const part of body.parts) parts.push(part);
  return [...parts, '\n'];
}

export function createStdioTransport(
  stdin: Readable,
  stdout: Writable,
  { maxLineBytes = limits.stdio.requestBytes, shortcut, loadSdk = sdkParser }: StdioTransportOptions = {},
): StdioTransport {
  const open = new Set<string>();
  /** Requests that are being answered without the SDK, and how to stop that. */
  const shortcuts = new Map<string, AbortController>();
  const waiting: (() => void)[] = [];
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let skipping = false;
  let closed = false;
  let reading = false;
  /** The client does not read; what was read ahead of it meanwhile. */
  let stalled = false;
  let ahead: Buffer[] = [];
  let aheadBytes = 0;
  let started = false;
  let parse: ParseMessage | undefined;
  /** Requests that were answered without the SDK, which answers them again for itself alone, and whom to tell when it has. */
  const replayed = new Map<string, () => void>();
  /** What waits until the SDK is loaded. */
  let held: unknown[] | undefined;
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });

  function settle(id: unknown): void {
    if (open.delete(requestKey(id))) wakeIfIdle();
  }

  const isIdle = (): boolean => open.size === 0 && held === undefined && ahead.length === 0;

  function wakeIfIdle(): void {
    if (isIdle()) for (const resolve of waiting.splice(0)) resolve();
  }

  function write(text: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const flows = stdout.write(text, (error) => (error === null || error === undefined ? resolve() : reject(error)));
      if (flows || stalled) return;
      stalled = true;
      stdout.once('drain', onDrain);
    });
  }

  function onDrain(): void {
    if (closed) return;
    stalled = false;
    const chunks = ahead;
    ahead = [];
    aheadBytes = 0;
    for (const chunk of chunks) onData(chunk);
    if (reading && !stalled && held === undefined) stdin.resume();
    wakeIfIdle();
  }

  function refuse(id: string | number | null, code: number, message: string): void {
    write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`).catch(failed);
  }

  function failed(error: Error): void {
    if (closed) return;
    transport.onerror?.(error);
    void transport.close();
  }

  /** Answers without the SDK; a request that is cancelled meanwhile gets no answer. */
  async function answer(id: unknown, work: (signal: AbortSignal) => MaybePromise<PlainBody>): Promise<void> {
    const key = requestKey(id);
    const stop = new AbortController();
    open.add(key);
    shortcuts.set(key, stop);
    try {
      const parts = await inMemory(await work(stop.signal));
      if (closed || stop.signal.aborted) return;
      // Written in one go: no other line may come between them.
      const written = parts.map((part) => write(part));
      await Promise.all(written);
    } finally {
      if (shortcuts.get(key) === stop) shortcuts.delete(key);
      settle(id);
    }
  }

  function accept(message: JSONRPCMessage): void {
    if ('method' in message) {
      // A stream of notifications is answered when it ends, which may be never.
      if ('id' in message && message.method !== 'subscriptions/listen') open.add(requestKey(message.id));
      if (message.method === 'notifications/cancelled') settle(message.params?.requestId);
    }
    transport.onmessage?.(message);
  }

  function takeLine(line: Buffer): void {
    let value: unknown;
    try {
      const text = decoder.decode(line);
      if (text.trim() === '') return;
      if (isTooDeep(text, limits.http.jsonDepth)) {
        refuse(null, -32600, `Invalid Request: JSON nested deeper than ${limits.http.jsonDepth} levels`);
        return;
      }
      value = JSON.parse(text);
    } catch {
      refuse(null, -32700, 'Parse error: the line is not JSON in UTF-8');
      return;
    }
    stopCancelled(value);
    if (held === undefined) takeValue(value);
    else held.push(value);
  }

  /** At once, also while the SDK is being loaded, which hears of it later. */
  function stopCancelled(value: unknown): void {
    const { method, params } = (value ?? {}) as {
      readonly method?: unknown;
      readonly params?: { requestId?: unknown };
    };
    if (method === 'notifications/cancelled') shortcuts.get(requestKey(params?.requestId))?.abort();
  }

  async function holdUntilLoaded(value: unknown): Promise<void> {
    held = [value];
    stdin.pause();
    parse = await loadSdk();
    const values = held;
    held = undefined;
    for (const each of values) {
      if (closed) break;
      takeValue(each);
    }
    if (reading) stdin.resume();
    wakeIfIdle();
  }

  function takeValue(value: unknown): void {
    const work = shortcut?.take(value);
    if (work !== undefined) {
      answer((value as { id: unknown }).id, work).catch(failed);
      return;
    }
    if (parse === undefined) {
      holdUntilLoaded(value).catch(failed);
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parse(value);
    } catch {
      refuse(idOf(value), -32600, 'Invalid Request: the line is not a JSON-RPC 2.0 message');
      return;
    }
    accept(message);
  }

  /** A part of a line, which may be all of it. */
  function takePart(part: Buffer): void {
    if (skipping) return;
    buffered.push(part);
    bufferedBytes += part.length;
    if (bufferedBytes <= maxLineBytes) return;
    skipping = true;
    forget();
    refuse(null, -32600, `Invalid Request: a line may have at most ${maxLineBytes} bytes`);
  }

  function endLine(): void {
    const line = buffered.length === 1 ? buffered[0] : Buffer.concat(buffered);
    forget();
    if (!skipping && line !== undefined) takeLine(line);
    skipping = false;
  }

  function forget(): void {
    buffered = [];
    bufferedBytes = 0;
  }

  function onData(chunk: Buffer): void {
    if (stalled) {
      ahead.push(chunk);
      aheadBytes += chunk.length;
      if (aheadBytes > limits.stdio.aheadBytes) stdin.pause();
    } else takeChunk(chunk);
  }

  function takeChunk(chunk: Buffer): void {
    let start = 0;
    for (let index = chunk.indexOf(newline); index !== -1; index = chunk.indexOf(newline, start)) {
      takePart(chunk.subarray(start, index));
      start = index + 1;
      endLine();
      if (closed) return;
    }
    if (start < chunk.length) takePart(chunk.subarray(start));
  }

  function onEnd(): void {
    stopReading();
    end();
  }

  function stopReading(): void {
    reading = false;
    stdin.off('data', onData);
    if (stdin.listenerCount('data') === 0) stdin.pause();
    // The beginning of a line may be here and its end among what was read ahead.
    if (ahead.length === 0) forget();
  }

  const transport: StdioTransport = {
    ended,
    stopReading,
    idle: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    async start() {
      if (started) return;
      started = true;
      reading = true;
      stdin.on('data', onData);
      stdin.on('error', failed);
      stdout.on('error', failed);
      stdin.once('end', onEnd);
      stdin.once('close', onEnd);
      if (stdin.readableEnded || stdin.destroyed) setImmediate(onEnd);
    },
    async replay(requests) {
      for (const request of requests) {
        if (!('method' in request && 'id' in request)) throw new TypeError('only requests are replayed');
        const key = requestKey(request.id);
        await new Promise<void>((resolve) => {
          replayed.set(key, resolve);
          transport.onmessage?.(request);
        });
        replayed.delete(key);
      }
    },
    async send(message) {
      if (closed) throw new Error('cannot send: the connection over stdio is closed');
      const told = 'method' in message ? undefined : replayed.get(requestKey(message.id));
      if (told !== undefined) {
        told();
        return;
      }
      await write(`${JSON.stringify(message)}\n`);
      if ('method' in message) return;
      shortcut?.responded(message.id, 'result' in message);
      settle(message.id);
    },
    async close() {
      if (closed) return;
      closed = true;
      ahead = [];
      stopReading();
      // The error listeners stay: writing to a pipe that nobody reads must not end the process.
      stdin.off('end', onEnd);
      stdin.off('close', onEnd);
      open.clear();
      for (const stop of shortcuts.values()) stop.abort();
      for (const told of replayed.values()) told();
      for (const resolve of waiting.splice(0)) resolve();
      end();
      transport.onclose?.();
    },
  };
  return transport;
}
