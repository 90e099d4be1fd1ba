import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { limits } from '../../limits.ts';
import type { PlainAnswer, PlainSurface } from '../../surfaces/plain-answer.ts';
import { type HttpServer, type ListenOptions, listen } from './http-server.ts';

const servers: HttpServer[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(answer: PlainSurface['answer'], options: Partial<ListenOptions> = {}): Promise<HttpServer> {
  const routes = async (request: Request): Promise<Response> =>
    Response.json({ route: new URL(request.url).pathname, body: await request.text() });
  const accepts = (method: string, target: string): boolean => method !== 'PUT' && target === '/mcp';
  const server = await listen({ host: '127.0.0.1', port: 0, routes, plain: [{ accepts, answer }], ...options });
  servers.push(server);
  return server;
}

function open(server: HttpServer): Socket {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => socket.destroy());
  sockets.push(socket);
  return socket;
}

const ok = (body: PlainAnswer['body']): PlainAnswer => ({ status: 200, headers: { 'x-made': 'plain' }, body });
const post = (server: HttpServer, body: string, path = '/mcp', headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { method: 'POST', body, headers });

describe('the fast path', () => {
  test('sees method, headers and body of a small request', async () => {
    const server = await start(async (request) => {
      const headers = ['x-test', 'x-other'].map((name) => request.header(name));
      return ok(JSON.stringify([request.method, ...headers, Buffer.from(request.body).toString()]));
    });
    const answer = await post(server, 'hëllo', '/mcp', { 'X-Test': 'a' });
    expect(await answer.json()).toEqual(['POST', 'a', null, 'hëllo']);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'x-made': 'plain',
      'content-length': '26',
      vary: 'Origin',
      'x-content-type-options': 'nosniff',
    });
  });

  test.each<[string, PlainSurface['answer']]>([
    [
      'at once',
      () => {
        throw new Error('secret');
      },
    ],
    ['later', () => Promise.reject(new Error('secret'))],
  ])('that fails %s answers an error without its message', async (_, fail) => {
    const errors: Error[] = [];
    const server = await start(fail, { onerror: (error) => errors.push(error) });
    const answer = await post(server, '');
    expect([answer.status, await answer.text()]).toEqual([500, 'Internal error\n']);
    expect(errors.map(({ message }) => message)).toEqual(['secret']);
  });

  test.each<[string, PlainSurface['answer']]>([
    ['at once', () => ok('now')],
    ['later', async () => ok('now')],
  ])('is counted once if it answers %s', async (_, answer) => {
    const reported: unknown[] = [];
    const server = await start(answer, { onanswer: (target, status, ms) => reported.push([target, status, ms >= 0]) });
    expect(await (await post(server, '')).text()).toBe('now');
    await eventually(() => expect(reported).toEqual([['/mcp', 200, true]]));
  });

  test('joins a repeated header', async () => {
    const server = await start(async (request) => ok(`${request.header('x-test')}|${request.header('content-type')}|`));
    const socket = open(server);
    const head =
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Test: a\r\nx-test: b\r\nContent-Type: c\r\ncontent-type: d\r\n';
    socket.write(`${head}Content-Length: 0\r\n\r\n`);
    const [received] = (await once(socket, 'data')) as [Buffer];
    expect(received.toString()).toContain('a, b|c, d|');
  });

  test('falls through to the routes without an answer, and they get the body', async () => {
    const server = await start(async () => undefined);
    expect(await (await post(server, 'text')).json()).toEqual({ route: '/mcp', body: 'text' });
  });

  test.each([
    ['another path', '/mcp/', 'x'],
    ['a query', '/mcp?a', 'x'],
    ['a large body', '/mcp', 'x'.repeat(limits.http.hotRequestBytes + 1)],
  ])('is not used for %s', async (_, path, body) => {
    const server = await start(async () => ok('no'));
    expect(await (await post(server, body, path)).json()).toHaveProperty('body', body);
  });

  test('is used for GET and HEAD without a body, with the original path and query', async () => {
    const server = await start(async ({ method, target }) => ok(`${method} ${target}`), {
      plain: [{ accepts: () => true, answer: ({ method, target }) => ok(`${method} ${target}`) }],
    });
    expect(await (await fetch(`${server.url}/a%2Fb?c=%20`)).text()).toBe('GET /a%2Fb?c=%20');
    const head = await fetch(`${server.url}/a`, { method: 'HEAD' });
    expect([head.headers.get('content-length'), await head.text()]).toEqual(['7', '']);
    const socket = open(server);
    socket.write('GET /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx');
    const [received] = (await once(socket, 'data')) as [Buffer];
    expect(received.toString()).toContain('{"route":"/a"');
  });

  test('asks only the first handler that accepts the request', async () => {
    const surface = (text: string, target: string): PlainSurface => ({
      accepts: (_, requested) => requested === target,
      answer: () => ok(text),
    });
    const server = await start(async () => undefined, {
      plain: [surface('a', '/a'), surface('b', '/b'), surface('c', '/b')],
    });
    expect(await (await fetch(`${server.url}/b`)).text()).toBe('b');
  });

  test('sends no length without a body', async () => {
    const plain = [{ accepts: () => true, answer: () => ({ status: 304, headers: { etag: '"x"' }, body: '' }) }];
    const server = await start(async () => undefined, { plain });
    const answer = await fetch(`${server.url}/a`);
    expect([answer.status, answer.headers.get('content-length'), answer.headers.get('etag')]).toEqual([
      304,
      null,
      '"x"',
    ]);
  });

  test('is not used for requests that the guards refuse', async () => {
    let calls = 0;
    const server = await start(async () => {
      calls++;
      return ok('no');
    });
    expect((await post(server, 'x', '/mcp', { Origin: 'https://evil.example' })).status).toBe(403);
    expect(calls).toBe(0);
  });

  test('lets allowed pages read the answer', async () => {
    const server = await start(async () => ok('x'));
    const answer = await post(server, 'x', '/mcp', { Origin: 'http://localhost:99' });
    expect(answer.headers.get('access-control-allow-origin')).toBe('http://localhost:99');
  });

  test('reports when the client disconnects, and only then', async () => {
    const signals: AbortSignal[] = [];
    const server = await start(async ({ signal }) => {
      signals.push(signal);
      if (signals.length === 1) return ok('x');
      await once(signal, 'abort');
      return ok('too late');
    });
    await (await post(server, 'x')).text();
    const socket = open(server);
    socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx');
    await eventually(() => expect(signals).toHaveLength(2));
    socket.destroy();
    await eventually(() => expect(signals[1]?.aborted).toBe(true));
    expect(signals[0]?.aborted).toBe(false);
  });

  test('answers an error without its message if the handler fails', async () => {
    const errors: Error[] = [];
    const failing = async (): Promise<PlainAnswer> => {
      throw new Error('secret');
    };
    const server = await start(failing, { onerror: (error) => errors.push(error) });
    const answer = await post(server, 'x');
    expect([answer.status, await answer.text()]).toEqual([500, 'Internal error\n']);
    expect(errors.map(({ message }) => message)).toEqual(['secret']);
  });

  test('cuts the connection if a piece fails, so that nobody takes the answer for complete', async () => {
    const errors: Error[] = [];
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a');
      throw new Error('no more');
    }
    const body = { length: 9, parts: failing() };
    const server = await start(async () => ok(body), { onerror: (error) => errors.push(error) });
    await expect(post(server, 'x').then((answer) => answer.text())).rejects.toThrow();
    expect(errors.map(({ message }) => message)).toEqual(['no more']);
  });

  test('sends the parts of a body in order', async () => {
    const parts = ['a', 'bc', 'd'].map((text) => Buffer.from(text));
    const server = await start(async () => ok({ length: 4, parts }));
    const answer = await post(server, 'x');
    expect([answer.headers.get('content-length'), await answer.text()]).toEqual(['4', 'abcd']);
  });

  test('makes pieces no faster than the client reads, and none after it disconnects', async () => {
    const piece = Buffer.alloc(65_536, 'x');
    let [made, ended] = [0, false];
    async function* pieces(): AsyncGenerator<Uint8Array> {
      try {
        for (; made < 4096; made++) yield piece;
      } finally {
        ended = true;
      }
    }
    const server = await start(async () => ok({ length: 4096 * piece.length, parts: pieces() }));
    const socket = open(server);
    socket.pause();
    socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx');
    let before = -1;
    await eventually(() => {
      const still = made > 0 && made === before;
      before = made;
      expect(still).toBe(true);
    });
    expect(made).toBeLessThan(4096);
    socket.destroy();
    await eventually(() => expect(ended).toBe(true));
  });

  test.each([
    ['whole', async () => ok({ length: 1 << 26, parts: [Buffer.alloc(1 << 26)] })],
    [
      'in pieces',
      async () =>
        ok({
          length: 1 << 30,
          parts: (async function* () {
            for (;;) yield Buffer.alloc(1 << 20);
          })(),
        }),
    ],
  ])('disconnects a client that does not read an answer that is %s', async (_, answer) => {
    const server = await start(answer, { stalledWriteMs: 100 });
    const socket = open(server);
    socket.pause();
    socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx');
    await once(socket, 'connect');
    // A writer learns that the other end has closed the connection.
    await eventually(() => {
      if (!socket.destroyed) socket.write('x');
      expect(socket.destroyed).toBe(true);
    });
  });
});
