/** HTTP servers whose every answer a test writes, on real sockets. Closed when the test ends. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ScriptedHttp {
  readonly origin: string;
  readonly port: number;
  /** Every request so far. */
  readonly requests: readonly ReceivedRequest[];
  readonly connections: () => number;
}

export async function scriptedHttp(
  answer: (received: ReceivedRequest, response: ServerResponse, count: number) => unknown,
): Promise<ScriptedHttp> {
  const requests: ReceivedRequest[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body: Buffer.concat(parts).toString() };
      requests.push(one);
      Promise.resolve(answer(one, response, requests.length)).catch(() => response.destroy());
    });
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, port, requests, connections: () => connections };
}

/** An error for a JSON-RPC answer. */
export class Fault {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
  readonly status: number;

  constructor(code: number, message = 'fault', { data, status = 200 }: { data?: unknown; status?: number } = {}) {
    this.code = code;
    this.message = message;
    this.data = data;
    this.status = status;
  }
}

type Params = Readonly<Record<string, unknown>>;
export type Methods = Readonly<Record<string, (params: Params, headers: IncomingHttpHeaders) => unknown>>;

export const discovered = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { resources: {}, extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } } },
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'scripted', version: '1' } },
  ttlMs: 0,
  cacheScope: 'public',
};

export interface ScriptedMcp extends ScriptedHttp {
  readonly url: string;
  /** How often a method was called. */
  calls(method: string): number;
}

/** A server of revision 2026-07-28 with the given methods; `server/discover` is there unless it is given. */
export async function scriptedMcp(methods: Methods): Promise<ScriptedMcp> {
  const all: Methods = { 'server/discover': () => discovered, ...methods };
  const server = await scriptedHttp(async ({ body, headers }, response) => {
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: Params };
    const given = await (all[method] ?? (() => new Fault(-32601, 'unknown method', { status: 404 })))(params, headers);
    if (given === undefined) return;
    const { status, ...error } = given instanceof Fault ? given : { status: 200 };
    const outcome = given instanceof Fault ? { error } : { result: given };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
  });
  return {
    ...server,
    url: `${server.origin}/mcp`,
    calls: (method) => server.requests.filter(({ headers }) => headers['mcp-method'] === method).length,
  };
}
