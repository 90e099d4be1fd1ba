/** Sends anything to the hub: it answers or closes the connection, never exits, and does not leak. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { soakFactor } from '../soak-factor.ts';
import { type ServedHub, serveHub } from './served-hub.ts';

const messagesPerRun = 20;
const runs = 500 * soakFactor;

/** Values that sit at borders, beside ordinary ones. */
const unusual = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(null, '', -1, 1e308, [], {}, 'GET', '/a/skill.md', '__proto__', '\u0000', '\ud800', '4000'),
);
const id = fc.constantFrom('a', 'b', 'skillwire', 'c/d', ' ', '\u202e', '__proto__', 'x'.repeat(300));
const path = fc.oneof(
  fc.constantFrom(
    '/a/skill.md',
    '/skill.md',
    '/:x/skill.md',
    '/SKILL.md',
    '/A/skill.md',
    '//skill.md',
    '/a/prompt.md',
    '/e',
  ),
  fc.string(),
);
const descriptor = fc.record(
  {
    type: fc.constantFrom('skill', 'prompt', 'endpoint', 'tool'),
    path,
    method: fc.constantFrom('GET', 'POST', 'HEAD'),
    description: fc.oneof(fc.string(), unusual),
    contentType: fc.oneof(fc.constant('text/markdown'), unusual),
    _meta: unusual,
  },
  { requiredKeys: ['type', 'path'] },
);
const goodSkill = fc.record({ type: fc.constant('skill'), path: fc.constantFrom('/a/skill.md', '/b/:x/skill.md') });
const paths = fc.oneof(fc.array(goodSkill, { maxLength: 5 }), fc.array(descriptor, { maxLength: 5 }), unusual);
const message = fc.oneof(
  fc.record({ type: fc.constant('registerClient'), client: fc.record({ id, name: fc.string(), paths }) }),
  fc.record({ type: fc.constant('registerClient'), client: unusual, auth: unusual }),
  fc.record({ type: fc.constant('updateClientCatalog'), clientId: id, paths }),
  fc.record({ type: fc.constant('unregisterClient'), clientId: id }),
  fc.record({
    type: fc.constant('callClientResult'),
    requestId: fc.oneof(fc.uuid(), unusual),
    ok: unusual,
    data: unusual,
    error: unusual,
  }),
  fc.record({
    type: fc.constantFrom('ping', 'pong', 'callClient', 'hello'),
    timestamp: fc.oneof(fc.integer(), unusual),
  }),
);
const frame = fc.oneof(
  { weight: 8, arbitrary: message.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.nat(2_000).map((depth) => '['.repeat(depth)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
);
type Frame = string | Uint8Array;

/** The number of messages sent before the hub closed. */
async function overSocket({ ws }: ServedHub, frames: readonly Frame[]): Promise<void> {
  for (let sent = 0; sent < frames.length; ) {
    const socket = new WebSocket(ws);
    socket.on('error', () => {});
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    const ended = new Promise((resolve) => socket.once('close', resolve));
    // A pong proves that all earlier messages were read; otherwise the hub closes.
    while (sent < frames.length && socket.readyState === WebSocket.OPEN) {
      socket.send(frames[sent] as Frame);
      sent++;
      socket.send('{"type":"ping","timestamp":1}');
      await Promise.race([new Promise((resolve) => socket.once('message', resolve)), ended]);
    }
    socket.terminate();
    await ended;
  }
}

async function overLoop({ url }: ServedHub, frames: readonly Frame[]): Promise<void> {
  const at = `${url}/mdp/http-loop`;
  const post = (step: string, body: BodyInit): Promise<Response> => fetch(`${at}/${step}`, { method: 'POST', body });
  let session = '';
  for (const one of frames) {
    if (session === '') session = ((await (await post('connect', '{}')).json()) as { sessionId: string }).sessionId;
    const body = typeof one === 'string' && one.startsWith('{"type"') ? `{"message":${one}}` : (one as BodyInit);
    const { status } = await post(`send?sessionId=${session}`, body);
    expect([202, 400, 404]).toContain(status);
    if (status === 404) session = '';
  }
  if (session !== '') await post(`disconnect?sessionId=${session}`, '');
}

/** Addresses that look like ours. */
async function overRoutes({ url }: ServedHub, frames: readonly Frame[]): Promise<void> {
  for (const [index, one] of frames.entries()) {
    const text = typeof one === 'string' ? one : String.fromCharCode(...one);
    const target = text.slice(0, 200).replaceAll(/[\s#?]|\p{Surrogate}/gu, '');
    const base = ['/skills/a/', '/mdp/', '/skills/'][index % 3];
    const { status } = await fetch(`${url}${base}${target}`, { redirect: 'manual' });
    expect([200, 204, 400, 404, 405, 502]).toContain(status);
  }
}

test(`${runs * messagesPerRun} messages of any kind leave the hub alive and its memory flat`, {
  timeout: 1_800_000,
}, async () => {
  await using hub = await serveHub();
  let count = 0;
  const memory: number[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.array(frame, { minLength: messagesPerRun, maxLength: messagesPerRun }),
      fc.constantFrom(overSocket, overSocket, overLoop, overRoutes),
      async (frames, send) => {
        await send(hub, frames);
        count++;
        if (count % Math.ceil(runs / 3) === 0) memory.push(hub.memory());
        expect(await hub.isAlive()).toBe(true);
      },
    ),
    { numRuns: runs, endOnFailure: true },
  );
  expect(hub.process.stderr()).not.toMatch(/Internal error|TypeError|RangeError/);
  // After the first third the process has its usual memory. A heap may still grow once; a leak grows in every part.
  const [first = 0, second = 0] = memory;
  expect(Math.min(second - first, hub.memory() - second)).toBeLessThan(30);
  const clients = (await (await fetch(`${hub.url}/mdp/clients`)).json()) as { clients: unknown[] };
  expect(clients.clients).toEqual([]);
});
