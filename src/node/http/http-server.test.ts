import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { echo, raw, sockets, start } from '../../../test/http-servers.ts';
import { limits } from '../../limits.ts';

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe('requests', () => {
  test('reach the routes with method, address, headers and body', async () => {
    const server = await start(echo);
    const body = 'x'.repeat(100_000);
    const answer = await fetch(`${server.url}/a?b=c`, { method: 'POST', body, headers: { 'x-test': 'y' } });
    expect(await answer.json()).toEqual({ method: 'POST', url: `${server.url}/a?b=c`, length: 100_000, header: 'y' });
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('vary')).toBe('Origin');
  });

  test('cannot name another host through their path', async () => {
    const server = await start(echo);
    const answer = await raw(server, 'GET //evil.example/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(answer).toContain('"url":"http://localhost//evil.example/x"');
  });

  test.each([
    ['a foreign host', 'GET / HTTP/1.1\r\nHost: evil.example\r\n'],
    ['no host', 'GET / HTTP/1.1\r\n'],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n'],
    ['a foreign origin', 'GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n'],
    ['the origin null', 'GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n'],
    [
      'a preflight of a foreign origin',
      'OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\n',
    ],
    ['an address as target', 'GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n'],
  ])('with %s are forbidden before any work', async (_, head) => {
    let calls = 0;
    const server = await start(async () => {
      calls++;
      return new Response();
    });
    const answer = await raw(server, `${head}Connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer.toLowerCase()).not.toContain('access-control');
    expect(calls).toBe(0);
  });

  test('of allowed pages get CORS headers, preflights included', async () => {
    const server = await start(echo, { allowedOrigins: ['https://page.example'] });
    const headers = { origin: 'https://page.example' };
    const answer = await fetch(server.url, { headers });
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://page.example');
    expect(answer.headers.get('access-control-expose-headers')).toBe('Mcp-Session-Id, WWW-Authenticate');
    const preflight = await raw(
      server,
      'OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: https://page.example\r\n' +
        'Access-Control-Request-Method: POST\r\nConnection: close\r\n\r\n',
    );
    expect(preflight).toMatch(/^HTTP\/1\.1 204 /);
    expect(preflight).toContain('access-control-allow-origin: https://page.example');
  });

  test('that announce too many bytes are refused, and the client can read the reason', async () => {
    const server = await start(echo);
    const answer = await fetch(server.url, { method: 'POST', body: new Uint8Array(limits.http.requestBytes + 1) });
    expect(answer.status).toBe(413);
    expect(await answer.text()).toBe(`A request may have at most ${limits.http.requestBytes} bytes.\n`);
  });

  test('that are refused may be sent to the end before the client reads', async () => {
    const server = await start(echo);
    const length = 2 * limits.http.requestBytes;
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    sockets.push(socket);
    socket.pause();
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`);
      socket.write(new Uint8Array(length), () => resolve());
    });
    socket.resume();
    const [first] = await once(socket, 'data');
    expect(String(first)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('with "Expect: 100-continue" are refused before the body is sent', async () => {
    const server = await start(echo);
    const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n';
    const large = await raw(server, `${head}Content-Length: ${limits.http.requestBytes + 1}\r\n\r\n`, /413/);
    expect(large).toMatch(/^HTTP\/1\.1 413 /);
    const small = await raw(server, `${head}Content-Length: 2\r\nConnection: close\r\n\r\nhi`);
    expect(small).toMatch(/^HTTP\/1\.1 100 Continue[\s\S]*"length":2/);
  });

  test('with a body that grows past the limit fail in the handler, and get the answer of announced ones', async () => {
    const errors: Error[] = [];
    const server = await start(echo, { onerror: (error) => errors.push(error) });
    const chunk = new Uint8Array(1024 * 1024);
    let sent = 0;
    const body = new ReadableStream({
      pull: (controller) => (sent++ < 6 ? controller.enqueue(chunk) : controller.close()),
    });
    const answer = await fetch(server.url, { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect(answer.status).toBe(413);
    expect(await answer.text()).toBe(`A request may have at most ${limits.http.requestBytes} bytes.\n`);
    expect(errors).toEqual([]);
  });

  test('with headers beyond the limit are refused', async () => {
    const server = await start(echo);
    const answer = await raw(
      server,
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(limits.http.headerBytes)}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });

  test('are aborted in the handler when the client disconnects', async () => {
    const started = deferred<AbortSignal>();
    const server = await start(
      (request) =>
        new Promise(() => {
          started.resolve(request.signal);
        }),
    );
    const controller = new AbortController();
    const answer = fetch(server.url, { signal: controller.signal }).catch(() => 'aborted');
    const signal = await started.promise;
    controller.abort();
    expect(await answer).toBe('aborted');
    await eventually(() => expect(signal.aborted).toBe(true));
  });
});

describe('answers', () => {
  test('with a body in memory have a length, others are chunked', async () => {
    const server = await start(async (request) => {
      if (request.url.endsWith('/known')) return new Response('four');
      if (request.url.endsWith('/empty')) return new Response(null, { status: 202 });
      return new Response(
        new ReadableStream({
          start(controller) {
            for (const part of ['a', 'b', 'c']) controller.enqueue(new TextEncoder().encode(part));
            controller.close();
          },
        }),
      );
    });
    const known = await fetch(`${server.url}/known`);
    expect([known.headers.get('content-length'), await known.text()]).toEqual(['4', 'four']);
    const empty = await fetch(`${server.url}/empty`);
    expect([empty.status, empty.headers.get('content-length')]).toEqual([202, '0']);
    const streamed = await fetch(`${server.url}/streamed`);
    expect([streamed.headers.get('content-length'), await streamed.text()]).toEqual([null, 'abc']);
  });

  test('to HEAD have no body', async () => {
    const server = await start(async () => new Response('text', { headers: { 'x-a': 'b' } }));
    const answer = await fetch(server.url, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('x-a'), await answer.text()]).toEqual([200, 'b', '']);
  });

  test('as event streams are sent at once, piece by piece', async () => {
    let push: (text: string) => void = () => {};
    const server = await start(
      async () =>
        new Response(
          new ReadableStream({
            start(controller) {
              push = (text) => controller.enqueue(new TextEncoder().encode(text));
            },
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    );
    const answer = await fetch(server.url);
    const reader = answer.body?.getReader();
    push('data: 1\n\n');
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: 1\n\n');
    push('data: 2\n\n');
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: 2\n\n');
    await reader?.cancel();
  });

  test('may start before the request was read completely', async () => {
    const server = await start(async (request) => {
      const reader = request.body?.getReader();
      await reader?.read();
      await reader?.cancel();
      return new Response('enough');
    });
    const answer = await fetch(server.url, { method: 'POST', body: 'x'.repeat(500_000) });
    expect(await answer.text()).toBe('enough');
  });

  test('as event streams end at the server when the client disconnects, also while idle', async () => {
    let cancelled = false;
    const server = await start(
      async () =>
        new Response(
          new ReadableStream({
            cancel: () => {
              cancelled = true;
            },
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    );
    await (await fetch(server.url)).body?.cancel();
    await eventually(() => expect(cancelled).toBe(true));
  });

  test('are produced no faster than the client reads, and canceled when it disconnects', async () => {
    let produced = 0;
    let cancelled = false;
    const server = await start(
      async () =>
        new Response(
          new ReadableStream(
            {
              pull(controller) {
                produced++;
                controller.enqueue(new Uint8Array(1024 * 1024));
              },
              cancel() {
                cancelled = true;
              },
            },
            { highWaterMark: 0 },
          ),
        ),
    );
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    sockets.push(socket);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    let before = -1;
    await eventually(() => {
      const now = produced;
      const rests = now > 2 && now === before;
      before = now;
      expect(rests).toBe(true);
    }, 100);
    expect(produced).toBeLessThan(50);
    socket.destroy();
    await eventually(() => expect(cancelled).toBe(true));
  });

  test('are canceled if the client stops reading', async () => {
    let cancelled = false;
    const large = new Uint8Array(32 * 1024 * 1024);
    const server = await start(
      async (request) =>
        request.url.endsWith('/known')
          ? new Response(large)
          : new Response(
              new ReadableStream({
                pull: (controller) => controller.enqueue(large),
                cancel: () => {
                  cancelled = true;
                },
              }),
            ),
      { stalledWriteMs: 200 },
    );
    for (const path of ['/known', '/streamed']) {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      sockets.push(socket);
      socket.pause();
      socket.on('error', () => socket.destroy());
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    }
    await eventually(() => expect(cancelled).toBe(true));
    // Closing would wait for its deadline if one of the two connections were still in use.
    await server.close();
  });

  test('of failing handlers are an error without its message', async () => {
    const errors: Error[] = [];
    const server = await start(() => Promise.reject(new Error('secret')), { onerror: (error) => errors.push(error) });
    const answer = await fetch(server.url);
    expect([answer.status, await answer.text()]).toEqual([500, 'Internal error\n']);
    expect(errors.map(({ message }) => message)).toEqual(['secret']);
  });

  test('send several cookies as several headers, and no connection headers', async () => {
    const server = await start(async () => {
      const headers = new Headers({ connection: 'keep-alive', 'keep-alive': 'timeout=999' });
      headers.append('set-cookie', 'a=1');
      headers.append('set-cookie', 'b=2');
      return new Response('x', { headers });
    });
    const answer = await raw(server, 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(answer).toContain('set-cookie: a=1\r\nset-cookie: b=2');
    expect(answer).not.toContain('timeout=999');
  });
});
