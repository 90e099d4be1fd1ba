/** Fixtures on both transports: the messages that an unmodified client of MDP 2.2.0 sends and expects. */
import { describe, expect, test } from 'vitest';
import type { RuntimeCall } from '../../../src/runtimes/runtime-registry.ts';
import { eventually } from '../../eventually.ts';
import { type Hub, openHub } from '../../mdp-hub.ts';
import { type Connect, type Message, type Peer, registration, skill, socketPeer, transports } from '../../mdp-peer.ts';

const get = (clientId: string, path = '/a/skill.md'): RuntimeCall => ({ clientId, method: 'GET', path });

function registryOf({ handle }: Hub): NonNullable<Hub['handle']['mdp']>['runtimes'] {
  if (handle.mdp === undefined) throw new Error('no runtimes');
  return handle.mdp.runtimes;
}

async function register(hub: Hub, connect: Connect, id: string, paths?: readonly Message[]): Promise<Peer> {
  const peer = await connect(hub.ws);
  peer.send(registration(id, paths));
  await hub.registered(id);
  return peer;
}

describe.each(transports)('over %s', (mode, connect) => {
  test('a registration is listed with all its fields, also unknown ones', async () => {
    await using hub = await openHub();
    const described = { ...skill('/workspace/review/skill.md'), digest: 'x', _meta: { 'example.org/a': 1 } };
    const peer = await connect(hub.ws);
    const client = {
      id: 'lab',
      name: 'Lab',
      version: '1.2.3',
      platform: 'node',
      metadata: { k: 1 },
      paths: [described],
    };
    peer.send({ type: 'registerClient', client });
    await hub.registered('lab');
    expect(registryOf(hub).client('lab')).toMatchObject({
      ...client,
      connection: { mode, secure: false, authSource: 'none' },
    });
    await peer.close();
    await hub.registered();
  });

  test('a ping gets a pong with its timestamp', async () => {
    await using hub = await openHub();
    const peer = await connect(hub.ws);
    peer.send({ type: 'ping', timestamp: 1794768217987 });
    expect(await peer.next('pong')).toEqual({ type: 'pong', timestamp: 1794768217987 });
    await peer.close();
  });

  test('the hub pings', async () => {
    await using hub = await openHub({ bounds: { pingMs: 40 } });
    const peer = await register(hub, connect, 'lab');
    const { timestamp } = await peer.next('ping');
    peer.send({ type: 'pong', timestamp });
    await peer.close();
  });

  test('an update replaces the whole catalog, to nothing and back', async () => {
    await using hub = await openHub();
    const peer = await register(hub, connect, 'lab');
    const paths = (): unknown => registryOf(hub).client('lab')?.paths;
    peer.send({ type: 'updateClientCatalog', clientId: 'lab', paths: [] });
    await eventually(() => expect(paths()).toEqual([]));
    peer.send({ type: 'updateClientCatalog', clientId: 'lab', paths: [skill('/b/skill.md')] });
    await eventually(() => expect(paths()).toEqual([skill('/b/skill.md')]));
    await peer.close();
  });

  test('an unregistered runtime is gone, and may register again', async () => {
    await using hub = await openHub();
    const peer = await register(hub, connect, 'lab');
    peer.send({ type: 'unregisterClient', clientId: 'lab' });
    await hub.registered();
    peer.send(registration('lab'));
    await hub.registered('lab');
    expect(peer.closed).toBeUndefined();
    await peer.close();
  });

  test('endpoints and prompts are accepted and stored', async () => {
    await using hub = await openHub();
    const endpoint = { type: 'endpoint', path: '/search', method: 'POST', inputSchema: { type: 'object' } };
    const prompt = { type: 'prompt', path: '/review/prompt.md', description: 'Reviews' };
    const peer = await register(hub, connect, 'mixed', [endpoint, prompt, skill('/a/skill.md')]);
    expect(registryOf(hub).client('mixed')?.paths).toEqual([endpoint, prompt, skill('/a/skill.md')]);
    await peer.close();
  });

  test("a call has the path, an object of params and the caller's input, and returns its result", async () => {
    await using hub = await openHub();
    const peer = await register(hub, connect, 'lab', [skill('/items/:item_id/skill.md')]);
    const query = { topic: 'mdp', n: 3 };
    const headers = { 'x-review-scope': 'all' };
    const outcome = registryOf(hub).call({ ...get('lab', '/items/42/skill.md'), query, headers });
    const call = await peer.next('callClient');
    expect(call).toEqual({
      type: 'callClient',
      requestId: call.requestId,
      clientId: 'lab',
      method: 'GET',
      path: '/items/42/skill.md',
      params: { item_id: '42' },
      query,
      headers,
    });
    peer.send({ type: 'callClientResult', requestId: call.requestId, ok: true, data: '# Files\n' });
    expect(await outcome).toEqual({ ok: true, data: '# Files\n' });
    await peer.close();
  });

  const results: readonly [string, Message, unknown][] = [
    ['no data', { ok: true }, { ok: true }],
    ['data that is no text', { ok: true, data: [1, null] }, { ok: true, data: [1, null] }],
    [
      'an error of the handler',
      { ok: false, error: { code: 'handler_error', message: 'kaput' } },
      { ok: false, error: { code: 'handler_error', message: 'kaput' } },
    ],
    ['an error without a word', { ok: false }, { ok: false, error: { message: 'Unknown client error' } }],
  ];
  test.each(results)('a result with %s is passed on', async (_, result, expected) => {
    await using hub = await openHub();
    const peer = await register(hub, connect, 'lab');
    const outcome = registryOf(hub).call(get('lab'));
    const { requestId } = await peer.next('callClient');
    peer.send({ type: 'callClientResult', requestId, ...result });
    expect(await outcome).toMatchObject(expected as Message);
    await peer.close();
  });

  test('a call without an answer ends with the message of the reference', async () => {
    await using hub = await openHub({ bounds: { callMs: 50 } });
    const peer = await register(hub, connect, 'lab');
    expect(await registryOf(hub).call(get('lab'))).toMatchObject({
      hub: 'timeout',
      error: { code: 'timeout', message: 'Invocation timed out for client "lab"' },
    });
    await peer.close();
  });

  test('a runtime that leaves during a call ends the call', async () => {
    await using hub = await openHub();
    const peer = await register(hub, connect, 'lab');
    const outcome = registryOf(hub).call(get('lab'));
    await peer.next('callClient');
    await peer.close();
    expect(await outcome).toMatchObject({ hub: 'gone', error: { message: 'Client "lab" disconnected' } });
  });

  test('unregistering and registering under another id end the calls of the old one', async () => {
    await using hub = await openHub();
    const peer = await register(hub, connect, 'lab');
    const first = registryOf(hub).call(get('lab'));
    await peer.next('callClient');
    peer.send({ type: 'unregisterClient', clientId: 'lab' });
    expect(await first).toMatchObject({ error: { message: 'Client "lab" was unregistered' } });
    peer.send(registration('lab'));
    await hub.registered('lab');
    const second = registryOf(hub).call(get('lab'));
    await peer.next('callClient');
    peer.send(registration('other'));
    expect(await second).toMatchObject({ error: { message: 'Client "lab" was re-registered as "other"' } });
    await hub.registered('other');
    await peer.close();
  });

  test('the same id on another connection replaces the first, which is closed with 4000', async () => {
    await using hub = await openHub();
    const first = await register(hub, connect, 'lab', [skill('/old/skill.md')]);
    const second = await connect(hub.ws);
    second.send(registration('lab', [skill('/new/skill.md')]));
    await eventually(() => expect(first.closed).toBeDefined());
    if (mode === 'ws') expect(first.closed).toEqual({ code: 4000, reason: 'Replaced by newer client session' });
    else expect(first.closed).toEqual({ status: 404 });
    expect(registryOf(hub).client('lab')?.paths).toEqual([skill('/new/skill.md')]);
    await second.close();
  });

  test.each<[string, unknown]>([
    ['an unknown type', { type: 'hello' }],
    [
      'a message for a client',
      { type: 'callClient', requestId: '1', clientId: 'a', method: 'GET', path: '/a/skill.md' },
    ],
    ['no object', 7],
    ['a bad path', registration('bad', [skill('/Upper/skill.md')])],
    ['a type that is not that of the path', registration('bad', [{ type: 'prompt', path: '/a/skill.md' }])],
    ['a client without a name', { type: 'registerClient', client: { id: 'x', paths: [] } }],
    [
      'an error code that does not exist',
      { type: 'callClientResult', requestId: '1', ok: false, error: { code: 'oops', message: '' } },
    ],
    ['a HEAD endpoint', registration('bad', [{ type: 'endpoint', path: '/x', method: 'HEAD' }])],
  ])('%s is refused, and the hub continues', async (_, message) => {
    await using hub = await openHub();
    const peer = await connect(hub.ws);
    peer.send(message);
    await eventually(() => expect(peer.closed).toMatchObject(mode === 'ws' ? { code: 1008 } : { status: 400 }));
    expect(peer.closed?.reason).not.toBe('');
    const other = await register(hub, connect, 'fine');
    await other.close();
  });

  test('a catalog for an id that is not registered on the connection is refused, and ends it', async () => {
    await using hub = await openHub();
    const peer = await connect(hub.ws);
    peer.send({ type: 'updateClientCatalog', clientId: 'x', paths: [] });
    await eventually(() => expect(peer.closed?.reason).toBe('Client "x" is not registered on this session'));
    if (mode === 'http-loop') expect(peer.closed?.status).toBe(400);
  });
});

test('a WebSocket with a silent peer is closed', async () => {
  await using hub = await openHub({ bounds: { pingMs: 40, silentMs: 200 } });
  const peer = await register(hub, socketPeer, 'lab');
  await eventually(() => expect(peer.closed).toMatchObject({ code: 1000 }));
  await hub.registered();
});

test('a session of the HTTP loop that is not polled ends', async () => {
  await using hub = await openHub({ bounds: { pingMs: 40, silentMs: 200 } });
  const headers = { 'content-type': 'application/json' };
  const connected = await hub.get('/mdp/http-loop/connect', { method: 'POST', headers, body: '{}' });
  const { sessionId } = (await connected.json()) as { sessionId: string };
  const body = JSON.stringify({ message: registration('lab') });
  await hub.get(`/mdp/http-loop/send?sessionId=${sessionId}`, { method: 'POST', headers, body });
  await hub.registered('lab');
  await hub.registered();
  expect((await hub.get(`/mdp/http-loop/poll?sessionId=${sessionId}`)).status).toBe(404);
});
