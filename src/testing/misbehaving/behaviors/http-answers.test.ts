import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Check, proves } from '../../../../test/misbehavior-proof.ts';
import { misbehavingServer } from '../misbehaving-server.ts';
import { httpAnswers } from './http-answers.ts';

const answers =
  (method: string, status: number, headers: Readonly<Record<string, unknown>> = {}): Check =>
  async ({ call, row }) => {
    const answer = await call(method, { uri: row.target });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject(headers);
  };

const list = (status: number, headers: Readonly<Record<string, unknown>> = {}): Check =>
  answers('skills/list', status, headers);

/** Every call, in either era, gets this answer. */
const all =
  (status: number, headers: Readonly<Record<string, unknown>> = {}): Check =>
  async (wire) => {
    await answers('server/discover', status, headers)(wire);
    expect((await wire.call('initialize', {}, { era: 'legacy' })).status).toBe(status);
  };

proves('HTTP that is no MCP', httpAnswers, {
  'html-login': async (wire) => {
    await all(200, { 'content-type': 'text/html; charset=utf-8' })(wire);
    expect((await wire.call('server/discover')).body.toString()).toContain('<form action="/login">');
  },
  'html-login-later': async (wire) => {
    await wire.result('server/discover');
    await list(200, { 'content-type': 'text/html' })(wire);
  },
  'wrong-content-type': async (wire) => {
    await list(200, { 'content-type': 'text/plain' })(wire);
    expect((await wire.result('skills/list'))['skills']).toHaveLength(2);
  },
  'no-content-type': async (wire) => {
    expect((await wire.call('skills/list')).headers).not.toHaveProperty('content-type');
    expect((await wire.result('skills/list'))['skills']).toHaveLength(2);
  },
  'status-401': all(401, { 'www-authenticate': 'Bearer realm="refunds"' }),
  'status-401-metadata': all(401, { 'www-authenticate': expect.stringContaining('http://169.254.169.254/') }),
  'status-401-reads': async (wire) => {
    await list(200)(wire);
    await answers('resources/read', 401)(wire);
  },
  'status-403': all(403),
  'status-404': all(404, { 'content-type': 'text/plain' }),
  'status-500': async (wire) => {
    await list(500)(wire);
    expect((await wire.call('skills/list')).body.toString()).toContain('at list (');
  },
  'status-500-once': async (wire) => {
    await list(503)(wire);
    await list(200)(wire);
  },
  'status-429-huge': list(429, { 'retry-after': '1000000000' }),
  'status-429-date': list(429, { 'retry-after': expect.stringContaining('2999') }),
  'status-204': list(204),
  'redirect-other-host': async (wire) => {
    const { headers, status } = await wire.call('skills/list');
    expect([status, headers['location']]).toEqual([307, expect.stringMatching(/^http:\/\/localhost:\d+\/elsewhere$/)]);
  },
  'redirect-loop': async (wire) => all(307, { location: wire.server.url })(wire),
  'redirect-file': all(302, { location: 'file:///etc/passwd' }),
  'redirect-private': all(302, { location: 'http://169.254.169.254/latest/meta-data/' }),
  'gzip-bomb': async (wire) => {
    const { headers, body, end } = await wire.call('skills/list');
    expect([headers['content-encoding'], end]).toEqual(['gzip', 'whole']);
    expect(body.length).toBeLessThan(400_000);
    const text = gunzipSync(body).subarray(-20_000).toString().trimStart();
    expect(gunzipSync(body).length).toBeGreaterThan(200 << 20);
    expect(JSON.parse(text)).toHaveProperty('result.skills.length', 2);
  },
  'length-too-long': async ({ call }) => {
    const { headers, body, end } = await call('skills/list', {}, { ms: 300 });
    expect(end).not.toBe('whole');
    expect(Number(headers['content-length'])).toBe(body.length + 1000);
  },
  'header-flood': async ({ server, call }) => {
    // Node's parser rejects the answer, as it should; the request did arrive.
    expect(await call('skills/list')).toMatchObject({ end: 'cut', status: 0 });
    expect(server.requests.map(({ method }) => method)).toEqual(['skills/list']);
  },
});

test('the other host sees a client that follows a redirect, with its headers', async () => {
  await using server = await misbehavingServer({ behavior: 'redirect-other-host' });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'skills/list', params: {} });
  const response = await fetch(server.url, { method: 'POST', body, headers: { 'x-key': 'secret' } });
  expect(await response.json()).toHaveProperty('result.skills.length', 2);
  expect(server.requests.map(({ elsewhere }) => elsewhere)).toEqual([false, true]);
  expect(server.requests[1]?.headers).toHaveProperty('x-key', 'secret');
});

test('misbehavingServer() refuses HTTP behaviors over stdio', async () => {
  await expect(misbehavingServer({ behavior: 'status-401', transport: 'stdio-script' })).rejects.toMatchObject({
    code: 'USAGE',
  });
});
