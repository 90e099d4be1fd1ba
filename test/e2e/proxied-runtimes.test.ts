/** Live runtimes behind a reverse proxy, with the built command set up as docs/guides/run-a-gateway.md says: nobody registers without a token. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { send } from '../contract/access-requests.ts';
import { eventually } from '../eventually.ts';
import { registration } from '../mdp-peer.ts';
import { type ReverseProxy, reverseProxy, saysForWhom } from '../reverse-proxy.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';

const site = 'skills.example.com';
const documented = ['serve', '--http', '127.0.0.1:0', '--allowed-host', site, '--json', '--mdp'];
const hubToken = 'token-of-the-runtimes';

let folder: CliFolder;
let served: CliProcess | undefined;
let proxy: ReverseProxy | undefined;

beforeEach(() => {
  folder = cliFolder();
  folder.write({ 'handbook/notes/SKILL.md': skillText('notes') });
});

afterEach(async () => {
  await proxy?.[Symbol.asyncDispose]();
  served?.child.kill('SIGTERM');
  await served?.ended;
  [proxy, served] = [undefined, undefined];
  folder.remove();
});

function configure(more: object): void {
  folder.write({ 'skillwire.json': JSON.stringify({ origins: { handbook: './handbook' }, ...more }) });
}

async function start(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  served = folder.start(argv, env);
  const { url } = JSON.parse(await served.seen('stdout', /listening.*\n/)) as { url: string };
  return url;
}

interface Registered {
  readonly connected: { readonly status: number; readonly body: string };
  readonly sent?: { readonly status: number; readonly body: string };
}

/** Connects over the HTTP loop, which passes every proxy. */
async function register(id: string, headers: Readonly<Record<string, string>>, token?: string): Promise<Registered> {
  const caller = { url: proxy?.url ?? '', token };
  const connected = await send(caller, 'POST', '/mdp/http-loop/connect', headers, '{}');
  if (connected.status !== 200) return { connected };
  const { sessionId } = JSON.parse(connected.body) as { sessionId: string };
  const body = JSON.stringify({ message: registration(id) });
  const sent = await send(caller, 'POST', '/mdp/http-loop/send', { ...headers, 'x-mdp-session-id': sessionId }, body);
  return { connected, sent };
}

describe('behind the documented proxy', () => {
  test.each([
    ['access', { access: { url: `https://${site}` } }],
    ['profiles', { profiles: { everybody: {} } }],
    ['nothing but the host', {}],
  ])('a server that could accept no runtime does not start: %s', async (_, more) => {
    configure(more);
    const { exitCode, stderr } = await folder.run(documented);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--mdp-token-env')]);
  });

  test('a runtime without the token is refused; one with it is read by those with a token', async () => {
    configure({ access: { url: `https://${site}` }, profiles: { everybody: {} } });
    const { stdout } = await folder.run(['token', 'add', 'dana', '--profile', 'everybody', '--operator']);
    const url = await start([...documented, '--mdp-token-env', 'HUB_TOKEN'], { HUB_TOKEN: hubToken });
    proxy = await reverseProxy(url);
    const host = { host: site };
    const outsider = await register('outsider', host);
    expect(outsider.sent).toMatchObject({ status: 400, body: expect.stringContaining('a token is required') });
    const direct = await send({ url }, 'POST', '/mdp/http-loop/connect', {}, '{}');
    expect(direct.status).toBe(200);
    const wrong = await register('outsider', host, 'another');
    expect(wrong.connected).toMatchObject({ status: 401, body: expect.stringContaining('The token is not accepted') });
    expect((await register('insider', host, hubToken)).sent).toMatchObject({ status: 202 });

    const reader = { url: proxy.url, token: stdout.trim() };
    await eventually(async () => {
      const { status, body } = await send(reader, 'GET', '/mdp/clients', host);
      expect([status, (JSON.parse(body) as { clients: { id: string }[] }).clients.map(({ id }) => id)]).toEqual([
        200,
        ['insider'],
      ]);
    });
    for (const path of ['/mdp/clients', '/mdp/skills', '/status', '/metrics'])
      expect((await send({ url: proxy.url }, 'GET', path, host)).status, path).toBe(401);
    expect((await send(reader, 'GET', '/status', host)).status).toBe(200);
  });
});

test('a server only for this machine refuses runtimes behind a proxy, and explains how to allow them', async () => {
  const url = await start(['serve', './handbook', '--http', '127.0.0.1:0', '--json', '--mdp']);
  proxy = await reverseProxy(url, saysForWhom('x-forwarded-for', '203.0.113.7'));
  const { connected } = await register('outsider', {});
  expect(connected).toMatchObject({ status: 403, body: expect.stringContaining('--mdp-token-env') });
  for (const path of ['/status', '/metrics']) expect((await send({ url: proxy.url }, 'GET', path)).status).toBe(403);
  const local = { 'content-type': 'application/json' };
  const direct = await fetch(`${url}/mdp/http-loop/connect`, { method: 'POST', headers: local, body: '{}' });
  expect(direct.status).toBe(200);
});
