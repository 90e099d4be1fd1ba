/**
 * A connection of clients from before the final extension: an `initialize`, then requests in one session, over HTTP or over the
 * pipes of a process. Written by hand, so that no answer of a server is lost or corrected.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export type Json = Readonly<Record<string, unknown>>;

export interface Notification {
  readonly method: string;
  readonly params: Json;
}

export class WireFailure extends Error {
  readonly code: number;
  constructor(method: string, code: number, message: string) {
    super(`${method}: ${code} ${message}`);
    this.code = code;
  }
}

export interface Wire {
  readonly capabilities: Json;
  readonly instructions: string;
  /** The result; throws WireFailure for an error. */
  request(method: string, params?: Json): Promise<Json>;
  readonly notifications: readonly Notification[];
  close(): Promise<void>;
}

export interface WireOptions {
  readonly capabilities?: Json;
  readonly revision?: string;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string };
}

function initializeParams({ capabilities = {}, revision = '2025-11-25' }: WireOptions): Json {
  return { protocolVersion: revision, capabilities, clientInfo: { name: 'stand-in', version: '1' } };
}

function settled(method: string, { result, error }: Message): Json {
  if (error !== undefined) throw new WireFailure(method, error.code, error.message);
  if (result === undefined) throw new Error(`${method} had neither a result nor an error`);
  return result;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A session over Streamable HTTP, with its stream of notifications. */
export async function httpWire(url: string, options: WireOptions = {}): Promise<Wire> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const notifications: Notification[] = [];
  let id = 0;

  const post = (message: Json): Promise<Response> =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });

  async function call(method: string, params: Json): Promise<Message> {
    const response = await post({ id: ++id, method, params });
    const session = response.headers.get('mcp-session-id');
    if (session !== null) headers['mcp-session-id'] = session;
    const text = await response.text();
    if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) return JSON.parse(text);
    const messages = text
      .split('\n')
      .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []));
    return messages.find((message: Message) => message.id === id) ?? {};
  }

  const first = settled('initialize', await call('initialize', initializeParams(options)));
  headers['mcp-protocol-version'] = textOf(first['protocolVersion']);
  await post({ method: 'notifications/initialized' });

  const streaming = new AbortController();
  const stream = await fetch(url, {
    headers: { ...headers, accept: 'text/event-stream' },
    signal: streaming.signal,
  });
  const listening = listen(stream, notifications).catch((error: unknown) => {
    if (!streaming.signal.aborted) throw error;
  });

  return {
    capabilities: first['capabilities'] as Json,
    instructions: textOf(first['instructions']),
    notifications,
    request: async (method, params = {}) => settled(method, await call(method, params)),
    async close() {
      streaming.abort();
      await listening;
      await fetch(url, { method: 'DELETE', headers });
    },
  };
}

async function listen(stream: Response, notifications: Notification[]): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream.body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      const { method, params = {} } = JSON.parse(line.slice(6)) as Message;
      if (method !== undefined) notifications.push({ method, params });
    }
  }
}

/** A session with a process that is started for it. */
export async function stdioWire(command: string, args: readonly string[], options: WireOptions = {}): Promise<Wire> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map<number, (message: Message) => void>();
  const notifications: Notification[] = [];
  let id = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    if (message.method !== undefined) notifications.push({ method: message.method, params: message.params ?? {} });
    else if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  const send = (message: Json): boolean => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

  async function request(method: string, params: Json = {}): Promise<Json> {
    const own = ++id;
    const answer = new Promise<Message>((resolve, reject) => {
      waiting.set(own, resolve);
      child.once('close', () => reject(new Error(`the server ended before it answered ${method}`)));
    });
    send({ id: own, method, params });
    return settled(method, await answer.finally(() => waiting.delete(own)));
  }

  child.setMaxListeners(0);
  const first = await request('initialize', initializeParams(options));
  send({ method: 'notifications/initialized' });
  return {
    capabilities: first['capabilities'] as Json,
    instructions: textOf(first['instructions']),
    notifications,
    request,
    async close() {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.stdin.end();
      await ended;
    },
  };
}
