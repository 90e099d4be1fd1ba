/** Answers of browsers, servers and issuers that a login must not accept, and the end of a login. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { browse } from '../../authorization-server.ts';
import { type CliFolder, cliFolder } from '../../e2e/cli-process.ts';
import { type ProtectedServer, standInBrowser, startProtectedServer } from '../../protected-server.ts';
import { verifies } from '../../requirements/verifies.ts';
import { runInProcess } from '../../run-in-process.ts';

let folder: CliFolder;
const cleanUp: (() => unknown)[] = [];
beforeEach(() => {
  folder = cliFolder();
  cleanUp.push(() => folder.remove());
});
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function start(...options: Parameters<typeof startProtectedServer>): Promise<ProtectedServer> {
  const server = await startProtectedServer(...options);
  cleanUp.push(() => server.close());
  return server;
}

const env = () => ({ PATH: process.env['PATH'] ?? '', HOME: folder.path, SKILLWIRE_HOME: join(folder.path, 'own') });
const run = (...argv: readonly string[]) =>
  runInProcess(argv, { cwd: folder.path, env: { ...env(), BROWSER: standInBrowser } });

const records = (): readonly string[] =>
  readdirSync(folder.path, { recursive: true })
    .map((name) => join(folder.path, String(name)))
    .filter((path) => path.endsWith('record.json'));

describe('without a browser', () => {
  /** @param change what a person pastes in place of the address of the last page */
  async function pasting(server: ProtectedServer, change: (address: URL) => string, browser?: string) {
    let shown = '';
    return runInProcess(['login', `mcp:${server.url}`, ...(browser === undefined ? ['--no-browser'] : [])], {
      cwd: folder.path,
      env: { ...env(), ...(browser === undefined ? {} : { BROWSER: browser }) },
      printed: (text) => {
        shown += text;
      },
      ask: async () => change(await browse(/http:\/\/localhost:\d+\/auth\S+/.exec(shown)?.[0] ?? '')),
    });
  }

  test('the pasted address of the last page logs in', async () => {
    const server = await start();
    expect(await pasting(server, (address) => address.href)).toMatchObject({ exitCode: 0 });
    expect(records()).toHaveLength(1);
  });

  test.each([['/bin/false'], ['/nowhere/browser']])(
    'a browser that cannot open (%s) asks for the address',
    async (browser) => {
      const server = await start();
      const login = await pasting(server, (address) => address.href, browser);
      expect(login).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('No browser opened here') });
      expect(records()).toHaveLength(1);
    },
  );

  verifies(['ID-7'], 'an address with another state is refused', async () => {
    const server = await start();
    const other = (address: URL): string => {
      address.searchParams.set('state', 'other');
      return address.href;
    };
    expect(await pasting(server, other)).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('another login'),
    });
    expect(await pasting(server, () => 'https://example.com/')).toMatchObject({ exitCode: 2 });
    expect(records()).toEqual([]);
  });

  verifies(['ID-6'], 'an answer of another issuer is refused, and its error is not shown', async () => {
    const server = await start();
    const wrong = (address: URL): string => {
      address.searchParams.set('iss', `${server.issuer.issuer}/`);
      address.searchParams.set('error', 'shown_nowhere');
      return address.href;
    };
    const result = await pasting(server, wrong);
    expect(result).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('is not from') });
    expect(result.stderr).not.toContain('shown_nowhere');
    const absent = (address: URL): string => {
      address.searchParams.delete('iss');
      return address.href;
    };
    expect(await pasting(server, absent)).toMatchObject({ exitCode: 3 });
    expect(records()).toEqual([]);
  });
});

describe('a login', () => {
  verifies(['ID-8', 'ID-13'], 'names the resource and the scopes that the server asks for', async () => {
    const server = await start();
    await run('login', `mcp:${server.url}`);
    const line = server.issuer.requests.find((one) => one.startsWith('GET /auth?')) ?? '';
    const { searchParams } = new URL(line.slice(4), 'http://x');
    expect(searchParams.get('resource')).toBe(server.url);
    expect(searchParams.get('scope')).toBe('skills offline_access');
    expect(searchParams.get('code_challenge_method')).toBe('S256');
  });

  test('to the site of a gateway is one to the gateway', async () => {
    const server = await start();
    const site = new URL(server.url).origin;
    const before = await run('list', site);
    expect(before).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(`skillwire login ${site}`) });
    expect(await run('login', site)).toMatchObject({ exitCode: 0 });
    expect(await run('list', site)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('refunds') });
    expect((await run('read', site, 'refunds')).stdout).toContain('# Refunds');
    expect(await run('list', `mcp:${server.url}`)).toMatchObject({ exitCode: 3 });
  });

  verifies(['ID-14', 'ID-15'], 'gets further scopes without losing those it has', async () => {
    const server = await start();
    const origin = `mcp:${server.url}`;
    expect(await run('login', origin, '--scope', 'skills:write')).toMatchObject({ exitCode: 0 });
    const poor = await run('list', origin);
    expect(poor).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(`--scope 'skills'`) });
    expect(await run('login', origin, '--scope', 'skills')).toMatchObject({ exitCode: 0 });
    expect(await run('list', origin)).toMatchObject({ exitCode: 0 });
    const { logins } = JSON.parse((await run('whoami', '--json')).stdout);
    expect(logins[0].scopes).toEqual(expect.arrayContaining(['skills', 'skills:write']));
  });

  verifies(['ID-18'], 'that was revoked, or expired without a refresh token, names the remedy', async () => {
    for (const [scopes, said] of [
      ['skills offline_access', 'is not accepted any more'],
      ['skills', 'has expired'],
    ] as const) {
      const server = await start(scopes === 'skills' ? { more: { scopes: ['openid', 'skills'] } } : {});
      const origin = `mcp:${server.url}`;
      expect(await run('login', origin)).toMatchObject({ exitCode: 0 });
      const [file = ''] = records();
      const stored = JSON.parse(readFileSync(file, 'utf8'));
      expect(stored.refreshToken === undefined).toBe(scopes === 'skills');
      const expired = { ...stored, expiresAt: '2020-01-01T00:00:00.000Z' };
      writeFileSync(file, JSON.stringify({ ...expired, ...(stored.refreshToken && { refreshToken: 'revoked' }) }));
      expect(await run('list', origin)).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(said) });
      await run('logout');
    }
  });

  test('that is damaged is reported, and can be made again', async () => {
    const server = await start();
    const origin = `mcp:${server.url}`;
    await run('login', origin);
    const [file = ''] = records();
    for (const text of ['{"accessToken":"secret-1"', '{"version":9}', '[]']) {
      writeFileSync(file, text);
      const result = await run('list', origin);
      expect(result).toMatchObject({ exitCode: 2 });
      expect(result.stderr).not.toContain('secret-1');
    }
    expect(await run('login', origin)).toMatchObject({ exitCode: 0 });
    expect(await run('list', origin)).toMatchObject({ exitCode: 0 });
  });
});

describe('a server', () => {
  type Script = (path: string, own: string, authorization?: string) => unknown;

  /** Answers 401 to everything but the documents of the script. */
  async function scripted(script: Script): Promise<string> {
    const server = createServer((request: IncomingMessage, response: ServerResponse) => {
      const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const answer = script(request.url ?? '', own, request.headers.authorization);
      request.resume();
      if (answer === undefined) return response.writeHead(request.url === '/mcp' ? 401 : 404).end();
      const { status = 200, ...body } = answer as { readonly status?: number };
      return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    cleanUp.push(
      () => server.close(),
      () => server.closeAllConnections(),
    );
    return `mcp:http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  }

  const resource = '/.well-known/oauth-protected-resource/mcp';
  const issuerDocument = '/.well-known/oauth-authorization-server';
  const metadata = (own: string) => ({
    issuer: own,
    authorization_endpoint: `${own}/auth`,
    token_endpoint: `${own}/token`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  });
  const good: Script = (path, own) => {
    if (path === resource) return { resource: `${own}/mcp`, authorization_servers: [own] };
    return path === issuerDocument ? metadata(own) : undefined;
  };
  const changed =
    (at: string, change: (own: string) => object): Script =>
    (path, own) =>
      path === at ? { ...(good(path, own) as object), ...change(own) } : good(path, own);

  verifies(['ID-4', 'ID-9', 'ID-19'], 'that contradicts itself or is not safe gets no login', async () => {
    const cases: readonly (readonly [string, Script, number, string])[] = [
      ['no metadata', () => undefined, 3, 'does not say where to log in'],
      ['no issuer', changed(resource, () => ({ authorization_servers: [] })), 3, 'names no authorization server'],
      ['another resource', changed(resource, () => ({ resource: 'https://other.example/mcp' })), 2, 'another resource'],
      ['an http issuer', changed(resource, () => ({ authorization_servers: ['http://login.example'] })), 5, 'http'],
      ['another issuer', changed(issuerDocument, (own) => ({ issuer: `${own}/x` })), 2, 'name another issuer'],
      ['http endpoints', changed(issuerDocument, () => ({ token_endpoint: 'http://x.example/t' })), 5, 'https'],
      ['no registration', good, 3, '--client-id ID'],
      [
        'no need of one',
        (path) => (path === '/mcp' ? { jsonrpc: '2.0', id: 1, result: {} } : undefined),
        2,
        'none is needed',
      ],
    ];
    for (const [name, script, exitCode, said] of cases) {
      const result = await run('login', await scripted(script));
      expect(result, name).toMatchObject({ exitCode, stderr: expect.stringContaining(said) });
    }
    expect(records()).toEqual([]);
  });

  test('with a device flow needs no browser here', async () => {
    let polls = 0;
    const script: Script = (path, own) => {
      if (path === '/device')
        return {
          device_code: 'd',
          user_code: 'ABCD-EFGH',
          verification_uri: `${own}/enter`,
          interval: 1,
          expires_in: 60,
        };
      if (path === '/token')
        return ++polls === 1
          ? { status: 400, error: 'authorization_pending' }
          : { access_token: 'device-token-1', token_type: 'Bearer', expires_in: 60 };
      if (path === issuerDocument) return { ...metadata(own), device_authorization_endpoint: `${own}/device` };
      return good(path, own);
    };
    const result = await run('login', await scripted(script), '--device', '--client-id', 'tv');
    expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('ABCD-EFGH') });
    expect(result.stderr).not.toContain('device-token-1');
    expect(polls).toBe(2);
    expect(JSON.parse(readFileSync(records()[0] ?? '', 'utf8'))).toMatchObject({ accessToken: 'device-token-1' });
  });

  test('can be a site, whose index is then read with the token', async () => {
    const seen: (string | undefined)[] = [];
    const script: Script = (path, own, authorization) => {
      if (path === '/device')
        return { device_code: 'd', user_code: 'ABCD', verification_uri: `${own}/enter`, interval: 1, expires_in: 60 };
      if (path === '/token') return { access_token: 'site-token-1', token_type: 'Bearer', expires_in: 600 };
      if (path === issuerDocument) return { ...metadata(own), device_authorization_endpoint: `${own}/device` };
      if (path === '/.well-known/oauth-protected-resource') return { resource: own, authorization_servers: [own] };
      if (!path.endsWith('/index.json')) return undefined;
      seen.push(authorization);
      return { status: authorization === undefined ? 401 : 404 };
    };
    const origin = (await scripted(script)).replace(/^mcp:|\/mcp$/g, '');
    expect(await run('login', origin, '--device', '--client-id', 'tv')).toMatchObject({ exitCode: 0 });
    seen.length = 0;
    await run('list', origin);
    expect(new Set(seen)).toEqual(new Set(['Bearer site-token-1']));
    await run('logout', origin);
    expect(await run('list', origin)).toMatchObject({ exitCode: 3 });
  });

  test('without a device flow, or that refuses the code, names the remedy', async () => {
    expect(await run('login', await scripted(good), '--device', '--client-id', 'tv')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('--no-browser'),
    });
    const refusing: Script = (path, own) =>
      path === '/device'
        ? { status: 400, error: 'invalid_client' }
        : path === issuerDocument
          ? { ...metadata(own), device_authorization_endpoint: `${own}/device` }
          : good(path, own);
    expect(await run('login', await scripted(refusing), '--device', '--client-id', 'tv')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('invalid_client'),
    });
    expect(records()).toEqual([]);
  });
});
