import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { memorySource } from '../sources/memory.ts';
import { serve } from './serve.ts';

const loopback = { host: '127.0.0.1', port: 0 };

describe('serve() with runtimes', () => {
  test('accepts them on the HTTP port, or on a separate one', async () => {
    const shared = await serve({ source: memorySource(), http: loopback, mdp: {} });
    expect(shared.mdp?.url).toBe(shared.url?.replace('http', 'ws'));
    await shared.close();
    const apart = await serve({ source: memorySource(), http: loopback, mdp: { listen: loopback, label: 'live' } });
    expect(apart.mdp?.url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
    expect(apart.mdp?.url.replace('ws', 'http')).not.toBe(apart.url);
    expect((await fetch(`${apart.url}/mdp/meta`)).status).toBe(404);
    expect((await fetch(`${apart.mdp?.url.replace('ws', 'http')}/mdp/meta`)).status).toBe(200);
    await apart.close();
  });

  test('refuses them over stdio without an address', async () => {
    await expect(serve({ source: memorySource(), stdio: true, mdp: {} })).rejects.toMatchObject({ code: 'USAGE' });
  });

  test('refuses addresses beyond loopback without a token, and without permission for readers', async () => {
    const remote = { host: '0.0.0.0', port: 0 };
    const start = (mdp: object): Promise<unknown> => serve({ source: memorySource(), http: loopback, mdp });
    await expect(start({ listen: remote })).rejects.toThrow('--mdp-token-env');
    await expect(start({ listen: remote, tokens: { a: 'b' } })).rejects.toThrow('--allow-unauthenticated-remote');
  });

  test('names the option of a used port, and leaves nothing open', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const taken = { host: '127.0.0.1', port };
    await expect(serve({ source: memorySource(), http: loopback, mdp: { listen: taken } })).rejects.toThrow(
      '--mdp-port 0',
    );
    await expect(serve({ source: memorySource(), http: taken, mdp: { listen: loopback } })).rejects.toThrow('--http 0');
    await new Promise((resolve) => other.close(resolve));
  });

  test('ignores other upgrade requests if there are no runtimes', async () => {
    const handle = await serve({ source: memorySource(), http: loopback });
    const socket = new WebSocket(handle.url?.replace('http', 'ws') ?? '');
    const status = await new Promise((resolve) => {
      socket.on('unexpected-response', (_, response) => resolve(response.statusCode));
      socket.on('error', () => {});
    });
    expect(status).toBe(200);
    socket.terminate();
    await handle.close();
  });
});
