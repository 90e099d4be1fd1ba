/** The limit on open event streams, on real sockets. */
import { type ClientRequest, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { limits } from '../../limits.ts';
import { memorySource } from '../../sources/memory.ts';
import { serve } from '../serve.ts';

const { eventStreams, eventStreamsPerClient } = limits.page;
const behindProxy = { host: 'skills.example.com' };

interface Followed {
  readonly status: number;
  readonly sent: ClientRequest;
}

async function server(): Promise<(headers?: Readonly<Record<string, string>>) => Promise<Followed>> {
  const http = { host: '127.0.0.1', port: 0, allowedHosts: ['skills.example.com'] };
  const handle = await serve({ source: memorySource(), http });
  onTestFinished(() => handle.close());
  return (headers = {}) =>
    new Promise((resolve, reject) => {
      const sent = request(`${handle.url}/api/events`, { agent: false, headers });
      onTestFinished(() => {
        sent.destroy();
      });
      sent.on('error', reject);
      sent.on('response', (answer) => {
        answer.on('error', () => {}).resume();
        resolve({ status: answer.statusCode ?? 0, sent });
      });
      sent.end();
    });
}

async function statuses(count: number, follow: () => Promise<Followed>): Promise<readonly number[]> {
  return (await Promise.all(Array.from({ length: count }, follow))).map(({ status }) => status);
}

const count = (all: readonly number[], status: number): number => all.filter((one) => one === status).length;

test('one client cannot take all streams, and gets its place back', async () => {
  const follow = await server();
  const first = await follow();
  const others = await statuses(eventStreamsPerClient + 5, follow);
  expect([first.status, count(others, 200), count(others, 503)]).toEqual([200, eventStreamsPerClient - 1, 6]);
  expect((await follow(behindProxy)).status).toBe(200);
  first.sent.destroy();
  await eventually(async () => expect((await follow()).status).toBe(200));
});

test('clients behind a proxy leave room for one on this machine', async () => {
  const follow = await server();
  const proxied = await statuses(eventStreams, () => follow(behindProxy));
  expect(count(proxied, 200)).toBe(eventStreams - eventStreamsPerClient);
  expect((await follow()).status).toBe(200);
});
