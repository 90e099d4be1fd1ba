import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { echo, raw, sockets, start } from '../../../test/http-servers.ts';
import { refusal } from '../../../test/refusal.ts';
import { limits } from '../../limits.ts';
import { listen } from './http-server.ts';

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe('listening', () => {
  test('on a used port fails with a remedy', async () => {
    const first = await start(echo);
    const port = Number(new URL(first.url).port);
    const error = await refusal(listen({ host: '127.0.0.1', port, routes: echo }));
    expect([error.code, error.data]).toEqual(['ADDRESS_IN_USE', { host: '127.0.0.1', port }]);
    expect(error.message).toContain('--http 0');
  });

  test('on an address of another machine fails with a remedy', async () => {
    const error = await refusal(listen({ host: '192.0.2.1', port: 0, routes: echo, allowUnauthenticatedRemote: true }));
    expect(error.code).toBe('ADDRESS_REFUSED');
  });

  test('beyond loopback needs authentication or explicit permission', async () => {
    const error = await refusal(listen({ host: '0.0.0.0', port: 0, routes: echo }));
    expect(error.code).toBe('ADDRESS_REFUSED');
    expect(error.message).toContain('--allow-unauthenticated-remote');
    const open = await start(echo, { host: '0.0.0.0', allowUnauthenticatedRemote: true });
    expect((await fetch(open.url)).status).toBe(200);
    await start(echo, { host: '0.0.0.0', authenticated: true });
  });
});

test('an idle connection stays longer than the minute after which balancers drop theirs', async () => {
  const server = await start(echo);
  const answer = await raw(server, 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n', /\r\n\r\n/);
  expect(answer).toMatch(/^keep-alive: timeout=75[,\r]/im);
});

describe('closing', () => {
  /** A test that waits for the shutdown deadline fails. */
  const deadline = { timeout: limits.http.shutdownMs - 500 };

  test('answers an open request, and accepts no other', deadline, async () => {
    const started = deferred<void>();
    const release = deferred<Response>();
    const server = await start(() => {
      started.resolve();
      return release.promise;
    });
    const answer = raw(server, 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n', /late/);
    await started.promise;
    const closed = server.close();
    await expect(fetch(server.url)).rejects.toThrow();
    release.resolve(new Response('late'));
    await answer;
    await closed;
    await server.closed;
  });

  test('answers during the drain, and closes each connection after its answer', deadline, async () => {
    const server = await start(echo);
    const request = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n';
    expect(await raw(server, request, /\r\n\r\n/)).toMatch(/connection: keep-alive/i);
    server.drain();
    expect(await raw(server, request, /\r\n\r\n/)).toMatch(/connection: close/i);
    expect((await fetch(server.url)).status).toBe(200);
  });

  test('sends readers of streams the time to reconnect', deadline, async () => {
    let end: () => void = () => {};
    const server = await start(
      async () =>
        new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode('data: 1\n\n'));
              end = () => controller.close();
            },
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    );
    const reader = (await fetch(server.url)).body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('data: 1\n\n');
    const closed = server.close(async () => end());
    let rest = '';
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) rest += next.value;
    expect(rest).toMatch(/^retry: 1\d{3}\n\n$|^retry: 2000\n\n$/);
    await closed;
  });

  test('ends streams through the given function, once', deadline, async () => {
    let end: () => void = () => {};
    const server = await start(
      async () =>
        new Response(
          new ReadableStream({
            start(controller) {
              end = () => controller.close();
            },
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    );
    const answer = await fetch(server.url);
    let calls = 0;
    const endStreams = async (): Promise<void> => {
      calls++;
      end();
    };
    await Promise.all([server.close(endStreams), server.close(endStreams), answer.text()]);
    expect(calls).toBe(1);
  });

  test('does not wait for idle or silent connections', deadline, async () => {
    const server = await start(echo);
    const silent = connect(Number(new URL(server.url).port), '127.0.0.1');
    sockets.push(silent);
    await once(silent, 'connect');
    await raw(server, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', /"method"/);
    await server.close();
  });
});
