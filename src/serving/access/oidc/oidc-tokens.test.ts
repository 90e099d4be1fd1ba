/** Tokens of an issuer whose keys and failures the tests decide, over a real socket. */
import { createHash } from 'node:crypto';
import { exportSPKI, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements/verifies.ts';
import { type ScriptedIssuer, scriptedIssuer, seconds } from '../../../../test/scripted-issuer.ts';
import { limits } from '../../../limits.ts';
import { createHttpClient } from '../../../outbound/http-client.ts';
import { type IdentityProvider, usualAlgorithms } from './identity-provider.ts';
import { createOidcTokens } from './oidc-tokens.ts';
import { createProviderClients } from './provider-client.ts';

const audience = 'https://skills.example/mcp';
let issuer: ScriptedIssuer;
let time = 0;
const now = (): number => Date.now() + time;
const clients: ReturnType<typeof createHttpClient>[] = [];

beforeEach(async () => {
  time = 0;
  issuer = await scriptedIssuer('/acme');
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await issuer.close();
});

const reports: string[] = [];

function tokens(more: Partial<IdentityProvider> = {}, others: readonly IdentityProvider[] = []) {
  reports.length = 0;
  const client = createHttpClient({ trustedHost: '127.0.0.1', deadlineMs: 1_000, maxBytes: limits.access.issuerBytes });
  clients.push(client);
  const { fetch } = client;
  const provider: IdentityProvider = {
    issuer: issuer.issuer,
    audience: [audience],
    audienceClaim: 'aud',
    subjectClaim: 'sub',
    algorithms: usualAlgorithms,
    scopes: [],
    rules: [{ match: { groups: ['readers'] }, profile: 'team' }],
    ...more,
  };
  return createOidcTokens({
    providers: [provider, ...others],
    fetch,
    clients: createProviderClients(fetch, now),
    digest: (bytes) => createHash('sha256').update(bytes).digest('hex'),
    report: (line) => reports.push(line),
    now,
  });
}

const reader = { sub: 'ada', aud: audience, groups: ['readers'] };

describe('a JWT', () => {
  test('has the profile of its groups, and names its owner', async () => {
    const caller = await tokens().verify(await issuer.sign({ ...reader, jti: '7', preferred_username: 'Ada' }));
    expect(caller).toMatchObject({
      id: `${issuer.issuer}#ada`,
      name: 'Ada',
      subject: { issuer: issuer.issuer, id: 'ada' },
      tokenId: '7',
      profile: 'team',
      operator: false,
      approver: false,
    });
  });

  verifies(['ID-27', 'ID-30'], 'is refused if any part of it is wrong', async () => {
    const { verify } = tokens();
    const [key] = issuer.keys;
    const publicKey = await importJWK(key as object, 'RS256');
    const pem = await exportSPKI(publicKey as CryptoKey);
    const stranger = await issuer.addKey('stranger', 'RS256', false);
    const impostor = await issuer.addKey('first', 'RS256', false);
    const confused = new SignJWT({ ...reader, iss: issuer.issuer, exp: seconds(300) })
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .sign(new TextEncoder().encode(pem));
    const good = await issuer.sign(reader);
    const [head = '', body = '', signature = ''] = good.split('.');
    const other = Buffer.from(JSON.stringify({ ...reader, iss: issuer.issuer, exp: seconds(300), sub: 'eve' }));
    const wrong: Readonly<Record<string, string>> = {
      'alg none': new UnsecuredJWT({ ...reader, iss: issuer.issuer, exp: seconds(300) }).encode(),
      'a public key as a secret': await confused,
      'another audience': await issuer.sign({ ...reader, aud: 'https://other.example' }),
      'an audience with a slash more': await issuer.sign({ ...reader, aud: `${audience}/` }),
      'no audience': await issuer.sign({ sub: 'ada', groups: ['readers'] }),
      'another issuer': await issuer.sign({ ...reader, iss: 'https://evil.example' }),
      'an issuer with a slash more': await issuer.sign({ ...reader, iss: `${issuer.issuer}/` }),
      expired: await issuer.sign({ ...reader, exp: seconds(-60) }),
      'not yet valid': await issuer.sign({ ...reader, nbf: seconds(300) }),
      'without an expiry': await issuer.sign({ ...reader, exp: undefined }),
      'without a subject': await issuer.sign({ ...reader, sub: undefined }),
      'an unknown key': await issuer.sign(reader, { key: stranger }),
      'another key under a known id': await issuer.sign(reader, { key: impostor }),
      'another kind of JWT': await issuer.sign(reader, { header: { typ: 'logout+jwt' } }),
      'other claims under a signature': [head, other.toString('base64url'), signature].join('.'),
      'no signature': `${head}.${body}.`,
      garbage: 'a.b.c',
      empty: '..',
    };
    expect(await verify(good)).toBeDefined();
    for (const [what, token] of Object.entries(wrong)) expect(await verify(token), what).toBeUndefined();
  });

  test('of a caller without a matching rule has no profile', async () => {
    expect(await tokens().verify(await issuer.sign({ ...reader, groups: ['others'] }))).toMatchObject({ profile: '' });
  });

  test.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('may be signed with %s', async (alg) => {
    const key = await issuer.addKey(alg, alg);
    expect(await tokens().verify(await issuer.sign(reader, { key }))).toBeDefined();
  });

  test('is refused if its algorithm is not in the list', async () => {
    const key = await issuer.addKey('ec', 'ES256');
    const { verify } = tokens({ algorithms: ['RS256'] });
    expect(await verify(await issuer.sign(reader, { key }))).toBeUndefined();
    expect(await verify(await issuer.sign(reader))).toBeDefined();
  });

  verifies(['ID-30'], 'is valid a little longer than its issuer says, because clocks differ', async () => {
    const { verify } = tokens();
    const token = await issuer.sign({ ...reader, exp: seconds(10) });
    const tolerance = limits.access.clockToleranceMs;
    expect((await verify(token))?.expiresAt).toBeGreaterThan(seconds(10 + tolerance / 1000 - 2));
    time = 10_000 + tolerance / 2;
    expect(await verify(token)).toBeDefined();
    time = 10_000 + tolerance + 2_000;
    expect(await verify(token)).toBeUndefined();
  });

  test('with 200 groups is accepted', async () => {
    const groups = Array.from({ length: 200 }, () => crypto.randomUUID());
    const token = await issuer.sign({ ...reader, groups: [...groups, 'readers'] });
    expect(token.length).toBeGreaterThan(10_000);
    expect(token.length).toBeLessThan(limits.access.tokenCharacters);
    expect(await tokens().verify(token)).toMatchObject({ profile: 'team' });
  });

  test('without its groups has no profile, and the operator gets one message', async () => {
    const { verify } = tokens();
    const { groups: _, ...rest } = reader;
    for (const jti of ['1', '2'])
      expect(await verify(await issuer.sign({ ...rest, jti, _claim_names: { groups: 'src1' } }))).toMatchObject({
        profile: '',
      });
    expect(reports).toHaveLength(1);
    expect(reports[0]).toContain('"groups"');
  });

  test('names its audience in client_id if the configuration says so, and its owner in another claim', async () => {
    const { verify } = tokens({ audienceClaim: 'client_id', audience: ['app'], subjectClaim: 'oid' });
    const { aud: _, ...rest } = reader;
    expect(await verify(await issuer.sign({ ...rest, client_id: 'app', oid: '1-2' }))).toMatchObject({
      subject: { id: '1-2' },
    });
    expect(await verify(await issuer.sign({ ...rest, client_id: 'other', oid: '1-2' }))).toBeUndefined();
  });

  test('of one issuer is not verified with the keys of another', async () => {
    const second = await scriptedIssuer();
    try {
      const { verify } = tokens({}, [
        {
          issuer: second.issuer,
          audience: ['ci'],
          audienceClaim: 'aud',
          subjectClaim: 'sub',
          algorithms: usualAlgorithms,
          scopes: [],
          rules: [{ match: { repository: ['acme/skills'] }, profile: 'ci' }],
        },
      ]);
      const ci = { sub: 'repo:acme/skills', aud: 'ci', repository: 'acme/skills' };
      expect(await verify(await second.sign(ci))).toMatchObject({ profile: 'ci' });
      expect(await verify(await issuer.sign({ ...ci, iss: second.issuer }))).toBeUndefined();
    } finally {
      await second.close();
    }
  });
});

describe('keys', () => {
  test('are fetched once for all callers, and again after a while', async () => {
    const { verify } = tokens();
    const signed = await Promise.all(
      Array.from({ length: 20 }, (_, jti) => issuer.sign({ ...reader, jti: `${jti}`, exp: seconds(9_999) })),
    );
    await Promise.all(signed.map(verify));
    const fetched = (): number => issuer.requests.filter((path) => path === '/keys').length;
    expect(fetched()).toBe(1);
    time = limits.access.keysMs + 1;
    await Promise.all(signed.map(verify));
    expect(fetched()).toBe(2);
  });

  test('may rotate: a new one is found, and wrong tokens cause few requests', async () => {
    const { verify } = tokens();
    expect(await verify(await issuer.sign(reader))).toBeDefined();
    const next = await issuer.addKey('next');
    const token = await issuer.sign(reader, { key: next });
    expect(await verify(token)).toBeUndefined();
    time = limits.access.keysCooldownMs;
    expect(await verify(token)).toBeDefined();
    const stranger = await issuer.addKey('stranger', 'RS256', false);
    const before = issuer.requests.length;
    for (let count = 0; count < 20; count++)
      expect(await verify(await issuer.sign({ ...reader, jti: `${count}` }, { key: stranger }))).toBeUndefined();
    expect(issuer.requests.length - before).toBe(0);
  });

  test('that are withdrawn invalidate their tokens, even cached ones', async () => {
    const { verify } = tokens();
    const token = await issuer.sign({ ...reader, exp: seconds(9_999) });
    expect(await verify(token)).toBeDefined();
    issuer.keys = [];
    const next = await issuer.addKey('next');
    time = limits.access.keysCooldownMs;
    expect(await verify(await issuer.sign(reader, { key: next }))).toBeDefined();
    expect(await verify(token)).toBeUndefined();
  });

  test('that are withdrawn invalidate their tokens when the cached keys expire', async () => {
    const { verify } = tokens();
    const token = await issuer.sign({ ...reader, exp: seconds(9_999) });
    expect(await verify(token)).toBeDefined();
    issuer.keys = [];
    await issuer.addKey('next');
    time = limits.access.keysMs + 1;
    expect(await verify(token)).toBeUndefined();
  });

  test('are used for a while after their issuer stops answering', async () => {
    const { verify } = tokens();
    const token = await issuer.sign({ ...reader, exp: seconds(99_999) });
    expect(await verify(token)).toBeDefined();
    issuer.mode = 'fails';
    time = limits.access.keysMs + 1;
    expect(await verify(token)).toBeDefined();
    time = limits.access.staleKeysMs + limits.access.keysCooldownMs;
    await expect(verify(token)).rejects.toMatchObject({ code: 'ORIGIN_FAILED' });
    issuer.mode = 'answers';
    time += limits.access.keysCooldownMs;
    expect(await verify(token)).toBeDefined();
  });

  test.each([
    ['fails', 'ORIGIN_FAILED'],
    ['page', 'ORIGIN_FAILED'],
    ['hangs', 'TIMED_OUT'],
  ] as const)('that cannot be fetched are a fault of the server, not of the token: %s', async (mode, code) => {
    issuer.mode = mode;
    const { verify } = tokens();
    const token = await issuer.sign(reader);
    await expect(verify(token)).rejects.toMatchObject({ code });
    const before = issuer.requests.length;
    await expect(verify(token)).rejects.toMatchObject({ code });
    expect(issuer.requests.length).toBe(before);
  });

  test('that are secrets are not used', async () => {
    const secret = 'x'.repeat(43);
    issuer.keys = [{ kty: 'oct', k: secret, kid: 'first', alg: 'HS256' }];
    const token = await new SignJWT({ ...reader, iss: issuer.issuer, exp: seconds(300) })
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .sign(Buffer.from(secret, 'base64url'));
    expect(await tokens().verify(token)).toBeUndefined();
    await expect(tokens().verify(await issuer.sign(reader))).rejects.toMatchObject({ code: 'ORIGIN_FAILED' });
  });

  test('without ids are all tried', async () => {
    issuer.keys = [];
    await issuer.addKey(undefined);
    const second = await issuer.addKey(undefined);
    const { verify } = tokens();
    expect(await verify(await issuer.sign(reader, { key: second }))).toBeDefined();
    const stranger = await issuer.addKey(undefined, 'RS256', false);
    expect(await verify(await issuer.sign(reader, { key: stranger }))).toBeUndefined();
  });

  verifies(
    ['ID-3', 'ID-4'],
    'are found by metadata in the order of the specification, which must name the issuer',
    async () => {
      await tokens().verify(await issuer.sign(reader));
      expect(issuer.requests).toEqual([
        '/.well-known/oauth-authorization-server/acme',
        '/.well-known/openid-configuration/acme',
        '/acme/.well-known/openid-configuration',
        '/keys',
      ]);
      issuer.metadata = { issuer: `${issuer.issuer}/` };
      await expect(tokens().verify(await issuer.sign(reader))).rejects.toMatchObject({ code: 'BAD_ANSWER' });
      expect(
        await tokens({ jwks: `${new URL(issuer.issuer).origin}/keys` }).verify(await issuer.sign(reader)),
      ).toBeDefined();
    },
  );
});

test('a cached token is not verified again until it expires', async () => {
  const { verify } = tokens();
  const token = await issuer.sign({ ...reader, exp: seconds(120) });
  const first = await verify(token);
  expect(await verify(token)).toBe(first);
  time = 120_000 + limits.access.clockToleranceMs + 1_000;
  expect(await verify(token)).toBeUndefined();
});

describe('a token that is not a JWT', () => {
  const introspection = { clientId: 'gateway', clientSecret: 'sesame' };
  const active = { active: true, ...reader, client_id: 'app', exp: seconds(300) };

  test('is checked at its issuer, with the credentials of this server', async () => {
    const headers: string[] = [];
    issuer.introspect = (token, authorization) => {
      headers.push(authorization);
      return token === 'opaque' ? active : { active: false };
    };
    const { verify } = tokens({ introspection });
    expect(await verify('opaque')).toMatchObject({ subject: { id: 'ada' }, profile: 'team' });
    expect(await verify('opaque')).toBeDefined();
    expect(headers).toEqual([`Basic ${Buffer.from('gateway:sesame').toString('base64')}`]);
    expect(await verify('other')).toBeUndefined();
    issuer.introspect = () => ({ active: false });
    time = limits.access.introspectedMs + 1;
    expect(await verify('opaque')).toBeUndefined();
  });

  test.each([
    ['for another audience', { ...active, aud: 'other' }],
    ['without an audience', { ...active, aud: undefined }],
    ['of another issuer', { ...active, iss: 'https://evil.example' }],
    ['expired', { ...active, exp: seconds(-1) }],
    ['not yet valid', { ...active, nbf: seconds(600) }],
    ['without a subject', { ...active, sub: undefined }],
  ])('is refused: %s', async (_, answer) => {
    issuer.introspect = () => answer;
    expect(await tokens({ introspection }).verify('opaque')).toBeUndefined();
  });

  test('is refused without a provider, and a failure is a fault of the server', async () => {
    expect(await tokens().verify('opaque')).toBeUndefined();
    expect(issuer.requests).toEqual([]);
    await expect(tokens({ introspection }).verify('opaque')).rejects.toMatchObject({ code: 'ORIGIN_FAILED' });
  });
});
