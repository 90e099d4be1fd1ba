/** Faults that every hub of WebSockets meets, each with an input that shows it: `sec:K-n`. */
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { limits } from '../../../src/limits.ts';
import { eventually } from '../../eventually.ts';
import { isAlive, raw, registered, sesame, upgrade } from '../../hostile-hub.ts';
import { openHub } from '../../mdp-hub.ts';
import { answering, loopPeer, type Message, registration, type SocketPeer, skill, socketPeer } from '../../mdp-peer.ts';
import { verifies } from '../../requirements/verifies.ts';

verifies(['sec:K-1', 'mdp:9.3'], 'foreign hosts and origins are refused before the upgrade', async () => {
  await using hub = await openHub();
  expect(await raw(hub, upgrade('/', { Host: 'evil.example' }))).toMatch(/^HTTP\/1\.1 403 /);
  expect(await raw(hub, upgrade('/', { Origin: 'https://evil.example' }))).toMatch(/^HTTP\/1\.1 403 /);
  expect(await raw(hub, upgrade('/', { Origin: 'null' }))).toMatch(/^HTTP\/1\.1 403 /);
  for (const path of ['/skills/lab/a', '/mdp/clients', '/mdp/skills', '/mdp/meta', '/mdp/http-loop/connect'])
    expect((await hub.get(path, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  expect(await raw(hub, upgrade('/', { Origin: 'http://localhost:3000' }))).toMatch(/^HTTP\/1\.1 101 /);
});

verifies(['sec:K-1'], 'a token is read from headers and subprotocols, never from the address', async () => {
  await using hub = await openHub(sesame);
  for (const target of ['/?token=sesame', '/?access_token=sesame'])
    expect(await raw(hub, upgrade(target, {}))).toMatch(/^HTTP\/1\.1 401 /);
  await expect(loopPeer(hub.url, { headers: { authorization: 'Bearer wrong' } })).rejects.toThrow('401');
  await expect(socketPeer(hub.ws, { headers: { authorization: 'Bearer wrong' } })).rejects.toThrow('401');
  await expect(socketPeer(hub.ws, { protocols: ['mdp', 'mdp.token.wrong'] })).rejects.toThrow('401');
  const peers = [
    await socketPeer(hub.ws, { headers: { authorization: 'bearer sesame' } }),
    await socketPeer(hub.ws, { headers: { 'x-mdp-auth-token': 'sesame' } }),
    await socketPeer(hub.ws, { protocols: ['mdp', 'mdp.token.sesame'] }),
  ];
  expect(peers[2]?.socket.protocol).toBe('mdp');
  for (const [index, peer] of peers.entries()) peer.send(registration(`lab-${index}`));
  await hub.registered('lab-0', 'lab-1', 'lab-2');
});

verifies(['sec:K-2'], 'a message over the limit, and one in too many pieces, end the connection', async () => {
  await using hub = await openHub();
  const large = await socketPeer(hub.ws);
  large.send(`"${'x'.repeat(limits.runtimes.messageBytes)}"`);
  await eventually(() => expect(large.closed?.code).toBe(1009));
  const pieces = await socketPeer(hub.ws);
  for (let count = 0; count <= limits.runtimes.fragments; count++) pieces.socket.send(' ', { fin: false });
  await eventually(() => expect(pieces.closed?.code).toBe(1008));
  const offered = await raw(hub, upgrade('/', { 'Sec-WebSocket-Extensions': 'permessage-deflate' }));
  expect(offered).toMatch(/^HTTP\/1\.1 101 /);
  expect(offered.toLowerCase()).not.toContain('permessage-deflate');
  const body = '"'.padEnd(limits.runtimes.messageBytes + 1, 'x');
  expect((await hub.get('/mdp/http-loop/connect', { method: 'POST', body })).status).toBe(413);
  await isAlive(hub);
});

verifies(['sec:K-3'], 'a runtime that does not read gets no more calls and is closed', async () => {
  await using hub = await openHub({ bounds: { slowMs: 100, shutdownMs: 100 } });
  const peer = await registered(hub, 'deaf', [{ type: 'endpoint', path: '/x', method: 'POST' }]);
  peer.socket.pause();
  const body = 'x'.repeat(900_000);
  const calls: Promise<{ readonly ok: boolean; readonly hub?: string }>[] = [];
  const call = { clientId: 'deaf', method: 'POST', path: '/x', body } as const;
  for (let count = 0; count < 20; count++) {
    const made = hub.handle.mdp?.runtimes.call(call);
    if (made !== undefined) calls.push(made);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const outcomes = await Promise.all(calls);
  expect(outcomes.map((outcome) => outcome.hub)).toContain('busy');
  await hub.registered();
});

verifies(['sec:K-4'], 'a peer that does not answer socket pings is dropped', async () => {
  await using hub = await openHub({ bounds: { socketPingMs: 50 } });
  const socket = new WebSocket(hub.ws, { autoPong: false });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify(registration('half-open')));
  await eventually(() => expect(socket.readyState).toBe(WebSocket.CLOSED));
  await hub.registered();
});

verifies(
  ['sec:K-5'],
  'too many messages, too many pings and too many sessions of a token are refused with the reason',
  async () => {
    await using hub = await openHub({
      ...sesame,
      bounds: { messageBurst: 5, messagesPerSecond: 1, sessionsPerCredential: 2 },
    });
    const chatty = await socketPeer(hub.ws, { headers: { authorization: 'Bearer sesame' } });
    for (let count = 0; count < 7; count++) chatty.send({ type: 'pong', timestamp: count });
    await eventually(() => expect(chatty.closed?.code).toBe(1008));
    expect(chatty.closed?.reason).toContain('messages per second');
    const pinging = await socketPeer(hub.ws, { headers: { authorization: 'Bearer sesame' } });
    for (let count = 0; count < limits.runtimes.messageBurst + 60; count++) pinging.socket.ping();
    await eventually(() => expect(pinging.closed?.code).toBe(1008));
    const one = await socketPeer(hub.ws, { headers: { authorization: 'Bearer sesame' } });
    await socketPeer(hub.ws, { headers: { authorization: 'Bearer sesame' } });
    await expect(socketPeer(hub.ws, { headers: { authorization: 'Bearer sesame' } })).rejects.toThrow('503');
    const byMessage = await socketPeer(hub.ws);
    byMessage.send(registration('third', undefined, { token: 'sesame' }));
    await eventually(() => expect(byMessage.closed?.reason).toContain('one token'));
    await socketPeer(hub.ws, { headers: { authorization: 'Bearer mellon' } });
    expect(one.closed).toBeUndefined();
  },
);

verifies(['sec:K-5'], 'beyond loopback each address has a limited number of connections', async () => {
  await using hub = await openHub(sesame, '0.0.0.0');
  const headers = { authorization: 'Bearer sesame' };
  const { socketsPerAddress, sessionsPerCredential } = limits.runtimes;
  const peers: SocketPeer[] = [];
  for (let count = 0; count < socketsPerAddress; count++)
    peers.push(await socketPeer(hub.ws, count < sessionsPerCredential ? { headers } : {}));
  await expect(socketPeer(hub.ws)).rejects.toThrow('429');
  await peers.pop()?.close();
  await eventually(() => socketPeer(hub.ws));
});

verifies(['sec:K-5'], 'requested answers do not count as messages', async () => {
  await using hub = await openHub({ bounds: { messageBurst: 5, messagesPerSecond: 1 } });
  const peer = await registered(hub, 'busy');
  answering(peer, () => ({ ok: true, data: 'x' }));
  for (let count = 0; count < 20; count++) expect((await hub.get('/skills/busy/a')).status).toBe(200);
});

verifies(['sec:K-6'], 'a message that is not text, UTF-8 or JSON, or too deep, is refused with its code', async () => {
  await using hub = await openHub();
  const cases: readonly [code: number, reason: string, say: (socket: WebSocket) => void][] = [
    [1003, 'Binary frames are not supported', (socket) => socket.send(new Uint8Array([1, 2]))],
    [1007, '', (socket) => socket.send(Buffer.from([0xff, 0xfe]), { binary: false })],
    [1008, 'the message is not JSON', (socket) => socket.send('{"type":')],
    [1008, 'JSON nested deeper than 64 levels', (socket) => socket.send('['.repeat(100_000))],
    [1008, 'this type of message is not for a server', (socket) => socket.send('{"type":"callClient"}')],
  ];
  for (const [code, reason, say] of cases) {
    const peer = await socketPeer(hub.ws);
    say(peer.socket);
    await eventually(() => expect(peer.closed).toEqual({ code, reason }));
  }
  await isAlive(hub);
});

verifies(
  ['sec:K-7'],
  'a runtime above the limit learns when to retry, and a registration restores everything',
  async () => {
    await using hub = await openHub({ bounds: { sessions: 1 } });
    const first = await registered(hub, 'lab', [skill('/a/skill.md'), skill('/b/skill.md')]);
    const refused = await raw(hub, upgrade('/', {}));
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused).toMatch(/retry-after: (?:[2-9]|10)\r\n/);
    const loop = await hub.get('/mdp/http-loop/connect', { method: 'POST', body: '{}' });
    expect([loop.status, loop.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    await first.close();
    await hub.registered();
    await registered(hub, 'lab', [skill('/a/skill.md'), skill('/b/skill.md')]);
    expect(hub.handle.mdp?.runtimes.client('lab')?.paths).toHaveLength(2);
  },
);

verifies(['sec:K-8', 'mdp:9.4'], 'an id is not given to another credential, presented token or origin', async () => {
  await using guarded = await openHub(sesame);
  const owner = await registered(guarded, 'lab', undefined, { token: 'sesame' });
  const other = await socketPeer(guarded.ws);
  other.send(registration('lab', [skill('/fake/skill.md')], { token: 'mellon' }));
  await eventually(() =>
    expect(other.closed).toEqual({ code: 1008, reason: 'the client id is in use by another peer' }),
  );
  expect(owner.closed).toBeUndefined();
  expect(guarded.log.join()).toContain('runtime "lab": another peer tried to register the id and was refused');
  const again = await socketPeer(guarded.ws);
  again.send(registration('lab', undefined, { token: 'sesame' }));
  await eventually(() => expect(owner.closed?.code).toBe(4000));

  await using open = await openHub();
  await registered(open, 'lab', undefined, { token: 'mine' });
  for (const [headers, auth] of [
    [{}, { token: 'theirs' }],
    [{}, undefined],
    [{ origin: 'http://localhost:3000' }, { token: 'mine' }],
  ] as const) {
    const thief = await socketPeer(open.ws, { headers });
    thief.send(registration('lab', undefined, auth));
    await eventually(() => expect(thief.closed?.code).toBe(1008));
  }
});

verifies(['sec:K-9'], 'a loop that is not polled is dropped when its queue is full', async () => {
  await using hub = await openHub();
  const connected = await hub.get('/mdp/http-loop/connect', { method: 'POST', body: '{}' });
  const { sessionId } = (await connected.json()) as { sessionId: string };
  const send = (message: Message): Promise<Response> =>
    hub.get(`/mdp/http-loop/send?sessionId=${sessionId}`, { method: 'POST', body: JSON.stringify({ message }) });
  await send(registration('idle'));
  await hub.registered('idle');
  let status = 202;
  for (let count = 0; count <= limits.runtimes.queuedMessages && status === 202; count++)
    status = (await send({ type: 'ping', timestamp: count })).status;
  expect(status).not.toBe(202);
  await hub.registered();
  await isAlive(hub);
});

verifies(['sec:K-9'], 'rapid changes are reported once, with the newest state', async () => {
  await using hub = await openHub({ bounds: { changeMs: 200, messageBurst: 1_000 } });
  const reports: ReadonlySet<string>[] = [];
  const stop = hub.handle.mdp?.runtimes.watch((changed) => reports.push(changed));
  const peer = await registered(hub, 'lab');
  for (let count = 0; count < 100; count++)
    peer.send({ type: 'updateClientCatalog', clientId: 'lab', paths: [skill(`/s${count}/skill.md`)] });
  await eventually(() => expect(hub.handle.mdp?.runtimes.client('lab')?.paths).toEqual([skill('/s99/skill.md')]));
  await eventually(() => expect(reports.length).toBeGreaterThan(0));
  expect(reports.length).toBeLessThan(10);
  stop?.();
});

verifies(['sec:K-10'], 'at shutdown a call under way is answered, then runtimes get 1001', async () => {
  const hub = await openHub();
  const peer = await registered(hub, 'lab');
  const outcome = hub.handle.mdp?.runtimes.call({ clientId: 'lab', method: 'GET', path: '/a/skill.md' });
  const { requestId } = await peer.next('callClient');
  const closing = hub.handle.close();
  peer.send({ type: 'callClientResult', requestId, ok: true, data: 'in time' });
  expect(await outcome).toEqual({ ok: true, data: 'in time' });
  await closing;
  await eventually(() => expect(peer.closed).toEqual({ code: 1001, reason: 'the server is shutting down' }));
});

verifies(
  ['sec:K-10'],
  'at shutdown a runtime that never answers and never closes does not delay the server',
  async () => {
    const hub = await openHub({ bounds: { shutdownMs: 100 } });
    const peer = await registered(hub, 'lab');
    peer.socket.pause();
    const outcome = hub.handle.mdp?.runtimes.call({ clientId: 'lab', method: 'GET', path: '/a/skill.md' });
    await hub.handle.close();
    expect(await outcome).toMatchObject({ ok: false, hub: 'gone' });
  },
);
