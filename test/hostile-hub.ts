/** Attacks on a hub that no client would make. */
import { connect } from 'node:net';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { Hub } from './mdp-hub.ts';
import { type Message, registration, type SocketPeer, socketPeer } from './mdp-peer.ts';

/** Tokens of two credentials. */
export const sesame = { tokens: { laptop: 'sesame', phone: 'mellon' } };

/** The server's answer to these bytes, until it closes or has answered enough. */
export function raw(hub: Hub, text: string): Promise<string> {
  const { port } = new URL(hub.url);
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => {
      heard += chunk;
      if (heard.includes('\r\n\r\n')) socket.end();
    });
    socket.on('close', () => resolve(heard));
    socket.on('error', reject);
  });
}

export function upgrade(target: string, headers: Readonly<Record<string, string>>): string {
  const all = {
    Host: '127.0.0.1',
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version': '13',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** A runtime that is registered. */
export async function registered(
  hub: Hub,
  id: string,
  paths?: readonly Message[],
  auth?: Message,
): Promise<SocketPeer> {
  const peer = await socketPeer(hub.ws);
  peer.send(registration(id, paths, auth));
  await eventually(() => expect(hub.handle.mdp?.runtimes.client(id)).toBeDefined());
  return peer;
}

export async function isAlive(hub: Hub): Promise<void> {
  expect((await hub.get('/healthz')).status).toBe(200);
}
