/** `/mdp/auth`, `/mdp/meta`, the HTTP loop's own answers, and the two listings that are ours. */
import { describe, expect, test } from 'vitest';
import { type Hub, openHub } from '../../mdp-hub.ts';
import { loopPeer, registration, skill, socketPeer } from '../../mdp-peer.ts';

const json = { 'content-type': 'application/json' };

function post(hub: Hub, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return hub.get(path, { method: 'POST', headers: { ...json, ...headers }, body: text });
}

describe('/mdp/auth', () => {
  test('accepts credentials and returns an opaque ticket', async () => {
    await using hub = await openHub();
    const answer = await post(hub, '/mdp/auth', { auth: { scheme: 'Bearer', token: 'sesame' } });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([204, 'no-store']);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^mdp_auth=[0-9a-f-]{36}; Path=\/; Max-Age=60; HttpOnly; SameSite=Lax$/);
    expect(Buffer.from(cookie.slice(9), 'base64').toString()).not.toContain('sesame');
  });

  test('uses the headers if the body names none', async () => {
    await using hub = await openHub();
    expect((await post(hub, '/mdp/auth', {}, { authorization: 'Bearer x' })).status).toBe(204);
  });

  test.each([
    ['nothing', {}, 'Auth endpoint requires an auth context'],
    ['no JSON', '{', 'the message is not JSON'],
    ['no authentication', { auth: 'x' }, 'auth must be an object'],
  ])('refuses %s', async (_, body, error) => {
    await using hub = await openHub();
    const answer = await post(hub, '/mdp/auth', body);
    expect([answer.status, await answer.json()]).toEqual([400, { error }]);
  });

  test('forgets a ticket on DELETE, answers OPTIONS, and nothing else', async () => {
    await using hub = await openHub();
    const deleted = await hub.get('/mdp/auth', { method: 'DELETE' });
    expect([deleted.status, deleted.headers.get('set-cookie')]).toEqual([
      204,
      'mdp_auth=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    ]);
    expect((await hub.get('/mdp/auth', { method: 'OPTIONS' })).status).toBe(204);
    expect((await hub.get('/mdp/auth')).status).toBe(405);
  });

  test('returns a ticket that opens one connection, once', async () => {
    await using hub = await openHub({ tokens: { laptop: 'sesame' } });
    const answer = await post(hub, '/mdp/auth', { auth: { token: 'sesame' } });
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const peer = await socketPeer(hub.ws, { headers: { cookie } });
    peer.send(registration('lab'));
    await hub.registered('lab');
    expect(hub.handle.mdp?.runtimes.client('lab')?.connection.authSource).toBe('transport');
    await peer.close();
    const again = await socketPeer(hub.ws, { headers: { cookie } });
    again.send(registration('lab'));
    await expect.poll(() => again.closed).toEqual({ code: 1008, reason: 'a token is required' });
  });
});

describe('/mdp/meta', () => {
  test('has every field that a probe reads, and its own cluster', async () => {
    await using hub = await openHub();
    await using other = await openHub();
    const meta = (await (await hub.get('/mdp/meta')).json()) as { cluster: { id: string } };
    expect(meta).toMatchObject({
      protocol: 'mdp',
      protocolVersion: '2.0.0',
      supportedProtocolRanges: ['^2.0.0'],
      serverId: expect.any(String),
      endpoints: {
        ws: hub.ws,
        httpLoop: `${hub.url}/mdp/http-loop`,
        auth: `${hub.url}/mdp/auth`,
        meta: `${hub.url}/mdp/meta`,
        cluster: expect.any(String),
      },
      features: { upstreamProxy: false, clusterControl: false },
      cluster: {
        id: expect.stringContaining('skillwire:'),
        membershipMode: expect.any(String),
        membershipFingerprint: expect.any(String),
        role: 'leader',
        term: 0,
        leaseDurationMs: expect.any(Number),
      },
    });
    const theirs = (await (await other.get('/mdp/meta')).json()) as { cluster: { id: string } };
    expect(theirs.cluster.id).not.toBe(meta.cluster.id);
  });
});

describe('the HTTP loop', () => {
  async function session(hub: Hub, headers: Record<string, string> = {}): Promise<string> {
    const answer = await post(hub, '/mdp/http-loop/connect', {}, headers);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { sessionId: string }).sessionId;
  }

  test('opens a session, and refuses invalid JSON', async () => {
    await using hub = await openHub();
    expect(await session(hub)).toMatch(/^[0-9a-f-]{36}$/);
    const bad = await post(hub, '/mdp/http-loop/connect', '{');
    expect([bad.status, await bad.json()]).toEqual([400, { error: 'the message is not JSON' }]);
  });

  test('accepts messages with the session in the header or the address', async () => {
    await using hub = await openHub();
    const id = await session(hub);
    const message = { type: 'ping', timestamp: 1 };
    const sent = await post(hub, '/mdp/http-loop/send', { message }, { 'x-mdp-session-id': id });
    expect([sent.status, await sent.json()]).toEqual([202, { ok: true }]);
    expect((await post(hub, `/mdp/http-loop/send?sessionId=${id}`, { message })).status).toBe(202);
  });

  test('refuses an invalid message and keeps the session', async () => {
    await using hub = await openHub();
    const id = await session(hub);
    const bad = await post(hub, `/mdp/http-loop/send?sessionId=${id}`, { message: { type: 'x' } });
    expect(bad.status).toBe(400);
    expect(((await bad.json()) as { error: string }).error).toMatch(/^Invalid MDP client message/);
    const good = await post(hub, `/mdp/http-loop/send?sessionId=${id}`, { message: registration('lab') });
    expect(good.status).toBe(202);
    await hub.registered('lab');
  });

  test('ends the session after a forbidden message', async () => {
    await using hub = await openHub();
    const id = await session(hub);
    const message = { type: 'updateClientCatalog', clientId: 'x', paths: [] };
    expect((await post(hub, `/mdp/http-loop/send?sessionId=${id}`, { message })).status).toBe(400);
    expect((await post(hub, `/mdp/http-loop/send?sessionId=${id}`, { message })).status).toBe(404);
  });

  test('answers a poll with one message, with 204 after the time, and the older of two polls at once', async () => {
    await using hub = await openHub();
    const id = await session(hub);
    for (const timestamp of [1, 2])
      await post(hub, `/mdp/http-loop/send?sessionId=${id}`, { message: { type: 'ping', timestamp } });
    const poll = (waitMs: number): Promise<Response> => hub.get(`/mdp/http-loop/poll?sessionId=${id}&waitMs=${waitMs}`);
    expect(await (await poll(1)).json()).toEqual({ message: { type: 'pong', timestamp: 1 } });
    expect(await (await poll(1)).json()).toEqual({ message: { type: 'pong', timestamp: 2 } });
    expect((await poll(1)).status).toBe(204);
    const older = poll(60_000);
    // The second one must come after the first was received.
    await expect.poll(async () => (await Promise.race([older, poll(1)])).status).toBe(204);
    expect((await older).status).toBe(204);
  });

  test('ends a session, and answers 204 also if there is none', async () => {
    await using hub = await openHub();
    const peer = await loopPeer(hub.url);
    peer.send(registration('lab'));
    await hub.registered('lab');
    await peer.close();
    await hub.registered();
    const headers = { 'x-mdp-session-id': peer.sessionId };
    expect((await hub.get('/mdp/http-loop/disconnect', { method: 'POST', headers })).status).toBe(204);
    expect((await hub.get(`/mdp/http-loop/poll?sessionId=${peer.sessionId}`)).status).toBe(404);
  });

  test('has no other routes', async () => {
    await using hub = await openHub();
    expect((await hub.get('/mdp/http-loop/other')).status).toBe(404);
    expect((await hub.get('/mdp/http-loop/connect', { method: 'OPTIONS' })).status).toBe(204);
    expect((await hub.get('/mdp/http-loop/poll')).status).toBe(404);
  });

  test('answers preflights of allowed pages, with the headers of the reference client', async () => {
    await using hub = await openHub();
    const answer = await hub.get('/mdp/http-loop/send', {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe('http://localhost:3000');
    expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
    expect(answer.headers.get('access-control-allow-headers')).toContain('x-mdp-session-id');
  });

  test('binds a session to the pages of one origin', async () => {
    await using hub = await openHub();
    const id = await session(hub, { origin: 'http://localhost:3000' });
    const poll = (origin: string): Promise<Response> =>
      hub.get(`/mdp/http-loop/poll?sessionId=${id}&waitMs=1`, { headers: { origin } });
    expect((await poll('http://localhost:3000')).status).toBe(204);
    expect((await poll('http://localhost:4000')).status).toBe(404);
  });
});

describe('our own listings', () => {
  test('contain every skill of every runtime, in pages', async () => {
    await using hub = await openHub();
    const peer = await socketPeer(hub.ws);
    const paths = Array.from({ length: 250 }, (_, index) => skill(`/a/b/c/d/s${index}/skill.md`));
    peer.send(registration('lab', [...paths, { type: 'prompt', path: '/prompt.md' }]));
    await hub.registered('lab');
    const first = (await (await hub.get('/mdp/skills')).json()) as { skills: unknown[]; nextCursor: string };
    expect(first.skills[0]).toEqual({ clientId: 'lab', clientName: 'Lab lab', ...paths[0] });
    const second = (await (await hub.get(`/mdp/skills?cursor=${first.nextCursor}`)).json()) as { skills: unknown[] };
    expect([first.skills.length + second.skills.length, 'nextCursor' in second]).toEqual([250, false]);
    expect((await hub.get('/mdp/skills?cursor=x')).status).toBe(400);
    expect((await hub.get('/mdp/skills', { method: 'POST', body: '' })).status).toBe(405);
    expect((await hub.get('/mdp/other')).status).toBe(404);
  });

  test('contain the connected runtimes with the time and the last call', async () => {
    await using hub = await openHub();
    const peer = await socketPeer(hub.ws);
    peer.send(registration('lab'));
    await hub.registered('lab');
    const clients = async (): Promise<unknown> => (await hub.get('/mdp/clients')).json();
    expect(await clients()).toMatchObject({
      clients: [
        { id: 'lab', status: 'online', connectedAt: expect.stringMatching(/Z$/), paths: [{ path: '/a/skill.md' }] },
      ],
    });
    const call = hub.get('/skills/lab/a');
    const { requestId } = await peer.next('callClient');
    expect(await clients()).toMatchObject({ clients: [{ lastCallAt: expect.stringMatching(/Z$/) }] });
    peer.send({ type: 'callClientResult', requestId, ok: true, data: '' });
    await call;
  });

  test('contain the connected runtimes beyond loopback only for peers with a token', async () => {
    await using hub = await openHub({ tokens: { laptop: 'sesame' } }, '0.0.0.0');
    expect((await hub.get('/mdp/clients')).status).toBe(401);
    expect((await hub.get('/mdp/clients', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    expect((await hub.get('/mdp/clients', { headers: { authorization: 'Bearer sesame' } })).status).toBe(200);
  });
});
