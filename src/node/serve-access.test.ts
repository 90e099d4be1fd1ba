import { afterEach, describe, expect, test } from 'vitest';
import { modern } from '../../test/contract/raw-mcp.ts';
import { createProfile } from '../serving/access/profile.ts';
import type { ServeAccess } from '../serving/access/serve-access.ts';
import { createTokenBook } from '../serving/access/token-book.ts';
import { memorySource } from '../sources/memory.ts';
import { memoryStore } from '../store/memory-store.ts';
import { type ServeHandle, serve } from './serve.ts';

const cleanUp: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const text = (name: string): string => `---\nname: ${name}\ndescription: About ${name}.\n---\n\n# ${name}\n`;

const profiles = new Map(
  [
    createProfile('docs', { origins: ['docs'] }),
    createProfile('all', {}),
    createProfile('public', { include: ['docs/open'] }),
  ].map((profile) => [profile.name, profile]),
);

type Served = ServeHandle & { readonly url: string; readonly mcp: string };

async function start(access: ServeAccess): Promise<Served> {
  const source = memorySource({
    'docs/open': { 'SKILL.md': text('open') },
    'docs/writing': { 'SKILL.md': text('writing'), 'references/guide.md': '# Guide\n' },
    'ops/secret': { 'SKILL.md': text('secret') },
  });
  const handle = await serve({ source, http: { host: '127.0.0.1', port: 0 }, access });
  cleanUp.push(() => handle.close());
  const { url, mcp } = handle;
  if (url === undefined || mcp === undefined) throw new Error('no address');
  return { ...handle, url, mcp };
}

function bookAccess(more: Partial<ServeAccess> = {}) {
  const book = createTokenBook(memoryStore());
  const access: ServeAccess = { verify: book.verify, profile: (name) => profiles.get(name), ...more };
  return { book, access };
}

function urisOf(result: Readonly<Record<string, unknown>> = {}): readonly string[] {
  return (result['skills'] as { uri: string }[]).map(({ uri }) => uri);
}

async function listed(mcp: string, token: string): Promise<readonly string[]> {
  const { result } = await modern(mcp, 'skills/list', {}, { authorization: `Bearer ${token}` });
  return urisOf(result);
}

describe('serve() with access', () => {
  test('shows the owner of a token the skills of its profile, and no others', async () => {
    const { book, access } = bookAccess();
    const { mcp } = await start(access);
    const { token } = await book.add({ name: 'writers', profile: 'docs' });
    expect(await listed(mcp, token)).toEqual(['skill://docs/open/SKILL.md', 'skill://docs/writing/SKILL.md']);
    const headers = { authorization: `Bearer ${token}` };
    const own = await modern(mcp, 'resources/read', { uri: 'skill://docs/writing/references/guide.md' }, headers);
    expect(own.result?.contents).toMatchObject([{ text: '# Guide\n' }]);
    expect(own.result?.cacheScope).toBe('private');
    for (const [method, uri] of [
      ['resources/read', 'skill://ops/secret/SKILL.md'],
      ['skills/get', 'skill://ops/secret/SKILL.md'],
      ['resources/directory/read', 'skill://ops'],
    ] as const) {
      const hidden = await modern(mcp, method, { uri }, headers);
      const absent = await modern(
        mcp,
        method,
        { uri: uri.replace('secret', 'nobody').replace('//ops', '//opt') },
        headers,
      );
      expect(hidden.result).toBeUndefined();
      expect(JSON.stringify(hidden.error).replaceAll(uri, '')).toBe(
        JSON.stringify(absent.error).replaceAll(uri.replace('secret', 'nobody').replace('//ops', '//opt'), ''),
      );
    }
  });

  test('answers 401 to callers without an accepted token', async () => {
    const { book, access } = bookAccess();
    const { url, mcp } = await start(access);
    const { token } = await book.add({ name: 'writers', profile: 'docs' });
    const wrong = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
    const answers: string[] = [];
    for (const authorization of [`Bearer ${wrong}`, 'Bearer skw_aaaaaaaa_x', `Bearer ${'x'.repeat(20)}`]) {
      const { status, headers } = await modern(mcp, 'skills/list', {}, { authorization });
      expect(status).toBe(401);
      answers.push(headers.get('www-authenticate') ?? '');
    }
    expect(new Set(answers).size).toBe(1);
    const none = await fetch(mcp);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await none.text()).toContain('No token');
    expect(answers[0]).toBe('Bearer error="invalid_token", error_description="The token is not accepted"');
    for (const path of [
      '/',
      '/mcp',
      '/.well-known/agent-skills/index.json',
      '/metrics',
      '/nowhere',
      '/skills/x/y/skill.md',
    ])
      expect((await fetch(`${url}${path}`)).status, path).toBe(401);
    const inAddress = await fetch(`${url}/.well-known/agent-skills/index.json?access_token=${token}`);
    expect(inAddress.status).toBe(401);
    expect(await (await fetch(`${url}/healthz`)).text()).toBe('ok\n');
    // Without an issuer, metadata would send clients to look for one here.
    expect((await fetch(`${url}/.well-known/oauth-protected-resource/mcp`)).status).toBe(404);
    expect((await fetch(`${url}/.well-known/oauth-protected-resource`)).status).toBe(404);
  });

  test('refuses two tokens in one request', async () => {
    const { book, access } = bookAccess();
    const { mcp } = await start(access);
    const { token } = await book.add({ name: 'writers', profile: 'docs' });
    const { request } = await import('node:http');
    const status = await new Promise((resolve) => {
      const body = '{}';
      const sent = request(mcp, {
        method: 'POST',
        headers: [
          'content-type',
          'application/json',
          'content-length',
          '2',
          'authorization',
          `Bearer ${token}`,
          'authorization',
          `Bearer ${token}`,
          'host',
          new URL(mcp).host,
        ],
      });
      sent.on('response', (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.end(body);
    });
    expect(status).toBe(400);
  });

  test('refuses a token at the first request after it was revoked', async () => {
    const { book, access } = bookAccess();
    const { mcp } = await start(access);
    const { token } = await book.add({ name: 'writers', profile: 'docs' });
    expect(await listed(mcp, token)).toHaveLength(2);
    await book.revoke('writers', 'left the team');
    expect((await modern(mcp, 'skills/list', {}, { authorization: `Bearer ${token}` })).status).toBe(401);
  });

  test("answers 403 if the profile of a token is gone, or if a token is not an operator's", async () => {
    const { book, access } = bookAccess();
    const { mcp, url } = await start(access);
    const gone = await book.add({ name: 'gone', profile: 'no-such' });
    const plain = await book.add({ name: 'plain', profile: 'all' });
    const answer = await modern(mcp, 'skills/list', {}, { authorization: `Bearer ${gone.token}` });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toContain('insufficient_scope');
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${plain.token}` } });
    expect(metrics.status).toBe(403);
  });

  test('shows the anonymous profile without a token, but refuses a wrong token', async () => {
    const { access } = bookAccess({ anonymous: 'public' });
    const { mcp } = await start(access);
    const { result } = await modern(mcp, 'skills/list', {});
    expect(urisOf(result)).toEqual(['skill://docs/open/SKILL.md']);
    expect(result?.cacheScope).toBe('public');
    const wrong = await modern(mcp, 'skills/list', {}, { authorization: 'Bearer nonsense' });
    expect(wrong.status).toBe(401);
  });

  test('trusts a verifier of the embedding program, and names its authorization server in the metadata', async () => {
    const issuer = 'https://login.example.com/';
    const { access } = bookAccess({
      verify: async (token) =>
        token === 'from-oauth'
          ? { id: 'user-7', profile: 'docs', scopes: ['skills'], expiresAt: Date.now() / 1000 + 60 }
          : token === 'expired'
            ? { id: 'user-8', profile: 'docs', scopes: ['skills'], expiresAt: Date.now() / 1000 - 60 }
            : token === 'poor'
              ? { id: 'user-9', profile: 'docs', expiresAt: Date.now() / 1000 + 60 }
              : undefined,
      requiredScopes: ['skills'],
      url: 'https://skills.example.com',
      authorizationServer: {
        issuer,
        authorization_endpoint: `${issuer}authorize`,
        token_endpoint: `${issuer}token`,
        response_types_supported: ['code'],
      },
    });
    const { mcp, url } = await start(access);
    expect(await listed(mcp, 'from-oauth')).toHaveLength(2);
    const statuses = await Promise.all(
      ['expired', 'poor'].map(
        async (token) => (await modern(mcp, 'skills/list', {}, { authorization: `Bearer ${token}` })).status,
      ),
    );
    expect(statuses).toEqual([401, 403]);
    const metadata = await (await fetch(`${url}/.well-known/oauth-protected-resource/mcp`)).json();
    expect(metadata).toEqual({
      resource: 'https://skills.example.com/mcp',
      authorization_servers: [issuer],
      scopes_supported: ['skills'],
    });
  });

  test('answers 500 without a reason if tokens cannot be verified', async () => {
    const { access } = bookAccess({
      verify: async () => {
        throw new Error('database of secrets is down');
      },
    });
    const { mcp } = await start(access);
    const response = await fetch(mcp, { method: 'POST', headers: { authorization: 'Bearer x' }, body: '{}' });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secrets');
  });
});
