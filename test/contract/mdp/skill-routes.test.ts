/** The statuses of the skill routes, as in the reference, and our additions. */
import { describe, expect, test } from 'vitest';
import { eventually } from '../../eventually.ts';
import { type Hub, openHub } from '../../mdp-hub.ts';
import { answering, type Message, registration, type SocketPeer, skill, socketPeer } from '../../mdp-peer.ts';

async function runtime(
  hub: Hub,
  id: string,
  paths: readonly Message[],
  answer: (call: Message) => Message = ({ path }) => ({ ok: true, data: `# ${path}\n` }),
): Promise<SocketPeer> {
  const peer = await socketPeer(hub.ws);
  answering(peer, answer);
  peer.send(registration(id, paths));
  await eventually(() => expect(hub.handle.mdp?.runtimes.client(id)).toBeDefined());
  return peer;
}

const paths = [
  skill('/skill.md'),
  skill('/workspace/review/skill.md'),
  skill('/upper/SKILL.md'),
  skill('/items/:item_id/skill.md'),
  { type: 'prompt', path: '/a/prompt.md' },
  { type: 'endpoint', path: '/b', method: 'GET' },
];

describe('a skill of a runtime is found', () => {
  test.each([
    ['/skills/lab-ws/workspace/review', '/workspace/review/skill.md'],
    ['/skills/lab-ws/workspace/review/', '/workspace/review/skill.md'],
    ['/skills/lab-ws/workspace/review/skill.md', '/workspace/review/skill.md'],
    ['/lab-ws/skills/workspace/review', '/workspace/review/skill.md'],
    ['/lab-ws/skills/workspace/review/skill.md', '/workspace/review/skill.md'],
    ['/skills/lab-ws/w%6frkspace/review', '/workspace/review/skill.md'],
    ['/skills/lab-ws/skill.md', '/skill.md'],
    ['/skills/lab-ws/upper/SKILL.md', '/upper/SKILL.md'],
    ['/skills/lab-ws/upper', '/upper/SKILL.md'],
    ['/skills/lab-ws/items/42', '/items/42/skill.md'],
  ])('at %s', async (address, path) => {
    await using hub = await openHub();
    await runtime(hub, 'lab-ws', paths);
    const answer = await hub.get(address);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(`# ${path}\n`);
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('also under an id that needs encoding, or that is the name of a route', async () => {
    await using hub = await openHub();
    await runtime(hub, 'My Client/1', [skill('/a/skill.md')]);
    await runtime(hub, 'mcp', [skill('/a/skill.md')]);
    expect((await hub.get('/skills/My%20Client%2F1/a')).status).toBe(200);
    expect((await hub.get('/My%20Client/1/skills/a')).status).toBe(200);
    expect((await hub.get('/skills/mcp/a')).status).toBe(200);
    expect((await hub.get('/mcp/skills/a')).status).toBe(404);
  });
});

describe('the answer is', () => {
  test.each([
    '/skills/nobody/a',
    '/skills/lab-ws/missing',
    '/skills/lab-ws/a',
    '/skills/lab-ws/b',
    '/skills/lab-ws/Upper',
    '/skills/lab-ws',
  ])('404 and empty for %s', async (address) => {
    await using hub = await openHub();
    await runtime(hub, 'lab-ws', paths);
    const answer = await hub.get(address);
    expect(answer.status).toBe(404);
    if (address !== '/skills/lab-ws') expect(await answer.text()).toBe('');
  });

  test('405 for other methods, and 204 for OPTIONS', async () => {
    await using hub = await openHub();
    await runtime(hub, 'lab-ws', paths);
    const posted = await hub.get('/skills/lab-ws/workspace/review', { method: 'POST', body: '' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect((await hub.get('/skills/lab-ws/workspace/review', { method: 'OPTIONS' })).status).toBe(204);
  });

  test('plain text if the descriptor has no content type', async () => {
    await using hub = await openHub();
    await runtime(hub, 'lab', [{ type: 'skill', path: '/a/skill.md' }]);
    const answer = await hub.get('/skills/lab/a');
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  test('502 with the error of a failed resolver', async () => {
    await using hub = await openHub();
    const error = { code: 'handler_error', message: 'kaput' };
    await runtime(hub, 'lab', [skill('/a/skill.md')], () => ({ ok: false, error }));
    const answer = await hub.get('/skills/lab/a');
    expect([answer.status, await answer.json()]).toEqual([502, { error }]);
  });

  test.each([
    ['no data', { ok: true }],
    ['an object', { ok: true, data: { a: 1 } }],
  ])('502 for %s', async (_, result) => {
    await using hub = await openHub();
    await runtime(hub, 'lab', [skill('/a/skill.md')], () => result);
    const answer = await hub.get('/skills/lab/a');
    expect([answer.status, await answer.json()]).toEqual([
      502,
      { error: { code: 'handler_error', message: 'The result of "/a/skill.md" is not text' } },
    ]);
  });

  test('400 if the runtime does not answer in time, or leaves', async () => {
    await using hub = await openHub({ bounds: { callMs: 100 } });
    const silent = await socketPeer(hub.ws);
    silent.send(registration('silent'));
    const leaving = await socketPeer(hub.ws);
    leaving.socket.on('message', () => leaving.socket.terminate());
    leaving.send(registration('leaving'));
    await hub.registered('silent', 'leaving');
    const late = await hub.get('/skills/silent/a');
    expect([late.status, await late.json()]).toEqual([400, { error: 'Invocation timed out for client "silent"' }]);
    const gone = await hub.get('/skills/leaving/a');
    expect([gone.status, await gone.json()]).toEqual([400, { error: 'Client "leaving" disconnected' }]);
  });

  test('503 if a runtime has too many open calls', async () => {
    await using hub = await openHub({ bounds: { pendingPerClient: 1 } });
    const peer = await socketPeer(hub.ws);
    peer.send(registration('lab'));
    await hub.registered('lab');
    const first = hub.get('/skills/lab/a');
    const { requestId } = await peer.next('callClient');
    const second = await hub.get('/skills/lab/a');
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1']);
    peer.send({ type: 'callClientResult', requestId, ok: true, data: 'x' });
    expect((await first).status).toBe(200);
  });

  test('the same for HEAD, without the text, and 304 if the reader has it', async () => {
    await using hub = await openHub();
    await runtime(hub, 'lab', [skill('/a/skill.md')]);
    const whole = await hub.get('/skills/lab/a');
    const etag = whole.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"sha256:[0-9a-f]{64}"$/);
    const head = await hub.get('/skills/lab/a', { method: 'HEAD' });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
    const current = await hub.get('/skills/lab/a', { headers: { 'if-none-match': `"x", W/${etag}` } });
    expect(current.status).toBe(304);
    expect((await hub.get('/skills/lab/a', { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  test('computed from the query and the headers of the reader', async () => {
    await using hub = await openHub({ forwardHeaders: ['X-Review-Scope'] });
    await runtime(hub, 'lab', [skill('/a/skill.md')], ({ query, headers, params }) => ({
      ok: true,
      data: JSON.stringify({ query, scope: (headers as Message)['x-review-scope'], params }),
    }));
    const answer = await hub.get('/skills/lab/a?topic=x&topic=y&n=3', { headers: { 'X-Review-Scope': 'all' } });
    expect(await answer.json()).toEqual({ query: { topic: 'y', n: '3' }, scope: 'all', params: {} });
  });

  test('431 if there are more headers than a runtime accepts', async () => {
    const names = Array.from({ length: 70 }, (_, index) => `x-${index}`);
    await using hub = await openHub({ forwardHeaders: names });
    await runtime(hub, 'lab', [skill('/a/skill.md')]);
    const headers = Object.fromEntries(names.map((name) => [name, '1']));
    expect((await hub.get('/skills/lab/a', { headers })).status).toBe(431);
  });
});

describe('the catalog has the built-in id', () => {
  test('which serves each of its skills', async () => {
    await using hub = await openHub();
    for (const address of ['/skills/skillwire/team/pdf-tools', '/skillwire/skills/team/pdf-tools/SKILL.md']) {
      const answer = await hub.get(address);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('etag')).toMatch(/^"sha256:/);
      expect(await answer.text()).toContain('# PDF');
    }
    expect((await hub.get('/skills/skillwire/team/missing')).status).toBe(404);
    expect((await hub.get('/skills/skillwire/..%2f..%2fetc')).status).toBe(404);
  });

  test('which no runtime may take', async () => {
    await using hub = await openHub();
    const peer = await socketPeer(hub.ws);
    peer.send(registration('skillwire'));
    await eventually(() =>
      expect(peer.closed).toEqual({ code: 1008, reason: 'the client id "skillwire" is reserved' }),
    );
  });

  test('and also contains live skills', async () => {
    await using hub = await openHub();
    await runtime(hub, 'lab', [skill('/a/skill.md')], () => ({ ok: true, data: '# Live\n' }));
    await eventually(async () => {
      const answer = await hub.get('/skills/skillwire/mdp/lab/a');
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('# Live');
    });
  });
});
