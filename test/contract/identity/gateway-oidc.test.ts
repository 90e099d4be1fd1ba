/** A gateway whose callers come from an identity provider, from its configuration to the wire. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  auth,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
} from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConfiguration } from '../../../src/gateway/configuration.ts';
import { limits } from '../../../src/limits.ts';
import { openState } from '../../../src/node/open-state.ts';
import { type ConfiguredHandle, serveConfiguration } from '../../../src/node/serve-configuration.ts';
import { createRevocations } from '../../../src/serving/access/revocations.ts';
import { createTokenBook } from '../../../src/serving/access/token-book.ts';
import type { Store } from '../../../src/store/store.ts';
import { browse, startAuthorizationServer } from '../../authorization-server.ts';
import { freePort } from '../../e2e/free-port.ts';
import { eventually } from '../../eventually.ts';
import { openListen } from '../../open-stream.ts';
import { verifies } from '../../requirements/verifies.ts';
import { type ScriptedIssuer, scriptedIssuer } from '../../scripted-issuer.ts';
import { listedUris } from '../../served-folder.ts';
import { modern } from '../raw-mcp.ts';

const cleanUp: (() => unknown)[] = [];
let folder = '';
let issuer: ScriptedIssuer;
let store: Store;
let handle: ConfiguredHandle;
let url = '';
const lines: string[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skillwire-oidc-'));
  for (const path of ['docs/refunds', 'ops/restart']) {
    mkdirSync(join(folder, path), { recursive: true });
    const name = path.split('/')[1];
    writeFileSync(join(folder, path, 'SKILL.md'), `---\nname: ${name}\ndescription: About ${name}.\n---\n\n# Text\n`);
  }
  issuer = await scriptedIssuer();
  lines.length = 0;
  const env = { SKILLWIRE_HOME: join(folder, 'home') };
  store = await openState({}, { cwd: folder, env }, () => undefined);
  cleanUp.push(
    () => rmSync(folder, { recursive: true, force: true }),
    () => issuer.close(),
    () => store.close(),
  );
});

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const rules = [
  { match: { groups: 'readers' }, profile: 'writers' },
  { match: { groups: 'oncall' }, profile: 'everything', operator: true },
  { match: { scope: 'skills:operate' }, profile: 'everything', operator: true },
];

function configured(oidc: object | undefined, port: number, more: object = {}) {
  const access = {
    ...(oidc === undefined ? {} : { oidc: { audience: `http://127.0.0.1:${port}/mcp`, claims: rules, ...oidc } }),
    url: `http://127.0.0.1:${port}`,
    ...more,
  };
  const text = JSON.stringify({
    origins: { docs: './docs', ops: './ops' },
    profiles: { writers: { origins: ['docs'] }, everything: {} },
    access,
  });
  return parseConfiguration(text, 'skillwire.json');
}

async function start(oidc: object | null = { issuer: issuer.issuer }, more: object = {}): Promise<void> {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  handle = await serveConfiguration(configured(oidc ?? undefined, port, more), {
    http: { host: '127.0.0.1', port },
    base: folder,
    env: { SKILLWIRE_HOME: join(folder, 'home'), SECRET: 'sesame' },
    log: { line: (line) => lines.push(line) },
  });
  const { close } = handle;
  cleanUp.push(close);
}

const sign = (claims: object): Promise<string> => issuer.sign({ sub: 'ada', aud: `${url}/mcp`, ...claims });
const listed = (token?: string) => listedUris(`${url}/mcp`, token);
const challengeOf = async (path: string, authorization?: string): Promise<readonly [number, string | null]> => {
  const answer = await fetch(`${url}${path}`, { headers: authorization === undefined ? {} : { authorization } });
  await answer.body?.cancel();
  return [answer.status, answer.headers.get('www-authenticate')];
};
const metadataPath = '/.well-known/oauth-protected-resource/mcp';

describe('callers of an identity provider', () => {
  test('see the profile of their group, beside callers with our own tokens', async () => {
    await start();
    expect(await listed(await sign({ groups: ['readers'] }))).toEqual(['skill://docs/refunds/SKILL.md']);
    expect(await listed(await sign({ groups: ['oncall'] }))).toHaveLength(2);
    expect(await listed(await sign({ groups: ['others'] }))).toBe(403);
    const { token } = await createTokenBook(store).add({ name: 'ci', profile: 'writers' });
    expect(await listed(token)).toHaveLength(1);
    expect(await listed()).toBe(401);
  });

  verifies(['ID-22', 'ID-23', 'ID-25', 'ID-29', 'ID-31'], 'get the address of their issuer', async () => {
    await start({ issuer: issuer.issuer, scopes: ['skills'] });
    const [status, challenge] = await challengeOf('/mcp');
    expect(status).toBe(401);
    expect(challenge).toBe(`Bearer scope="skills", resource_metadata="${url}${metadataPath}"`);
    const metadata = await fetch(`${url}${metadataPath}`);
    expect(await metadata.json()).toEqual({
      resource: `${url}/mcp`,
      authorization_servers: [issuer.issuer],
      scopes_supported: ['skills'],
      bearer_methods_supported: ['header'],
    });
    expect((await challengeOf('/mcp', 'Basic eDp5'))[1]).not.toContain('error');
  });

  verifies(['ID-24', 'ID-26', 'ID-28'], 'get the fault of a token, and the missing scopes', async () => {
    await start({ issuer: issuer.issuer, scopes: ['skills'] });
    const metadata = `resource_metadata="${url}${metadataPath}"`;
    expect(await challengeOf('/mcp', 'Bearer x.y.z')).toEqual([
      401,
      `Bearer error="invalid_token", error_description="The token is not accepted", scope="skills", ${metadata}`,
    ]);
    expect((await challengeOf('/mcp', 'Bearer two words'))[0]).toBe(400);
    // An empty token is usually a variable that is not set.
    expect((await challengeOf('/mcp', 'Bearer'))[0]).toBe(401);
    const plain = await sign({ groups: ['readers'] });
    const denied = 'Bearer error="insufficient_scope", error_description="The token does not allow this"';
    expect(await challengeOf('/mcp', `Bearer ${plain}`)).toEqual([403, `${denied}, scope="skills", ${metadata}`]);
    const reader = await sign({ groups: ['readers'], scope: 'skills' });
    expect(await challengeOf('/metrics', `Bearer ${reader}`)).toEqual([
      403,
      `${denied}, scope="skills skills:operate", ${metadata}`,
    ]);
    // A scope that gives a profile includes the scopes that every token must have.
    expect((await challengeOf('/metrics', `Bearer ${await sign({ scope: 'skills:operate' })}`))[0]).toBe(200);
    const nobody = await sign({ groups: [], scope: 'skills' });
    expect(await challengeOf('/mcp', `Bearer ${nobody}`)).toEqual([
      403,
      `${denied}, scope="skills skills:operate", ${metadata}`,
    ]);
  });

  verifies(['ID-23'], 'get no link to metadata that does not exist', async () => {
    await start(null);
    expect(await challengeOf('/mcp')).toEqual([401, 'Bearer']);
    expect((await challengeOf('/mcp', 'Bearer nonsense'))[1]).not.toContain('resource_metadata');
    expect((await fetch(`${url}${metadataPath}`)).status).toBe(404);
  });

  test('may have tokens of up to 16 KiB', async () => {
    await start();
    const groups = Array.from({ length: 200 }, () => crypto.randomUUID());
    const large = await sign({ groups: [...groups, 'readers'] });
    expect(await listed(large)).toHaveLength(1);
    const padding = 'x'.repeat(((limits.access.tokenCharacters - 850) * 3) / 4);
    const largest = await sign({ groups: ['readers'], padding });
    expect(largest.length).toBeGreaterThan(16_000);
    expect(await listed(largest)).toHaveLength(1);
    const tooLarge = await sign({ groups: ['readers'], padding: 'x'.repeat(limits.access.tokenCharacters) });
    expect(await listed(tooLarge)).toBe(401);
  });

  test('are refused at the next request, and on open streams, after they are revoked', async () => {
    await start();
    const token = await sign({ groups: ['readers'], jti: 'one' });
    const other = await sign({ groups: ['readers'], jti: 'two', sub: 'bob' });
    const streams = await Promise.all(
      [token, other].map((bearer) => openListen(`${url}/mcp`, { authorization: `Bearer ${bearer}` })),
    );
    cleanUp.push(...streams.map(({ close }) => close));
    const revocations = createRevocations(store);
    await revocations.add({ kind: 'subject', id: 'ada' }, 'left');
    expect(await listed(token)).toBe(401);
    await eventually(() => expect(streams[0]?.isEnded()).toBe(true));
    expect(streams[1]?.isEnded()).toBe(false);
    expect(await listed(other)).toHaveLength(1);
    await revocations.add({ kind: 'jti', issuer: issuer.issuer, id: 'two' }, 'leaked');
    expect(await listed(other)).toBe(401);
    await eventually(() => expect(streams[1]?.isEnded()).toBe(true));
    expect(await listed(await sign({ groups: ['readers'], jti: 'three', sub: 'bob' }))).toHaveLength(1);
    expect(await revocations.restore({ kind: 'subject', id: 'ada' }, '')).toBe(true);
    expect(await listed(token)).toHaveLength(1);
    await revocations.add({ kind: 'subject', issuer: 'https://other.example', id: 'ada' }, '');
    expect(await listed(token)).toHaveLength(1);
  });

  test('get 503 while keys cannot be fetched, and the operator gets a message', async () => {
    issuer.mode = 'fails';
    await start();
    const answer = await modern(`${url}/mcp`, 'skills/list', {}, { authorization: `Bearer ${await sign({})}` });
    expect(answer.status).toBe(503);
    expect(lines.join('\n')).toContain(issuer.issuer);
    const { token } = await createTokenBook(store).add({ name: 'ci', profile: 'writers' });
    expect(await listed(token)).toHaveLength(1);
  });

  test('follow a reload of rules and providers', async () => {
    await start();
    const token = await sign({ groups: ['readers'] });
    expect(await listed(token)).toHaveLength(1);
    const port = Number(new URL(url).port);
    const claims = [{ match: { groups: 'readers' }, profile: 'everything' }];
    const missing = { issuer: issuer.issuer, signIn: { clientId: 'x', clientSecretEnv: 'NOT_SET' } };
    expect((await handle.reload(configured(missing, port))).refusal?.reason).toContain('NOT_SET');
    expect(await listed(token)).toHaveLength(1);
    await handle.reload(configured({ issuer: issuer.issuer, claims }, port));
    expect(await listed(token)).toHaveLength(2);
    await handle.reload(configured(undefined, port));
    expect(await listed(token)).toBe(401);
  });
});

describe('a configuration', () => {
  const faultsOf = (oidc: object, more: object = {}): string => {
    try {
      configured(oidc, 1, more);
      return '';
    } catch (error) {
      return JSON.stringify((error as { data: unknown }).data);
    }
  };

  test.each([
    ['an http issuer', { issuer: 'http://login.example.com' }, 'https address'],
    ['an issuer with a query', { issuer: 'https://login.example.com?x=1' }, 'without query'],
    ['no audience', { issuer: 'https://a.example', audience: undefined }, 'audience'],
    ['an algorithm with a secret', { issuer: 'https://a.example', algorithms: ['HS256'] }, 'algorithms'],
    ['a rule that gives nothing', { issuer: 'https://a.example', claims: [{ match: { a: 'b' } }] }, 'must give'],
    [
      'a rule for everybody',
      { issuer: 'https://a.example', claims: [{ match: {}, profile: 'writers' }] },
      'must name a claim',
    ],
    [
      'an unknown profile',
      { issuer: 'https://a.example', claims: [{ match: { a: 'b' }, profile: 'x' }] },
      'unknown profile',
    ],
    [
      'a secret in the file',
      { issuer: 'https://a.example', signIn: { clientId: 'a', clientSecret: 'b' } },
      'clientSecret',
    ],
  ])('with %s is refused', (_, oidc, fault) => {
    expect(faultsOf(oidc)).toContain(fault);
  });

  test('needs the address that clients use', () => {
    expect(faultsOf({ issuer: 'https://a.example' }, { url: undefined })).toContain('needs \\"url\\"');
  });
});

verifies(['ID-1', 'ID-2'], 'a client of the official SDK finds the issuer, logs in and reads', async () => {
  const server = await startAuthorizationServer({
    resources: () => [`${url}/mcp`],
    groups: { ada: ['readers'] },
    login: 'ada',
  });
  cleanUp.push(server.close);
  await start({ issuer: server.issuer, scopes: ['skills'] });
  let tokens: OAuthTokens | undefined;
  let client: OAuthClientInformationMixed | undefined;
  let verifier = '';
  let authorizationUrl: URL | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl: 'http://127.0.0.1:1/callback',
    clientMetadata: {
      client_name: 'test',
      redirect_uris: ['http://127.0.0.1:1/callback'],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => client,
    saveClientInformation: (saved) => {
      client = saved;
    },
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved;
    },
    redirectToAuthorization: (address) => {
      authorizationUrl = address;
    },
    saveCodeVerifier: (saved) => {
      verifier = saved;
    },
    codeVerifier: () => verifier,
  };
  expect(await auth(provider, { serverUrl: `${url}/mcp` })).toBe('REDIRECT');
  expect(authorizationUrl?.searchParams.get('scope')).toBe('skills');
  const back = await browse(authorizationUrl ?? '');
  const { code, iss } = Object.fromEntries(back.searchParams);
  expect(await auth(provider, { serverUrl: `${url}/mcp`, authorizationCode: code, iss })).toBe('AUTHORIZED');
  expect(await listed(tokens?.access_token)).toEqual(['skill://docs/refunds/SKILL.md']);
});
