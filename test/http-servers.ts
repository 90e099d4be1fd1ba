/** Servers on sockets of their own, closed after each test, and requests as bytes. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect } from 'vitest';
import { type HttpServer, type ListenOptions, listen } from '../src/node/http/http-server.ts';
import { eventually } from './eventually.ts';

const servers: HttpServer[] = [];
/** Those that a test opened itself are put here. */
export const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

export async function start(
  routes: ListenOptions['routes'],
  options: Partial<ListenOptions> = {},
): Promise<HttpServer> {
  const server = await listen({ host: '127.0.0.1', port: 0, routes, ...options });
  servers.push(server);
  return server;
}

export const echo: ListenOptions['routes'] = async (request) =>
  Response.json({
    method: request.method,
    url: request.url,
    length: (await request.arrayBuffer()).byteLength,
    header: request.headers.get('x-test'),
  });

/** Sends bytes as they are and collects what comes back until the server closes or `until` matches. */
export async function raw(server: HttpServer, text: string, until?: RegExp): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.on('error', () => socket.destroy());
  socket.write(text);
  if (until === undefined) await once(socket, 'close');
  else await eventually(() => expect(received).toMatch(until));
  return received;
}
