/** `auth` of an origin: programs that authenticate themselves, without a person, against real and scripted authorization servers. */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConfiguration } from '../../../src/gateway/configuration.ts';
import { referenceTo } from '../../../src/origins/credentials.ts';
import { openOrigin } from '../../../src/origins/open-origin.ts';
import { configuredOrigin } from '../../../src/origins/resolve-reading.ts';
import { type CliFolder, cliFolder } from '../../e2e/cli-process.ts';
import { eventually } from '../../eventually.ts';
import { type ProtectedServer, standInBrowser, startProtectedServer } from '../../protected-server.ts';
import { verifies } from '../../requirements/verifies.ts';
import { type ScriptedUpstream, scriptedUpstream } from '../../scripted-upstream.ts';

let folder: CliFolder;
const cleanUp: (() => unknown)[] = [];
beforeEach(() => {
  folder = cliFolder();
  cleanUp.push(() => folder.remove());
});
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const secret = 'secret-of-the-gateway';
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicJwk = { ...keys.publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' };

async function start(options: Parameters<typeof startProtectedServer>[0] = {}): Promise<ProtectedServer> {
  const program = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] };
  const server = await startProtectedServer({
    groups: { ada: ['readers'], gateway: ['readers'], posted: ['readers'], keyed: ['readers'] },
    clients: [
      { ...program, client_id: 'gateway', client_secret: secret },
      { ...program, client_id: 'posted', client_secret: secret, token_endpoint_auth_method: 'client_secret_post' },
      { ...program, client_id: 'keyed', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [publicJwk] } },
    ],
    ...options,
  });
  cleanUp.push(() => server.close());
  return server;
}

async function scripted(): Promise<ScriptedUpstream> {
  const upstream = await scriptedUpstream();
  cleanUp.push(() => upstream.close());
  return upstream;
}

function configure(url: string, auth: object, kind: 'mcp' | 'site' = 'mcp'): void {
  folder.write({ 'skillwire.json': JSON.stringify({ origins: { up: { [kind]: url, auth } } }) });
}

const env: Readonly<Record<string, string>> = { SECRET: secret, BROWSER: standInBrowser };
/** A file that the user names is the user's own. */
const own = ['--config', 'skillwire.json'];
const list = (more: Readonly<Record<string, string>> = {}) => folder.run(['list', 'up', ...own], { ...env, ...more });

describe('a program reads a protected server', () => {
  verifies(['ID-33'], 'with a client secret of a variable or a file', async () => {
    const { url, issuer } = await start();
    folder.write({ 'keys/secret': `${secret}\n` });
    for (const place of [{ clientSecretEnv: 'SECRET' }, { clientSecretFile: 'keys/secret' }]) {
      configure(url, { clientCredentials: { issuer: issuer.issuer, clientId: 'gateway', ...place } });
      expect(await list()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('refunds') });
    }
    expect((await folder.run(['verify', 'up', ...own], env)).exitCode).toBe(0);
    expect(issuer.requests.filter((line) => /\/(?:reg|auth)\b/.test(line))).toEqual([]);
  });

  test('that is a site', async () => {
    const { url, issuer } = await start();
    const auth = { clientCredentials: { issuer: issuer.issuer, clientId: 'gateway', clientSecretEnv: 'SECRET' } };
    configure(new URL(url).origin, auth, 'site');
    expect(await list()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('refunds') });
  });

  test('with a private key, as PEM in a file or as a JWK in a variable', async () => {
    const { url, issuer } = await start();
    const common = { issuer: issuer.issuer, clientId: 'keyed' };
    const pem = { type: 'pkcs1', format: 'pem' } as const;
    writeFileSync(join(folder.path, 'key.pem'), keys.privateKey.export(pem));
    configure(url, { privateKeyJwt: { ...common, keyFile: './key.pem' } });
    expect(await list()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('refunds') });
    configure(url, { privateKeyJwt: { ...common, keyEnv: 'KEY' } });
    const KEY = JSON.stringify(keys.privateKey.export({ format: 'jwk' }));
    expect(await list({ KEY })).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('refunds') });
  });

  test("with the platform's own token, which is read again for each request", async () => {
    const { url, issuer } = await start();
    const token = () =>
      new SignJWT({ jti: crypto.randomUUID() })
        .setProtectedHeader({ alg: 'RS256' })
        .setIssuer('keyed')
        .setSubject('keyed')
        .setAudience(issuer.issuer)
        .setExpirationTime('2m')
        .sign(createPrivateKey(keys.privateKey.export({ type: 'pkcs8', format: 'pem' })));
    folder.write({ 'token.jwt': `${await token()}\n` });
    configure(url, { workload: { issuer: issuer.issuer, clientId: 'keyed', tokenFile: 'token.jwt' } });
    expect(await list()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('refunds') });
    folder.write({ 'token.jwt': await token() });
    expect(await list()).toMatchObject({ exitCode: 0 });
  });

  test('and gets a new token before the old one expires', async () => {
    const { url, issuer } = await start({ accessTokenSeconds: 1 });
    const auth = { clientCredentials: { issuer: issuer.issuer, clientId: 'gateway', clientSecretEnv: 'SECRET' } };
    const { origins } = parseConfiguration(JSON.stringify({ origins: { up: { mcp: url, auth } } }), 'skillwire.json');
    const place = { cwd: folder.path, home: folder.path, found: undefined };
    const [origin] = origins.map((one) => configuredOrigin(one, place));
    if (origin === undefined) throw new Error('no origin');
    const { source } = await openOrigin(origin, { cwd: folder.path, env });
    cleanUp.push(() => source.close?.());
    const uris = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const { skills } of source.list({ fresh: true })) found.push(...skills.map(({ entry }) => entry.uri));
      return found;
    };
    await eventually(async () => {
      expect(await uris()).toEqual(['skill://docs/refunds/SKILL.md']);
      expect(issuer.grants.length).toBeGreaterThan(2);
    });
    expect(new Set(issuer.grants.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('with the way to send a secret that the metadata name', async () => {
    const upstream = await scripted();
    const auth = { clientCredentials: { issuer: upstream.issuer, clientId: 'a b', clientSecretEnv: 'SECRET' } };
    configure(upstream.url, auth);
    await list();
    upstream.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    await list();
    const [basic, posted] = upstream.at('/token');
    expect(basic?.headers.authorization).toMatch(/^Basic /);
    expect(basic?.body).not.toContain(secret);
    expect(posted?.headers.authorization).toBeUndefined();
    expect(new URLSearchParams(posted?.body).get('client_secret')).toBe(secret);
  });
});

describe('the requests', () => {
  verifies(['ID-36'], 'declare the extension, and name the resource and the challenged scope', async () => {
    const upstream = await scripted();
    const auth = { clientCredentials: { issuer: upstream.issuer, clientId: 'gateway', clientSecretEnv: 'SECRET' } };
    configure(upstream.url, auth);
    await list();
    const declared = upstream.at('/mcp').map(({ body }) => {
      const { _meta: meta, capabilities } = JSON.parse(body).params;
      return capabilities ?? meta['io.modelcontextprotocol/clientCapabilities'];
    });
    // Both eras: the upstream answers 404 to the first.
    expect(declared.length).toBeGreaterThan(2);
    for (const { extensions } of declared)
      expect(extensions).toHaveProperty(['io.modelcontextprotocol/oauth-client-credentials']);
    const body = new URLSearchParams(upstream.at('/token')[0]?.body);
    expect(Object.fromEntries(body)).toMatchObject({
      grant_type: 'client_credentials',
      scope: 'skills',
      resource: upstream.url,
    });
    configure(upstream.url, {
      clientCredentials: { ...auth.clientCredentials, scope: 'api://x/.default', resource: false },
    });
    await list();
    const other = new URLSearchParams(upstream.at('/token').at(-1)?.body);
    expect([other.get('scope'), other.get('resource')]).toEqual(['api://x/.default', null]);
  });

  verifies(['ID-15'], 'ask once for a missing scope besides the first ones', async () => {
    const upstream = await scripted();
    upstream.challenge = (authorization) =>
      authorization === undefined
        ? { status: 401, header: 'Bearer scope="skills"' }
        : { status: 403, header: 'Bearer error="insufficient_scope", scope="skills:write"' };
    const auth = { clientCredentials: { issuer: upstream.issuer, clientId: 'gateway', clientSecretEnv: 'SECRET' } };
    configure(upstream.url, auth);
    expect(await list()).toMatchObject({ exitCode: 3 });
    const scopes = upstream.at('/token').map(({ body }) => new URLSearchParams(body).get('scope'));
    expect(scopes).toEqual(['skills', 'skills skills:write']);
  });

  test('use the token of a workload as the grant, if the file says so', async () => {
    const upstream = await scripted();
    const workload = { issuer: upstream.issuer, clientId: 'ci', tokenEnv: 'CI_TOKEN', grant: 'jwt-bearer' };
    configure(upstream.url, { workload });
    await list({ CI_TOKEN: 'token-of-the-job' });
    expect(Object.fromEntries(new URLSearchParams(upstream.at('/token')[0]?.body))).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: 'token-of-the-job',
      client_id: 'ci',
      scope: 'skills',
      resource: upstream.url,
    });
  });

  verifies(['ID-21'], 'exchange an ID token at the company for a grant, and that for a token', async () => {
    const [upstream, company] = [await scripted(), await scripted()];
    company.token = () => ({
      access_token: 'grant-of-the-company',
      issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      token_type: 'N_A',
      expires_in: 300,
    });
    const common = { clientId: 'gateway', clientSecretEnv: 'SECRET' };
    configure(upstream.url, {
      enterprise: {
        ...common,
        issuer: upstream.issuer,
        company: { issuer: company.issuer, clientId: 'at-company', idTokenEnv: 'ID_TOKEN' },
      },
    });
    await list({ ID_TOKEN: 'who-i-am' });
    expect(Object.fromEntries(new URLSearchParams(company.at('/token')[0]?.body))).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      audience: upstream.issuer,
      resource: upstream.url,
      subject_token: 'who-i-am',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      client_id: 'at-company',
      scope: 'skills',
    });
    expect(Object.fromEntries(new URLSearchParams(upstream.at('/token')[0]?.body))).toMatchObject({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: 'grant-of-the-company',
    });
    expect(upstream.at('/mcp').at(-1)?.headers.authorization).toBe('Bearer token-of-the-upstream');
    company.token = () => ({ error: 'access_denied', error_description: 'not who-i-am' });
    const refused = await list({ ID_TOKEN: 'who-i-am' });
    expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('gives no grant') });
    expect(refused.stderr).not.toContain('who-i-am');
  });
});

describe('secrets', () => {
  verifies(['ID-12', 'ID-17'], 'go to no other issuer than theirs', async () => {
    const upstream = await scripted();
    const auth = { clientCredentials: { issuer: 'https://login.example', clientId: 'g', clientSecretEnv: 'SECRET' } };
    configure(upstream.url, auth);
    expect(await list()).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('not "https://login.example"') });
    expect(upstream.at('/token')).toEqual([]);
    expect(JSON.stringify(upstream.seen)).not.toContain(secret);
  });

  test('that are refused, missing or unusable are named by their place alone', async () => {
    const { url, issuer } = await start();
    folder.write({ empty: '\n', text: 'no key' });
    const common = { issuer: issuer.issuer, clientId: 'gateway' };
    const cases: readonly (readonly [object, number, string])[] = [
      [{ clientCredentials: { ...common, clientSecretEnv: 'WRONG' } }, 3, 'invalid_client'],
      [{ clientCredentials: { ...common, clientSecretEnv: 'NOT_SET' } }, 2, '"NOT_SET"'],
      [{ clientCredentials: { ...common, clientSecretFile: 'nowhere' } }, 2, 'ENOENT'],
      [{ workload: { ...common, tokenFile: 'empty' } }, 2, 'is empty'],
      [{ privateKeyJwt: { ...common, keyFile: 'text' } }, 2, 'no private key'],
      [{ login: true }, 3, 'not logged in'],
    ];
    for (const [auth, exitCode, said] of cases) {
      configure(url, auth);
      const result = await list({ WRONG: 'wrong-secret' });
      expect(result, said).toMatchObject({ exitCode, stderr: expect.stringContaining(said) });
      expect(result.stderr).not.toMatch(/wrong-secret|no key/);
    }
    configure(url, { clientCredentials: { ...common, clientSecretEnv: 'NOT_SET' } });
    expect((await folder.run(['config', 'check', 'skillwire.json'], env)).stdout).toContain('no');
  });

  test('of a file that came with the folder are not used before it is trusted', async () => {
    const { url, issuer } = await start();
    configure(url, { clientCredentials: { issuer: issuer.issuer, clientId: 'gateway', clientSecretEnv: 'SECRET' } });
    const before = await folder.run(['list', 'up'], env);
    expect(before).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('is not trusted') });
    expect(issuer.requests).toEqual([]);
    const shown = JSON.parse((await folder.run(['trust', '--json'], env)).stdout).files[0];
    const acts = shown.acts.map(({ kind, value }: { kind: string; value: string }) => `${kind} ${value}`);
    expect(acts).toContain(
      `credential clientCredentials issuer=${issuer.issuer} clientId=gateway clientSecretEnv=SECRET`,
    );
    expect(await folder.run(['trust', '--trust-config', shown.digest], env)).toMatchObject({ exitCode: 0 });
    expect(await folder.run(['list', 'up'], env)).toMatchObject({ exitCode: 0 });
  });
});

test('login: true uses the login of the user', async () => {
  const { url } = await start();
  configure(url, { login: true });
  expect(await folder.run(['login', 'up', ...own], env)).toMatchObject({ exitCode: 0 });
  expect(await list()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('refunds') });
});

test('a configuration names one way, and the place of each secret once', async () => {
  const common = { issuer: 'https://login.example', clientId: 'a' };
  const wrong: readonly (readonly [object, string])[] = [
    [{}, 'must have one of'],
    [{ login: true, bearer: referenceTo('A') }, 'are two ways'],
    [{ login: false }, '"login" must be true'],
    [{ clientCredentials: { ...common } }, '"clientSecretEnv" is missing'],
    [{ clientCredentials: { ...common, clientSecretEnv: 'A', clientSecretFile: 'b' } }, 'one secret twice'],
    [{ clientCredentials: { ...common, clientSecret: 'literal-secret' } }, 'unknown key'],
    [{ clientCredentials: { clientId: 'a', clientSecretEnv: 'A' } }, 'add "issuer": "https'],
    [{ clientCredentials: { ...common, issuer: 'http://login.example', clientSecretEnv: 'A' } }, '"issuer" must be'],
    [{ privateKeyJwt: { ...common, keyEnv: 'A', algorithm: 'HS256' } }, '"algorithm" must be'],
    [{ workload: { ...common, tokenEnv: 'A', grant: 'password' } }, '"grant" must be'],
    [{ enterprise: { ...common, clientSecretEnv: 'A', company: common } }, '"idTokenEnv" is missing'],
  ];
  for (const [auth, said] of wrong) {
    configure('https://example.com/mcp', auth);
    const result = await folder.run(['config', 'check', 'skillwire.json']);
    expect(result, said).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(said) });
    expect(result.stderr).not.toContain('literal-secret');
  }
});
