/** Faults that were found in the reference server by running it, each with the input that shows it: `mdp:9.n`. */
import { expect } from 'vitest';
import { declareStatic } from '../../../src/dialects/mdp/static-declaration.ts';
import { limits } from '../../../src/limits.ts';
import { sha256Digest } from '../../../src/skill/digest.ts';
import { eventually } from '../../eventually.ts';
import { isAlive, raw, registered, sesame, upgrade } from '../../hostile-hub.ts';
import { openHub } from '../../mdp-hub.ts';
import { answering, type Message, registration, skill, socketPeer } from '../../mdp-peer.ts';
import { verifies } from '../../requirements/verifies.ts';

verifies(['mdp:9.1'], 'malformed escapes and hosts are answered, and the process continues', async () => {
  await using hub = await openHub();
  for (const path of ['/skills/a/%zz', '/skills/%zz/a', '/a/skills/%', '/%zz/skills/x'])
    expect((await hub.get(path)).status).toBe(400);
  for (const host of ['a b', '[::1', '%', 'a:99999', '']) {
    expect(await raw(hub, `GET /skills/a/b HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 40[03] /);
    expect(await raw(hub, upgrade('/', { Host: host }))).toMatch(/^HTTP\/1\.1 40[03] /);
  }
  expect(await raw(hub, upgrade('//', {}))).toMatch(/^HTTP\/1\.1 (?:101|400) /);
  expect(await raw(hub, upgrade('/', { Upgrade: 'h2c' }))).toMatch(/^HTTP\/1\.1 400 /);
  await isAlive(hub);
});

verifies(
  ['mdp:9.2'],
  'beyond loopback a runtime needs a token, at the upgrade or within its registration',
  async () => {
    await expect(openHub({}, '0.0.0.0')).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' });
    await using hub = await openHub({ ...sesame, bounds: { authenticateMs: 100 } }, '0.0.0.0');
    const silent = await socketPeer(hub.ws);
    await eventually(() => expect(silent.closed).toEqual({ code: 1008, reason: 'a token is required' }));
    const nobody = await socketPeer(hub.ws);
    nobody.send(registration('lab'));
    await eventually(() => expect(nobody.closed).toEqual({ code: 1008, reason: 'a token is required' }));
    const wrong = await socketPeer(hub.ws);
    wrong.send(registration('lab', undefined, { scheme: 'Bearer', token: 'wrong' }));
    await eventually(() => expect(wrong.closed).toEqual({ code: 1008, reason: 'the token is not accepted' }));
    const forged = Buffer.from(JSON.stringify({ token: 'sesame' })).toString('base64url');
    const liar = await socketPeer(hub.ws, { headers: { cookie: `mdp_auth=${forged}` } });
    liar.send(registration('lab'));
    await eventually(() => expect(liar.closed?.code).toBe(1008));
    const refused = await hub.get('/mdp/auth', { method: 'POST', body: JSON.stringify({ auth: { token: 'wrong' } }) });
    expect(refused.status).toBe(401);
    await registered(hub, 'lab', undefined, { scheme: 'Bearer', token: 'sesame' });
  },
);

verifies(['mdp:9.5'], 'a result from another connection changes nothing', async () => {
  await using hub = await openHub();
  const peer = await registered(hub, 'lab');
  const other = await registered(hub, 'other');
  const outcome = hub.handle.mdp?.runtimes.call({ clientId: 'lab', method: 'GET', path: '/a/skill.md' });
  const { requestId } = await peer.next('callClient');
  other.send({ type: 'callClientResult', requestId, ok: true, data: 'forged' });
  other.send({ type: 'ping', timestamp: 1 });
  await other.next('pong');
  peer.send({ type: 'callClientResult', requestId, ok: true, data: 'real' });
  expect(await outcome).toEqual({ ok: true, data: 'real' });
});

const secrets = {
  authorization: 'Bearer secret',
  cookie: 'session=secret',
  'proxy-authorization': 'secret',
  'x-mdp-auth-token': 'secret',
  'x-api-key': 'secret',
  'x-skillwire-csrf': 'secret',
  'x-forwarded-user': 'secret',
};

verifies(['mdp:9.6'], 'a runtime sees no credential headers of the reader, unless allowed', async () => {
  const echo = ({ headers, auth }: Message): Message => ({ ok: true, data: JSON.stringify({ headers, auth }) });
  await using hub = await openHub();
  answering(await registered(hub, 'lab'), echo);
  const seen = await (await hub.get('/skills/lab/a', { headers: { ...secrets, 'accept-language': 'de' } })).text();
  expect(seen).not.toContain('secret');
  expect(seen).toContain('"accept-language":"de"');
  await using allowing = await openHub({ forwardHeaders: ['Cookie'] });
  answering(await registered(allowing, 'lab'), echo);
  const allowed = await (await allowing.get('/skills/lab/a', { headers: secrets })).text();
  expect(allowed).toContain('session=secret');
  expect(allowed).not.toContain('Bearer');
});

verifies(['mdp:9.7'], 'a forbidden content type is 502, and served content cannot run', async () => {
  await using hub = await openHub();
  const html = '<script>alert(1)</script>';
  const paths = ['text/html', 'image/svg+xml', 'text/markdown\r\nx: y', 'TEXT/Markdown; x=y'].map(
    (contentType, index) => ({
      ...skill(`/s${index}/skill.md`),
      contentType,
    }),
  );
  answering(await registered(hub, 'lab', paths), () => ({ ok: true, data: html }));
  for (const index of [0, 1, 2]) expect((await hub.get(`/skills/lab/s${index}`)).status).toBe(502);
  const served = await hub.get('/skills/lab/s3');
  expect(served.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(served.headers.get('x-content-type-options')).toBe('nosniff');
  expect(served.headers.get('content-security-policy')).toContain("default-src 'none'");
  await using allowing = await openHub({ contentTypes: ['application/json'] });
  const typed = [{ ...skill('/a/skill.md'), contentType: 'application/json' }, skill('/b/skill.md')];
  answering(await registered(allowing, 'lab', typed), () => ({ ok: true, data: '{}' }));
  expect((await allowing.get('/skills/lab/a')).headers.get('content-type')).toBe('application/json');
  expect((await allowing.get('/skills/lab/b')).status).toBe(502);
});

verifies(['mdp:9.8'], 'long texts and many paths refuse the registration', async () => {
  await using hub = await openHub();
  const { idCharacters, nameCharacters, descriptionCharacters, contentTypeCharacters, paths: most } = limits.runtimes;
  const long = (count: number): string => 'x'.repeat(count + 1);
  const cases: readonly [string, Message][] = [
    ['client.id has', registration(long(idCharacters))],
    ['client.name has', { type: 'registerClient', client: { id: 'x', name: long(nameCharacters), paths: [] } }],
    ['paths[0].description has', registration('x', [skill('/a/skill.md', long(descriptionCharacters))])],
    [
      'paths[0].contentType has',
      registration('x', [{ ...skill('/a/skill.md'), contentType: long(contentTypeCharacters) }]),
    ],
    ['paths[0].path is not an MDP path', registration('x', [skill(`/${long(limits.path.characters)}/skill.md`)])],
    [
      '1001 paths',
      registration(
        'x',
        Array.from({ length: most + 1 }, () => skill('/a/skill.md')),
      ),
    ],
  ];
  for (const [reason, message] of cases) {
    const peer = await socketPeer(hub.ws);
    peer.send(message);
    await eventually(() => expect(peer.closed?.code).toBe(1008));
    expect(peer.closed?.reason).toContain(reason);
  }
});

verifies(['mdp:9.9'], 'no WebSocket is accepted for clusters or on the routes of the hub', async () => {
  await using hub = await openHub();
  for (const path of ['/mdp/cluster', '/mdp/auth', '/mdp/http-loop/connect', '/mdp/meta'])
    expect(await raw(hub, upgrade(path, {}))).toMatch(/^HTTP\/1\.1 404 /);
  expect(await raw(hub, upgrade('/any/path?x=1', {}))).toMatch(/^HTTP\/1\.1 101 /);
});

verifies(['mdp:9.10'], "an answer that differs from the runtime's declaration is refused", async () => {
  await using hub = await openHub();
  const text = '# Static\n';
  const bytes = new TextEncoder().encode(text);
  const declared = declareStatic({ digest: await sha256Digest(bytes), size: bytes.length });
  const peer = await registered(hub, 'lab', [{ ...skill('/a/skill.md'), _meta: declared }]);
  let data: unknown = text;
  answering(peer, () => ({ ok: true, data }));
  expect((await hub.get('/skills/lab/a')).headers.get('etag')).toBe(`"${await sha256Digest(bytes)}"`);
  for (const other of ['# Static!', '# static\n', 7]) {
    data = other;
    const answer = await hub.get('/skills/lab/a');
    expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('is not what it declared')]);
  }
  const half = await socketPeer(hub.ws);
  half.send(registration('half', [{ ...skill('/a/skill.md'), _meta: { 'dev.skillwire/size': 3 } }]));
  await eventually(() => expect(half.closed?.reason).toContain('dev.skillwire/digest'));
});
