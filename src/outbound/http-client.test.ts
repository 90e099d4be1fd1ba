import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ScriptedHttp, scriptedHttp } from '../../test/scripted-http.ts';
import { limits } from '../limits.ts';
import { createHttpClient, type HttpClientOptions } from './http-client.ts';
import type { HttpClient } from './http-messages.ts';

function clientFor(options: HttpClientOptions = {}): HttpClient {
  const client = createHttpClient({ trustedHost: '127.0.0.1', ...options });
  onTestFinished(() => client.close());
  return client;
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe('request()', () => {
  test('sends method, headers and body, requests plain bytes, and reuses connections', async () => {
    const server = await scriptedHttp((_request, response) => response.writeHead(201, { 'x-a': 'b' }).end('done'));
    const client = clientFor();
    const url = `${server.origin}/a?b=c`;
    for (let count = 0; count < 3; count++) {
      const answer = await client.request({ url, method: 'POST', headers: { 'x-key': 'k' }, body: 'größe' });
      expect([answer.status, answer.headers['x-a'], text(answer.body), answer.url]).toEqual([201, 'b', 'done', url]);
    }
    expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/a?b=c', body: 'größe' });
    expect(server.requests[0]?.headers).toMatchObject({
      'x-key': 'k',
      'accept-encoding': 'identity',
      'content-length': '7',
    });
    expect(server.connections()).toBe(1);
  });

  test('aborts above the size limit, announced or counted', async () => {
    const server = await scriptedHttp(({ path }, response) => {
      if (path === '/announced') response.setHeader('content-length', 100);
      response.write('x'.repeat(60));
      response.end('x'.repeat(40));
    });
    const client = clientFor();
    for (const path of ['/announced', '/counted'])
      await expect(client.request({ url: server.origin + path, maxBytes: 99 })).rejects.toMatchObject({
        code: 'LIMIT_EXCEEDED',
      });
    expect((await client.request({ url: server.origin, maxBytes: 100 })).body).toHaveLength(100);
  });

  test('refuses an unrequested content encoding', async () => {
    const server = await scriptedHttp((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    );
    await expect(clientFor().request({ url: server.origin })).rejects.toMatchObject({ code: 'BAD_ANSWER' });
  });

  test('reports a body that ends early', async () => {
    const server = await scriptedHttp((_request, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('12345', () => response.destroy());
    });
    const failure = clientFor().request({ url: server.origin });
    await expect(failure).rejects.toMatchObject({ code: 'UNREACHABLE', data: { reason: 'TRUNCATED' } });
    await expect(failure).rejects.toThrow('closed after 5 of 10 bytes');
  });

  test('times out at the deadline, before and within the body', async () => {
    const server = await scriptedHttp(({ path }, response) => {
      if (path === '/body') response.write('x');
    });
    const client = clientFor();
    await expect(client.request({ url: server.origin, deadlineMs: 50 })).rejects.toThrow('no response within 50 ms');
    const failure = client.request({ url: `${server.origin}/body`, deadlineMs: 200 });
    await expect(failure).rejects.toMatchObject({ code: 'TIMED_OUT' });
    await expect(failure).rejects.toThrow('only 1 bytes');
  });

  test('aborts a body below the least rate', async () => {
    const server = await scriptedHttp((_request, response) => {
      const drip = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(drip));
    });
    const client = clientFor({ leastRate: { bytesPerSecond: 10_000, graceMs: 100 } });
    await expect(client.request({ url: server.origin })).rejects.toThrow('slower than 10000 bytes per second');
  });

  test('does not apply the least rate to an event stream', async () => {
    const server = await scriptedHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': wait\n');
      setTimeout(() => response.end('data: x\n\n'), 300);
    });
    const client = clientFor({ leastRate: { bytesPerSecond: 10_000, graceMs: 50 } });
    expect(text((await client.request({ url: server.origin })).body)).toBe(': wait\ndata: x\n\n');
  });

  test('stops reading when the caller has enough', async () => {
    const server = await scriptedHttp((_request, response) => {
      response.write('enough');
    });
    const answer = await clientFor().request({ url: server.origin, until: () => true });
    expect(text(answer.body)).toBe('enough');
  });

  test('stops when the caller aborts, also in line', async () => {
    const server = await scriptedHttp(() => {});
    const client = clientFor();
    const controller = new AbortController();
    const running = Array.from({ length: 5 }, () => client.request({ url: server.origin, signal: controller.signal }));
    controller.abort();
    for (const request of running) await expect(request).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await expect(client.request({ url: server.origin, signal: controller.signal })).rejects.toMatchObject({
      code: 'INTERRUPTED',
    });
  });

  test('runs at most four requests per origin at a time', async () => {
    let open = 0;
    let most = 0;
    const server = await scriptedHttp((_request, response) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        response.end();
      }, 20);
    });
    const client = clientFor();
    await Promise.all(Array.from({ length: 12 }, () => client.request({ url: server.origin })));
    expect(most).toBe(limits.outbound.perOrigin);
  });
});

describe('failures', () => {
  test('a closed port is reported as refused', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    const port = await new Promise<number>((resolve) =>
      server.once('listening', () => resolve((server.address() as { port: number }).port)),
    );
    await new Promise((resolve) => server.close(resolve));
    const failure = clientFor().request({ url: `http://127.0.0.1:${port}/x?secret=1` });
    await expect(failure).rejects.toMatchObject({ code: 'UNREACHABLE', data: { reason: 'ECONNREFUSED' } });
    await expect(failure).rejects.toThrow('the connection was refused');
    await expect(failure).rejects.not.toThrow('secret');
  });

  test('something that does not speak HTTP is a bad answer', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => {
      server.close();
    });
    const { port } = server.address() as { port: number };
    await expect(clientFor().request({ url: `http://127.0.0.1:${port}/` })).rejects.toMatchObject({
      code: 'BAD_ANSWER',
    });
  });

  test('https to a port that serves http is reported as such', async () => {
    const server = await scriptedHttp((_request, response) => response.end());
    const failure = clientFor().request({ url: `https://127.0.0.1:${server.port}/` });
    await expect(failure).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await expect(failure).rejects.toThrow('secure connection');
  });

  test('an unknown name is reported as such', async () => {
    const lookup = ((_host: string, _options: object, callback: (error: Error) => void) =>
      callback(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }))) as never;
    const failure = createHttpClient({ lookup }).request({ url: 'https://no-such-host.example/' });
    await expect(failure).rejects.toThrow('no such host name');
  });
});

describe('redirects', () => {
  const redirect = (status: number, to: (scripted: ScriptedHttp) => string) =>
    async function start(): Promise<ScriptedHttp> {
      const server: ScriptedHttp = await scriptedHttp(({ path }, response) => {
        if (path === '/end') response.end('there');
        else response.writeHead(status, { location: to(server) }).end();
      });
      return server;
    };

  test('are followed within the origin, with headers and body', async () => {
    const server = await redirect(307, () => '/end')();
    const answer = await clientFor().request({
      url: `${server.origin}/begin`,
      method: 'POST',
      headers: { authorization: 'Bearer x' },
      body: 'question',
    });
    expect([text(answer.body), answer.url]).toEqual(['there', `${server.origin}/end`]);
    expect(server.requests[1]).toMatchObject({ method: 'POST', body: 'question' });
    expect(server.requests[1]?.headers.authorization).toBe('Bearer x');
  });

  test("to another origin drop the caller's headers", async () => {
    const other = await scriptedHttp((_request, response) => response.end('other'));
    const server = await redirect(302, () => `${other.origin}/end`)();
    const headers = { authorization: 'Bearer x', cookie: 'a=b', 'x-api-key': 'k', accept: 'text/plain' };
    const answer = await clientFor().request({ url: server.origin, headers });
    expect(text(answer.body)).toBe('other');
    expect(answer.url).toBe(`${other.origin}/end`);
    const { authorization, cookie, accept, 'x-api-key': key } = other.requests[0]?.headers ?? {};
    expect([authorization, cookie, key, accept]).toEqual([undefined, undefined, undefined, 'text/plain']);
  });

  test('of a POST to another origin are not followed and name both', async () => {
    const other = await scriptedHttp((_request, response) => response.end());
    const server = await redirect(307, () => other.origin)();
    const failure = clientFor().request({ url: server.origin, method: 'POST', body: 'x' });
    await expect(failure).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
    await expect(failure).rejects.toThrow(`${server.origin}/`);
    await expect(failure).rejects.toThrow(`${other.origin}/`);
    expect(other.requests).toHaveLength(0);
  });

  test('that would turn a POST into a GET are answers', async () => {
    const server = await redirect(302, () => '/end')();
    expect((await clientFor().request({ url: server.origin, method: 'POST', body: 'x' })).status).toBe(302);
  });

  test.each(['http://127.0.0.2:1/', 'https://169.254.169.254/latest/', 'file:///etc/passwd', 'http://example.com/'])(
    'to %s are blocked',
    async (target) => {
      const server = await redirect(301, () => target)();
      await expect(clientFor().request({ url: server.origin })).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
    },
  );

  test('end after five', async () => {
    const server = await redirect(302, () => '/again')();
    await expect(clientFor().request({ url: server.origin })).rejects.toThrow('more than 5 redirects');
    expect(server.requests).toHaveLength(6);
  });

  test('to an invalid URL are a bad answer', async () => {
    const server = await redirect(302, () => 'http://[')();
    await expect(clientFor().request({ url: server.origin })).rejects.toMatchObject({ code: 'BAD_ANSWER' });
  });
});

describe('retries', () => {
  const failing = (times: number, headers: Record<string, string> = {}) =>
    scriptedHttp((_request, response, count) =>
      response.writeHead(count <= times ? 503 : 200, headers).end(String(count)),
    );

  test('happen for requests that may be repeated', async () => {
    const server = await failing(2);
    expect((await clientFor().request({ url: server.origin, idempotent: true })).status).toBe(200);
    expect(server.requests).toHaveLength(3);
  });

  test('do not happen for others', async () => {
    const server = await failing(2);
    expect((await clientFor().request({ url: server.origin })).status).toBe(503);
    expect(server.requests).toHaveLength(1);
  });

  test('end after three', async () => {
    const server = await failing(9, { 'retry-after': '0' });
    expect((await clientFor().request({ url: server.origin, idempotent: true })).status).toBe(503);
    expect(server.requests).toHaveLength(4);
  });

  test('do not happen if the server asks for a longer wait than the limit', async () => {
    const server = await failing(9, { 'retry-after': '1000000000' });
    expect((await clientFor().request({ url: server.origin, idempotent: true })).status).toBe(503);
    expect(server.requests).toHaveLength(1);
  });

  test('happen if the connection breaks', async () => {
    const server = await scriptedHttp((_request, response, count) =>
      count < 3 ? response.destroy() : response.end('ok'),
    );
    expect(text((await clientFor().request({ url: server.origin, idempotent: true })).body)).toBe('ok');
  });

  test('stop when the caller aborts', async () => {
    const server = await failing(9, { 'retry-after': '20' });
    const controller = new AbortController();
    const request = clientFor().request({ url: server.origin, idempotent: true, signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    await expect(request).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});

describe('stream()', () => {
  test('returns the body as it arrives and frees its slot at the end', async () => {
    const server = await scriptedHttp((_request, response) => {
      response.write('a');
      setTimeout(() => response.end('b'), 20);
    });
    const client = clientFor();
    for (let count = 0; count < 6; count++) {
      const parts: string[] = [];
      for await (const part of (await client.stream({ url: server.origin })).body) parts.push(text(part));
      expect(parts.join('')).toBe('ab');
    }
  });

  test('frees its slot when the body is canceled', async () => {
    const server = await scriptedHttp((_request, response) => {
      response.write('a');
    });
    const client = clientFor();
    for (let count = 0; count < 6; count++) await (await client.stream({ url: server.origin })).body.cancel();
  });

  test('errors in the middle when a limit is exceeded', async () => {
    const server = await scriptedHttp((_request, response) => {
      response.write('x'.repeat(50));
      setTimeout(() => response.end('x'.repeat(50)), 50);
    });
    const { body } = await clientFor().stream({ url: server.origin, maxBytes: 60 });
    await expect(new Response(body).text()).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  test('reads no faster than its reader', async () => {
    const size = 8 * 1024 * 1024;
    const server = await scriptedHttp((_request, response) => response.end(Buffer.alloc(size)));
    const { body } = await clientFor().stream({ url: server.origin });
    await new Promise((resolve) => setTimeout(resolve, 100));
    let received = 0;
    for await (const part of body) received += part.length;
    expect(received).toBe(size);
  });
});

describe('fetch()', () => {
  test('responds like fetch', async () => {
    const server = await scriptedHttp(({ path }, response) =>
      path === '/none'
        ? response.writeHead(204).end()
        : response.writeHead(404, { 'set-cookie': ['a', 'b'] }).end('{"a":1}'),
    );
    const client = clientFor();
    const answer = await client.fetch(`${server.origin}/x`, {
      method: 'POST',
      body: new URLSearchParams({ a: 'b c' }),
    });
    expect([answer.status, answer.ok, await answer.json()]).toEqual([404, false, { a: 1 }]);
    expect(answer.headers.getSetCookie()).toEqual(['a', 'b']);
    expect(server.requests[0]).toMatchObject({ method: 'POST', body: 'a=b+c' });
    expect(server.requests[0]?.headers['content-type']).toMatch('application/x-www-form-urlencoded');
    expect((await client.fetch(new URL(`${server.origin}/none`))).body).toBeNull();
    const request = new Request(`${server.origin}/y`, { method: 'PUT', body: 'z', headers: { 'x-a': 'b' } });
    await client.fetch(request);
    expect(server.requests[2]).toMatchObject({ method: 'PUT', body: 'z', headers: { 'x-a': 'b' } });
  });

  test('rejects with the reason of its signal', async () => {
    const server = await scriptedHttp(() => {});
    const reason = new Error('no more');
    const signal = AbortSignal.abort(reason);
    await expect(clientFor().fetch(server.origin, { signal })).rejects.toBe(reason);
  });

  test('applies the rules', async () => {
    await expect(clientFor().fetch('http://192.168.0.1/')).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
    const server = await scriptedHttp((_request, response) => response.end());
    await expect(clientFor().fetch(server.origin, { method: 'POST', body: new FormData() })).rejects.toMatchObject({
      code: 'USAGE',
    });
  });
});
