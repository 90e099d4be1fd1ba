/** How an authorization server learns of our client, and what is bound to that server. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliFolder, cliFolder } from '../../e2e/cli-process.ts';
import { verifies } from '../../requirements/verifies.ts';
import { runInProcess } from '../../run-in-process.ts';
import { type ScriptedUpstream, scriptedUpstream } from '../../scripted-upstream.ts';

let folder: CliFolder;
let upstream: ScriptedUpstream;
const cleanUp: (() => unknown)[] = [];
beforeEach(async () => {
  folder = cliFolder();
  upstream = await scripted();
  cleanUp.push(() => folder.remove());
});
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function scripted(): Promise<ScriptedUpstream> {
  const one = await scriptedUpstream();
  cleanUp.push(() => one.close());
  one.metadata = { device_authorization_endpoint: `${one.issuer}/device` };
  one.answers = {
    '/device': {
      device_code: 'd',
      user_code: 'ABCD',
      verification_uri: `${one.issuer}/enter`,
      interval: 1,
      expires_in: 60,
    },
  };
  return one;
}

const env = (): Readonly<Record<string, string>> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: folder.path,
  SKILLWIRE_HOME: join(folder.path, 'own'),
  SECRET: 'secret-of-the-client',
});
const run = (...argv: readonly string[]) => runInProcess(argv, { cwd: folder.path, env: env() });

/** Logs in with the pasted address of the last page. @returns the address that the person was led to */
async function logIn(
  ...options: readonly string[]
): Promise<{ readonly led: URL | undefined; readonly exitCode: number | null }> {
  let printed = '';
  const address = (): URL => new URL(/http:\S+\/auth\?\S+/.exec(printed)?.[0] ?? '');
  const { exitCode } = await runInProcess(['login', `mcp:${upstream.url}`, '--no-browser', ...options], {
    cwd: folder.path,
    env: env(),
    printed: (text) => {
      printed += text;
    },
    ask: async () => {
      const { searchParams } = address();
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      back.searchParams.set('code', 'c');
      return back.href;
    },
  });
  return { led: printed.includes('/auth?') ? address() : undefined, exitCode };
}

describe('a client', () => {
  verifies(['ID-10'], 'with a metadata document has its address as id, and is not registered', async () => {
    const document = 'https://tool.example/oauth/client.json';
    upstream.metadata = {
      client_id_metadata_document_supported: true,
      registration_endpoint: `${upstream.issuer}/register`,
    };
    const { led, exitCode } = await logIn('--client-metadata-url', document);
    expect([led?.searchParams.get('client_id'), exitCode]).toEqual([document, 0]);
    expect(new URLSearchParams(upstream.at('/token')[0]?.body).get('client_id')).toBe(document);
    expect(upstream.at('/register')).toEqual([]);
    for (const wrong of ['https://tool.example', 'https://tool.example/', 'http://tool.example/client.json'])
      expect((await logIn('--client-metadata-url', wrong)).exitCode).toBe(2);
  });

  verifies(['ID-11'], 'is registered as a native one, and a refused redirect address names the remedy', async () => {
    upstream.metadata = { registration_endpoint: `${upstream.issuer}/register` };
    upstream.answers = {
      '/register': { client_id: 'registered', redirect_uris: ['http://127.0.0.1/callback'], client_name: 'Skillwire' },
    };
    expect((await logIn()).led?.searchParams.get('client_id')).toBe('registered');
    expect(JSON.parse(upstream.at('/register')[0]?.body ?? '')).toMatchObject({
      application_type: 'native',
      redirect_uris: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)],
    });
    upstream.answers = { '/register': { error: 'invalid_redirect_uri' } };
    const refused = await run('login', `mcp:${upstream.url}`, '--no-browser');
    expect(refused).toMatchObject({ exitCode: expect.any(Number), stderr: expect.stringContaining('--client-id ID') });
    expect(refused.exitCode).not.toBe(0);
  });

  test('of the device flow sends its secret as the metadata say', async () => {
    const device = ['login', `mcp:${upstream.url}`, '--device', '--client-id', 'tv', '--client-secret-env', 'SECRET'];
    expect(await run(...device)).toMatchObject({ exitCode: 0 });
    const basic = [...upstream.at('/device'), ...upstream.at('/token')];
    expect(basic).toHaveLength(2);
    for (const { headers, body } of basic) {
      expect(headers.authorization).toBe(`Basic ${btoa('tv:secret-of-the-client')}`);
      expect(body).not.toContain('secret-of-the-client');
    }
    upstream.seen.length = 0;
    upstream.metadata = { ...upstream.metadata, token_endpoint_auth_methods_supported: ['client_secret_post'] };
    expect(await run(...device)).toMatchObject({ exitCode: 0 });
    for (const { headers, body } of [...upstream.at('/device'), ...upstream.at('/token')]) {
      expect(headers.authorization).toBeUndefined();
      expect(new URLSearchParams(body).get('client_secret')).toBe('secret-of-the-client');
    }
  });
});

verifies(['ID-12', 'ID-17'], 'ids, secrets and tokens of one issuer go to no other', async () => {
  const origin = `mcp:${upstream.url}`;
  upstream.token = () => ({
    access_token: 'token-of-the-first',
    token_type: 'Bearer',
    expires_in: 600,
    refresh_token: 'refresh-of-the-first',
  });
  const login = ['login', origin, '--device'];
  expect(await run(...login, '--client-id', 'tv', '--client-secret-env', 'SECRET')).toMatchObject({ exitCode: 0 });

  const second = await scripted();
  upstream.resource = { authorization_servers: [second.issuer] };
  const list = await run('list', origin);
  expect(list).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('now uses another authorization server') });
  expect(await run(...login)).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('--client-id ID') });
  const seen = JSON.stringify(second.seen);
  for (const own of ['tv', 'secret-of-the-client', 'token-of-the-first', 'refresh-of-the-first'])
    expect(seen).not.toContain(own);
});
