/**
 * Streamable HTTP written by hand over `node:http`, on loopback only: one JSON answer per POST, or events if a script
 * wants them.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../skill/json.ts';
import { modernVersion } from './base-answers.ts';
import { type Conversation, eraOf, parseMessage, versionOf } from './conversation.ts';
import type { Answer, Call, Chunk, Chunks } from './misbehavior.ts';
import { dripping, messageText, writeAll } from './wire-text.ts';

const requestBytes = 4 * 1024 * 1024;
const path = '/mcp';
/** The target of redirects: the same server under its other name. */
const elsewherePath = '/elsewhere';

export async function listenHttp(conversation: Conversation, life: AbortSignal) {
  const server = createServer((request, response) => {
    response.on('error', () => response.destroy());
    serve(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(0, '127.0.0.1');
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
  });
  const { port } = server.address() as AddressInfo;
  const place = { url: `http://127.0.0.1:${port}${path}`, elsewhere: `http://localhost:${port}${elsewherePath}` };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = headersOf(request);
    const elsewhere = request.url === elsewherePath;
    const text = await bodyOf(request);
    const message = text === undefined ? undefined : parseMessage(text);
    const arrival = { message: message ?? {}, headers, elsewhere };
    conversation.record(arrival);
    if (request.url !== path && !elsewhere) return plain(response, 404);
    if (request.method !== 'POST') return plain(response, 405, { allow: 'POST' });
    if (text === undefined) return plain(response, 413);
    if (message === undefined) return json(response, 400, rpcError(null, -32700, 'The body is not a JSON object.'));
    const fault = headerFault(message, headers);
    if (fault !== undefined) return json(response, 400, rpcError(message['id'] ?? null, -32020, fault));
    const answer = conversation.answer(arrival, place);
    if (answer === undefined) return plain(response, 202);
    await send(response, message['id'] as Call['id'], eraOf(message) === 'modern', answer, life);
  }

  return {
    url: place.url,
    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function send(
  response: ServerResponse,
  id: Call['id'],
  modern: boolean,
  answer: Answer,
  life: AbortSignal,
): Promise<void> {
  if (answer.kind === 'silence') return;
  if (answer.kind === 'raw') return stream(response, 200, { 'content-type': 'application/json' }, answer.chunks, life);
  if (answer.kind === 'http') return stream(response, answer.status, answer.headers, answer.body, life);
  if (answer.kind === 'messages') {
    const type = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
    return stream(response, 200, type, events(answer.messages), life);
  }
  if (answer.kind === 'drip' || answer.kind === 'cut') {
    const whole = Buffer.from(messageText(id, answer.answer) ?? '');
    const headers = { 'content-type': 'application/json', 'content-length': String(whole.length) };
    if (answer.kind === 'drip')
      return stream(response, 200, headers, dripping(whole, answer.bytes, answer.everyMs, life), life);
    return cutOff(response, headers, whole.subarray(0, answer.afterBytes));
  }
  json(response, statusOf(answer, modern), messageText(id, answer) ?? '');
}

/** Revision 2026-07-28 gives some errors an HTTP status; earlier revisions use 200 for all. */
function statusOf(answer: Answer, modern: boolean): number {
  if (answer.kind !== 'error') return 200;
  return answer.status ?? (modern && answer.code === -32601 ? 404 : 200);
}

async function stream(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  chunks: Chunks,
  life: AbortSignal,
): Promise<void> {
  response.writeHead(status, headers);
  if (await writeAll(response, chunks, life)) response.end();
}

/** Sends nothing, or the headers and some bytes, and then drops the connection. */
function cutOff(response: ServerResponse, headers: Readonly<Record<string, string>>, part: Uint8Array): void {
  if (part.length === 0) {
    response.destroy();
    return;
  }
  response.writeHead(200, headers);
  response.write(part, () => response.destroy());
}

function events(messages: Chunks): Chunks {
  return async function* (): AsyncGenerator<Chunk> {
    for await (const message of messages()) yield `event: message\ndata: ${String(message)}\n\n`;
  };
}

function plain(response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, headers).end();
}

function json(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}

function rpcError(id: unknown, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

/** Checks the headers that revision 2026-07-28 requires. */
function headerFault(message: JsonObject, headers: Readonly<Record<string, string>>): string | undefined {
  if (eraOf(message) === 'legacy' || message['id'] === undefined) return undefined;
  const version = versionOf(message);
  if (version !== modernVersion) return undefined;
  if (headers['mcp-protocol-version'] !== version) return 'MCP-Protocol-Version contradicts the body.';
  return headers['mcp-method'] === message['method'] ? undefined : 'Mcp-Method contradicts the body.';
}

function headersOf(request: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]));
}

/** `undefined` if the body is longer than any request of this protocol. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > requestBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
