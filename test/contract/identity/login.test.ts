/** `skillwire login`, `whoami` and `logout`, and what the other commands do with a login, against a real authorization server. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type CliFolder, cliFolder } from '../../e2e/cli-process.ts';
import { type ProtectedServer, standInBrowser, startProtectedServer } from '../../protected-server.ts';
import { verifies } from '../../requirements/verifies.ts';

let folder: CliFolder;
let server: ProtectedServer;

beforeEach(() => {
  folder = cliFolder();
});
afterEach(async () => {
  await server.close();
  folder.remove();
});

async function start(...options: Parameters<typeof startProtectedServer>): Promise<string> {
  server = await startProtectedServer(...options);
  return `mcp:${server.url}`;
}

const run = (...argv: readonly string[]) => folder.run(argv, { BROWSER: standInBrowser });

/** Every file below the state folder whose content has a token. */
function storedFiles(): readonly string[] {
  const names = readdirSync(folder.path, { recursive: true }).map((name) => join(folder.path, String(name)));
  return names.filter((path) => statSync(path).isFile() && path.endsWith('record.json'));
}

describe('a login', () => {
  verifies(['ID-1', 'ID-2', 'ID-16'], 'lets every command read the server, until logout', async () => {
    const origin = await start();
    const before = await run('list', origin);
    expect(before).toMatchObject({ exitCode: 3 });
    expect(before.stderr).toContain(`skillwire login ${origin}`);

    expect(await run('login', origin)).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await run('list', origin)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('refunds') });
    expect((await run('read', origin, 'refunds')).stdout).toContain('# Refunds');
    expect((await run('verify', origin)).exitCode).toBe(0);
    expect((await run('search', 'refund', origin)).stdout).toContain('refunds');
    expect((await run('show', origin, 'refunds')).exitCode).toBe(0);

    const { logins } = JSON.parse((await run('whoami', '--json')).stdout);
    expect(logins).toMatchObject([
      { origin, issuer: server.issuer.issuer, resource: server.url, clientFrom: 'registration', renewable: true },
    ]);
    expect((await run('whoami', origin)).stdout).toContain('renewed automatically');

    expect(JSON.parse((await run('logout', origin, '--json')).stdout)).toMatchObject({
      loggedOut: [{ origin, revoked: true }],
    });
    expect(server.issuer.requests).toContain('POST /token/revocation');
    expect(await run('list', origin)).toMatchObject({ exitCode: 3 });
    expect(await run('whoami', origin)).toMatchObject({ exitCode: 3 });
    expect(await run('logout', origin)).toMatchObject({ exitCode: 3 });
    expect(storedFiles()).toEqual([]);
  });

  verifies(['ID-18'], 'is stored for its owner alone, and is in no export, lock file or message', async () => {
    const origin = await start();
    const login = await run('login', origin, '--json');
    const [file = ''] = storedFiles();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    const { accessToken, refreshToken } = JSON.parse(readFileSync(file, 'utf8'));
    const added = await run('add', origin, '--yes', '--agent', 'claude-code');
    expect(added.exitCode).toBe(0);
    const exported = await run('state', 'export');
    const shown = [login, added, exported, await run('whoami'), await run('whoami', '--json')];
    const texts = [...shown.flatMap(({ stdout, stderr }) => [stdout, stderr])];
    texts.push(readFileSync(join(folder.path, 'skillwire.lock'), 'utf8'));
    for (const secret of [accessToken, refreshToken]) {
      expect(secret.length).toBeGreaterThan(20);
      for (const text of texts) expect(text).not.toContain(secret);
    }
  });

  test('is used for exactly the address it was made for', async () => {
    const origin = await start();
    await run('login', origin);
    expect(await run('list', `${origin}?x=1`)).toMatchObject({ exitCode: 3 });
    expect(await run('whoami', `${origin}?x=1`)).toMatchObject({ exitCode: 3 });
  });

  test('with a client of the operator needs no registration', async () => {
    const client = {
      client_id: 'cli',
      application_type: 'native' as const,
      token_endpoint_auth_method: 'none' as const,
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code' as const],
    };
    const origin = await start({ clients: [client], more: {} });
    expect(await run('login', origin, '--client-id', 'cli')).toMatchObject({ exitCode: 0 });
    expect(server.issuer.requests.filter((line) => line.startsWith('POST /reg'))).toEqual([]);
    expect((await run('list', origin)).exitCode).toBe(0);
  });
});

describe('a login that fails stores nothing', () => {
  afterEach(() => expect(storedFiles()).toEqual([]));

  test('because the person refuses', async () => {
    const origin = await start({ refuses: true });
    const result = await run('login', origin);
    expect(result).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('was refused there') });
    expect(result.stderr).not.toContain('secret-code-1');
  });

  verifies(['ID-5'], 'because the server hides PKCE', async () => {
    const origin = await start({ hidesPkce: true });
    expect(await run('login', origin)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('PKCE') });
    expect(server.issuer.requests.filter((line) => line.includes('/auth?'))).toEqual([]);
  });

  test('because the port is taken', async () => {
    const origin = await start();
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    expect(await run('login', origin, '--callback-port', port)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`Port ${port} is already in use`),
    });
  });

  test('because the server takes another issuer only', async () => {
    const origin = await start();
    expect(await run('login', origin, '--issuer', 'https://other.example')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('only of'),
    });
  });

  verifies(['ID-20'], 'because it is not a server with logins', async () => {
    await start();
    for (const origin of ['stdio:node x.mjs', 'git:https://example.com/x.git', '.'])
      expect(await run('login', origin), origin).toMatchObject({ exitCode: 2 });
  });

  test('because options are wrong', async () => {
    const origin = await start();
    const wrong = [
      ['--client-secret-env', 'X'],
      ['--scope', 'a"b'],
      ['--client-metadata-url', 'http://x/y'],
      ['--issuer', 'nowhere'],
      ['--callback-port', '0'],
    ];
    for (const options of wrong)
      expect(await run('login', origin, ...options), options[0]).toMatchObject({ exitCode: 2 });
  });
});
