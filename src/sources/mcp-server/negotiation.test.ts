/** The choice of the era over HTTP, and lost sessions. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { discovered, type ReceivedRequest, scriptedHttp } from '../../../test/scripted-http.ts';
import type { McpServerSource } from './connection-source.ts';
import { type McpUrlOptions, mcpServerSource } from './mcp-server-source.ts';

const capabilities = { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } };
const initialized = { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'old', version: '3' } };
const uri = 'skill://refunds/SKILL.md';
const contents = [{ uri, text: 'hello' }];

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

type Respond = (call: { id?: number; method: string }, received: ReceivedRequest) => Answer;

function sourceFor(url: string, options: Omit<McpUrlOptions, 'url'> = {}): McpServerSource {
  const source = mcpServerSource({ url, ...options });
  onTestFinished(() => source.close());
  return source;
}

/** All handlers of a server of an older revision; a test replaces some. */
function legacyAnswer({ id, method }: { id?: number; method: string }): Answer {
  const result = { initialize: initialized, 'resources/read': { contents } }[method];
  if (id === undefined) return { status: 202 };
  if (result === undefined)
    return { status: 200, body: { jsonrpc: '2.0', id, error: { code: -32601, message: 'none' } } };
  return { status: 200, body: { jsonrpc: '2.0', id, result } };
}

const scripted = (respond: Respond) =>
  scriptedHttp((received, response) => {
    const { status, headers, body } = respond(
      received.body === '' ? { method: received.method } : JSON.parse(received.body),
      received,
    );
    response.writeHead(status, { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers });
    response.end(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
  });

const isDiscover = ({ method }: { method: string }): boolean => method === 'server/discover';

describe('a server of an older revision', () => {
  const error = (code: number, data?: unknown) => ({ jsonrpc: '2.0', id: null, error: { code, message: 'x', data } });

  test.each<[what: string, answer: Answer]>([
    ['-32601', { status: 200, body: error(-32601) }],
    ['-32601 and 404', { status: 404, body: error(-32601) }],
    ['-32600 and 400', { status: 400, body: error(-32600) }],
    ['-32000 and 400', { status: 400, body: error(-32000) }],
    ['-32001 and 404', { status: 404, body: error(-32001) }],
    ['-32022 that names older revisions', { status: 400, body: error(-32022, { supported: ['2025-11-25'] }) }],
    ['-32022 that names none', { status: 400, body: error(-32022) }],
    ['405', { status: 405 }],
    ['404 and a page', { status: 404, headers: { 'content-type': 'text/html' }, body: 'not found' }],
    ['406', { status: 406, headers: { 'content-type': 'text/plain' }, body: 'no' }],
    ['a result of another kind', { status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } }],
    [
      'older revisions',
      { status: 200, body: { jsonrpc: '2.0', id: 1, result: { supportedVersions: ['2025-06-18'] } } },
    ],
  ])('is recognized by %s', async (_what, answer) => {
    const server = await scripted((call) => (isDiscover(call) ? answer : legacyAnswer(call)));
    const source = sourceFor(`${server.origin}/mcp`);
    expect(await source.status({})).toEqual({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'old', version: '3' },
      dialect: 'skills-extension',
      skills: true,
      directoryRead: false,
    });
    expect((await source.open(uri, {}))?.bytes).toHaveLength(5);
  });

  test('is not tried if the modern revision is required, and vice versa', async () => {
    const server = await scripted((call) => legacyAnswer(call));
    await expect(sourceFor(server.origin, { era: 'modern' }).status({})).rejects.toThrow('does not support revision');
    expect(server.requests).toHaveLength(1);
    expect(await sourceFor(server.origin, { era: 'legacy' }).status({})).toMatchObject({ skills: true });
    expect(server.requests.filter(({ headers }) => headers['mcp-method'] !== undefined)).toHaveLength(1);
  });

  test('gets no stream for pushed messages, but a closing request', async () => {
    const server = await scripted((call) => ({ ...legacyAnswer(call), headers: { 'mcp-session-id': 's1' } }));
    const source = sourceFor(server.origin);
    await source.open(uri, {});
    await source.close();
    expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST', 'POST', 'DELETE']);
    expect(server.requests.at(-1)?.headers['mcp-session-id']).toBe('s1');
  });

  test('is retried after a passing failure', async () => {
    let failures = 2;
    const server = await scripted((call) =>
      call.method === 'resources/read' && failures-- > 0 ? { status: 503, body: 'busy' } : legacyAnswer(call),
    );
    expect(await sourceFor(server.origin, { era: 'legacy' }).open(uri, {})).toBeDefined();
    expect(failures).toBe(-1);
  });

  test('gets credentials and headers with each request', async () => {
    const server = await scripted((call) => legacyAnswer(call));
    await sourceFor(server.origin, { era: 'legacy', token: 't', headers: { 'X-A': 'b' } }).open(uri, {});
    for (const { headers } of server.requests) expect(headers).toMatchObject({ authorization: 'Bearer t', 'x-a': 'b' });
  });
});

describe('neither revision', () => {
  test.each<[what: string, answer: Answer, code: string, words: RegExp]>([
    [
      'a page',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
      'BAD_ANSWER',
      /HTTP 200, text\/html, "<html>"/,
    ],
    [
      'a missing page',
      { status: 404, headers: { 'content-type': 'text/html' }, body: 'gone' },
      'BAD_ANSWER',
      /HTTP 404, text\/html, "gone"/,
    ],
    ['401', { status: 401 }, 'NOT_AUTHORIZED', /--token-env/],
    ['403', { status: 403 }, 'NOT_AUTHORIZED', /HTTP 403/],
    ['500', { status: 500, headers: { 'content-type': 'text/plain' }, body: 'oops' }, 'ORIGIN_FAILED', /HTTP 500/],
    [
      'a revision of the future',
      { status: 200, body: { jsonrpc: '2.0', id: 1, result: { supportedVersions: ['2031-01-01'] } } },
      'BAD_ANSWER',
      /2031-01-01/,
    ],
  ])('is used if the answer is %s', async (_what, answer, code, words) => {
    const server = await scripted(() => answer);
    const failure = sourceFor(server.origin).status({});
    await expect(failure).rejects.toMatchObject({ code });
    await expect(failure).rejects.toThrow(words);
  });

  test.each<[what: string, answer: Answer, code: string]>([
    ['401', { status: 401 }, 'NOT_AUTHORIZED'],
    ['a page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }, 'BAD_ANSWER'],
    ['no JSON', { status: 200, body: '{' }, 'BAD_ANSWER'],
    ['500', { status: 500 }, 'ORIGIN_FAILED'],
    [
      'an error',
      { status: 400, body: { jsonrpc: '2.0', id: 0, error: { code: -32602, message: 'no' } } },
      'ORIGIN_FAILED',
    ],
    [
      'an unknown revision',
      { status: 200, body: { jsonrpc: '2.0', id: 0, result: { ...initialized, protocolVersion: '1999-01-01' } } },
      'BAD_ANSWER',
    ],
  ])('is used if "initialize" is answered with %s', async (_what, answer, code) => {
    const server = await scripted(() => answer);
    await expect(sourceFor(server.origin, { era: 'legacy' }).status({})).rejects.toMatchObject({ code });
  });
});

describe('a session', () => {
  test('that the server forgot is opened again, once per call', async () => {
    let session = 0;
    let lost = false;
    const server = await scripted((call, { headers }) => {
      if (call.method === 'initialize')
        return { ...legacyAnswer(call), headers: { 'mcp-session-id': `s${++session}` } };
      const known = headers['mcp-session-id'] === `s${session}` && !lost;
      return known
        ? legacyAnswer(call)
        : { status: 404, headers: { 'content-type': 'text/plain' }, body: 'no session' };
    });
    const source = sourceFor(server.origin, { era: 'legacy' });
    await source.open(uri, {});
    session = 10;
    expect((await source.open(uri, {}))?.bytes).toHaveLength(5);
    expect(session).toBe(11);
    lost = true;
    await expect(source.open(uri, {})).rejects.toMatchObject({ code: 'UNREACHABLE' });
    lost = false;
    expect(await source.open(uri, {})).toBeDefined();
  });
});

test('a modern server that was unreachable is asked for its description again', async () => {
  let declared: object = capabilities;
  const start = (port: number): Promise<Server> =>
    new Promise((resolve) => {
      const server = createServer((request, response) => {
        let body = '';
        request.on('data', (part) => {
          body += part;
        });
        request.on('end', () => {
          const { id, method } = JSON.parse(body);
          const result = method === 'server/discover' ? { ...discovered, capabilities: declared } : { contents };
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
        });
      });
      server.listen(port, '127.0.0.1', () => resolve(server));
    });
  const stop = (server: Server): Promise<unknown> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  const first = await start(0);
  const { port } = first.address() as AddressInfo;
  const source = sourceFor(`http://127.0.0.1:${port}/mcp`);
  expect(await source.status({})).toMatchObject({ skills: true });
  await source.open(uri, {});
  await stop(first);
  await expect(source.open(uri, {})).rejects.toMatchObject({ code: 'UNREACHABLE' });
  declared = {};
  const second = await start(port);
  onTestFinished(() => stop(second).then(() => undefined));
  expect(await source.status({})).toMatchObject({ skills: false });
});
