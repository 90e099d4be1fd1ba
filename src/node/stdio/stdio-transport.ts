/**
 * JSON-RPC over stdin and stdout, one message per line. Unlike the SDK's transport, it reports what is wrong with an invalid line, and
 * answers pending requests when stdin ends: `echo ... | skillwire` works. A line that is too long is rejected once and skipped without
 * buffering. While the client does not read its answers, no further requests are accepted. Only a little is read ahead, to notice the end
 * of stdin. Only messages go to stdout.
 *
 * The first message that no shortcut takes loads the SDK; later messages wait, in order.
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
  /** Stops reading input. */
  stopReading(): void;
  /** Resolves when every request is answered or canceled; streams of notifications do not count. */
  idle(): Promise<void>;
  /** Replays requests to the SDK that were already answered, and discards its answers. */
  replay(requests: readonly JSONRPCMessage[]): Promise<void>;
}

/** Answers some requests without the SDK. */
export interface StdioShortcut {
  /** `undefined` if the SDK must handle the message. */
  take(message: unknown): ((signal: AbortSignal) => MaybePromise<PlainBody>) | undefined;
  /** Called with every response of the SDK. */
  responded(id: unknown, isResult: boolean): void;
}

/** Parses JSON as a message. @throws if it is none */
export type ParseMessage = (value: unknown) => JSONRPCMessage;

export interface StdioTransportOptions {
  readonly maxLineBytes?: number;
  readonly shortcut?: StdioShortcut;
  /** Called once, for the first message to the SDK. */
  readonly loadSdk?: () => Promise<ParseMessage>;
}

const newline = 0x0a;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function requestKey(id: unknown): string {
  return `${typeof id} ${String(id)}`;
}

/** The id of an invalid message, if it can be echoed. */
function idOf(value: unknown): string | number | null {
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : undefined;
  if (typeof id === 'number') return id;
  return typeof id === 'string' && id.length <= limits.stdio.idCharacters ? id : null;
}

async function sdkParser(): Promise<ParseMessage> {
  return (await import('@modelcontextprotocol/server')).parseJSONRPCMessage;
}

/** The parts of a line. */
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
  /** Abort controllers of requests that are being answered without the SDK. */
  const shortcuts = new Map<string, AbortController>();
  const waiting: (() => void)[] = [];
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let skipping = false;
  let closed = false;
  let reading = false;
  /** True while the client does not read; `ahead` has the input received meanwhile. */
  let stalled = false;
  let ahead: Buffer[] = [];
  let aheadBytes = 0;
  let started = false;
  let parse: ParseMessage | undefined;
  /** Resolvers of replayed requests, whose answers are discarded. */
  const replayed = new Map<string, () => void>();
  /** Messages that wait until the SDK is loaded. */
  let pending: unknown[] | undefined;
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });

  function settle(id: unknown): void {
    if (open.delete(requestKey(id))) wakeIfIdle();
  }

  const isIdle = (): boolean => open.size === 0 && pending === undefined && ahead.length === 0;

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
    if (reading && !stalled && pending === undefined) stdin.resume();
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

  /** Answers without the SDK. A request that is canceled meanwhile gets no answer. */
  async function answer(id: unknown, work: (signal: AbortSignal) => MaybePromise<PlainBody>): Promise<void> {
    const key = requestKey(id);
    const stop = new AbortController();
    open.add(key);
    shortcuts.set(key, stop);
    try {
      const parts = await inMemory(await work(stop.signal));
      if (closed || stop.signal.aborted) return;
      // Written together, so that no other line comes between them.
      const written = parts.map((part) => write(part));
      await Promise.all(written);
    } finally {
      if (shortcuts.get(key) === stop) shortcuts.delete(key);
      settle(id);
    }
  }

  function accept(message: JSONRPCMessage): void {
    if ('method' in message) {
      // A stream of notifications may never be answered.
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
    if (pending === undefined) takeValue(value);
    else pending.push(value);
  }

  /** Cancels at once, even while the SDK is being loaded, which gets the message later. */
  function stopCancelled(value: unknown): void {
    const { method, params } = (value ?? {}) as {
      readonly method?: unknown;
      readonly params?: { requestId?: unknown };
    };
    if (method === 'notifications/cancelled') shortcuts.get(requestKey(params?.requestId))?.abort();
  }

  async function queueUntilLoaded(value: unknown): Promise<void> {
    pending = [value];
    stdin.pause();
    parse = await loadSdk();
    const values = pending;
    pending = undefined;
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
      queueUntilLoaded(value).catch(failed);
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

  /** Adds a part of a line. */
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
    // The start of a line may be buffered here, and its end in `ahead`.
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
      if (closed) throw new Error('The stdio connection is closed');
      const finishReplay = 'method' in message ? undefined : replayed.get(requestKey(message.id));
      if (finishReplay !== undefined) {
        finishReplay();
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
      // The error listeners stay: writing to a broken pipe must not crash the process.
      stdin.off('end', onEnd);
      stdin.off('close', onEnd);
      open.clear();
      for (const stop of shortcuts.values()) stop.abort();
      for (const finishReplay of replayed.values()) finishReplay();
      for (const resolve of waiting.splice(0)) resolve();
      end();
      transport.onclose?.();
    },
  };
  return transport;
}
