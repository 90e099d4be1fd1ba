/** Limits on what one address, and all together, may have open at a server, on real sockets (sec:M-11, sec:M-15). */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { type HttpServer, listen } from './http-server.ts';
import { capNames, type ServeLimits, serverCaps } from './server-caps.ts';

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of open.splice(0).reverse()) await end();
});

async function serve(limits: ServeLimits): Promise<HttpServer> {
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    limits,
    async routes(request) {
      if (!request.url.endsWith('/stream')) return new Response('hello');
      let own: ReadableStreamDefaultController<Uint8Array>;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          own = controller;
          streams.add(own);
        },
        cancel() {
          streams.delete(own);
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  const endStreams = async (): Promise<void> => {
    for (const stream of streams) stream.close();
  };
  open.push(() => server.close(endStreams));
  return server;
}

async function connected({ url }: HttpServer): Promise<{ socket: Socket; text(): string; closed: Promise<unknown> }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let seen = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    seen += chunk;
  });
  socket.on('error', () => undefined);
  open.push(() => socket.destroy());
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return { socket, text: () => seen, closed };
}

const request = (target = '/'): string => `GET ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;

test('a connection above the limit of its address is answered and closed; another one is accepted when one ends', async () => {
  const server = await serve({ connectionsPerAddress: 2 });
  const [first, second] = [await connected(server), await connected(server)];
  for (const { socket } of [first, second]) socket.write(request());
  await eventually(() => expect([first.text(), second.text()].join()).toMatch(/hello[\s\S]*hello/));
  const third = await connected(server);
  third.socket.write(request());
  await third.closed;
  expect(third.text()).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 5[\s\S]*Too many connections/);
  first.socket.end();
  await first.closed;
  await eventually(async () => {
    const again = await connected(server);
    again.socket.write(request());
    await eventually(() => expect(again.text()).toMatch(/^HTTP/));
    expect(again.text()).toMatch(/^HTTP\/1\.1 200/);
  });
});

test('an idle connection above the limit is closed after a moment', async () => {
  const server = await serve({ connectionsPerAddress: 1 });
  await connected(server);
  const silent = await connected(server);
  await silent.closed;
  expect(silent.text()).toBe('');
});

test('a stream above the limit of its address is refused, other requests are not, and a new one is accepted when one ends', async () => {
  const server = await serve({ streamsPerAddress: 1 });
  const abort = new AbortController();
  const first = await fetch(`${server.url}/stream`, { signal: abort.signal });
  expect(first.status).toBe(200);
  const second = await fetch(`${server.url}/stream`);
  expect([second.status, second.headers.get('retry-after'), await second.text()]).toEqual([
    429,
    '5',
    'Too many streams are open from this address. Close one first.\n',
  ]);
  expect((await fetch(server.url)).status).toBe(200);
  abort.abort();
  await eventually(async () => {
    const again = await fetch(`${server.url}/stream`);
    expect(again.status).toBe(200);
  });
});

/** One more of each than a server with room for one may have. */
const beyond = {
  connections: overConnections,
  connectionsPerAddress: overConnections,
  streams: overStreams,
  streamsPerAddress: overStreams,
} as const;

async function overConnections(server: HttpServer): Promise<string> {
  await connected(server);
  const second = await connected(server);
  second.socket.write(request());
  await second.closed;
  return second.text();
}

async function overStreams(server: HttpServer): Promise<string> {
  const first = await connected(server);
  first.socket.write(request('/stream'));
  await eventually(() => expect(first.text()).toMatch(/^HTTP\/1\.1 200/));
  const second = await connected(server);
  second.socket.write(request('/stream'));
  await eventually(() => expect(second.text()).toMatch(/\n\r?\n[\s\S]*\n/));
  return second.text();
}

test.each(capNames.filter((name) => name !== 'sessions'))(
  'beyond %s there is one answer for each kind',
  async (name) => {
    const { status, text } = serverCaps[name].answer;
    expect(status).toBe(name.endsWith('PerAddress') ? 429 : 503);
    const answer = await beyond[name](await serve({ [name]: 1 }));
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain('retry-after: 5\r\n');
    expect(answer).toContain(text);
  },
);

test.each([
  ['connections', 503],
  ['connectionsPerAddress', 429],
] as const)('beyond %s an upgrade gets the same answer', async (name, status) => {
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    limits: { [name]: 1 },
    routes: async () => new Response(),
    upgrade: (_, socket) => socket.destroy(),
  });
  open.push(() => server.close());
  await connected(server);
  const second = await connected(server);
  second.socket.write('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
  await second.closed;
  expect(second.text()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*retry-after: 5`));
});
