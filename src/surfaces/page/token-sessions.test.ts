/** Sessions of one browser at two servers with a shared store. */
import { beforeEach, describe, expect, test } from 'vitest';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { pageVault } from '../../serving/access/page-vault.ts';
import { type SignedInPeople, type StoredSessions, storedSessions } from '../../serving/access/stored-sessions.ts';
import { localTemporary } from '../../store/local-temporary.ts';
import type { TemporaryValues } from '../../store/store.ts';
import type { PageRequest } from './page-request.ts';
import { csrfHeader } from './session-cookie.ts';
import { createTokenSessions, type TokenHolder } from './token-sessions.ts';

const holder: TokenHolder = { profile: 'staff', approver: true, operator: false };
let now = 1_000_000;
let values: TemporaryValues;
let isAway = false;
beforeEach(() => {
  values = localTemporary(() => now);
  isAway = false;
});

const noPeople: SignedInPeople = { of: () => undefined, add: () => 'unexpected' };

function server(people: SignedInPeople = noPeople) {
  const check = (): void => {
    if (isAway) throw new SkillwireError('STORE_AWAY', 'It is away.');
  };
  const reached: TemporaryValues = {
    async set(...args) {
      check();
      await values.set(...args);
    },
    async get(key) {
      check();
      return values.get(key);
    },
    async delete(key) {
      check();
      return values.delete(key);
    },
  };
  const copies: StoredSessions = storedSessions(pageVault(reached), people);
  return createTokenSessions({
    accepts: async (token) => (token === 'good' ? holder : undefined),
    secure: () => false,
    providers: () => [],
    copies,
    now: () => now,
  });
}

function request(headers: Readonly<Record<string, string>> = {}, body: object = {}): PageRequest {
  return {
    method: 'POST',
    target: '/api/session',
    header: (name: string) => ({ 'content-type': 'application/json', ...headers })[name],
    body: new TextEncoder().encode(JSON.stringify(body)),
    signal: new AbortController().signal,
    sender: { page: 'own', local: true, client: '192.0.2.1' },
  } as unknown as PageRequest;
}

const cookieOf = (text: string): string => text.split(';')[0] ?? '';

async function signedIn(at: ReturnType<typeof server>): Promise<Record<string, string>> {
  const answer = await at.signIn(request({}, { token: 'good' }));
  const { csrf } = JSON.parse(String(answer.body)) as { csrf: string };
  return { cookie: cookieOf(String(answer.headers['set-cookie'])), [csrfHeader]: csrf };
}

describe('sessions with a shared store', () => {
  test('another server continues one, with its secret, and a sign-out there ends it everywhere', async () => {
    const [one, two] = [server(), server()];
    const browser = request(await signedIn(one));
    expect(two.tokenOf(browser)).toBeUndefined();
    await two.recall(browser);
    expect(two.tokenOf(browser)).toBe('good');
    expect(two.of(holder).refusal(browser)).toBeUndefined();
    expect(await two.of(holder).signOut(browser)).toBeDefined();
    await one.recall(browser);
    expect(one.tokenOf(browser)).toBe('good');
    now += limits.page.sessionCopyMs;
    await one.recall(browser);
    expect(one.tokenOf(browser)).toBeUndefined();
  });

  test('a person of an identity provider gets a text of each server', async () => {
    const person = { issuer: 'https://id.example.com', subject: 'ada', claims: { groups: ['a'] }, expiresAt: 1 };
    const added: unknown[] = [];
    const one = server({ ...noPeople, of: (token) => (token === 'text of one' ? person : undefined) });
    const two = server({ ...noPeople, add: (known) => `text ${added.push(known)} of two` });
    const opened = await one.open(request(), { token: 'text of one', endSession: 'https://id.example.com/end' });
    const browser = request({ cookie: cookieOf(opened) });
    for (let turn = 0; turn < 3; turn += 1) {
      await two.recall(browser);
      expect(two.tokenOf(browser)).toBe('text 1 of two');
      now += limits.page.sessionCopyMs;
    }
    expect(added).toEqual([person]);
  });

  test('a server without its store continues the sessions that it knows, and opens none', async () => {
    const one = server();
    const browser = request(await signedIn(one));
    isAway = true;
    now += limits.page.sessionCopyMs;
    await one.recall(browser);
    expect(one.tokenOf(browser)).toBe('good');
    await expect(one.signIn(request({}, { token: 'good' }))).rejects.toMatchObject({ code: 'STORE_AWAY' });
  });

  test('a client with wrong cookies does not make the server search for ever, and sessions that are found do not count', async () => {
    const [one, two] = [server(), server()];
    const browser = request(await signedIn(one));
    let searches = 0;
    const { get } = values;
    values = {
      ...values,
      get: (key) => {
        searches += 1;
        return get(key);
      },
    };
    for (let turn = 0; turn < limits.page.attempts * 3; turn += 1) {
      now += limits.page.sessionCopyMs / limits.page.attempts / 3;
      await two.recall(browser);
    }
    expect(two.tokenOf(browser)).toBe('good');
    searches = 0;
    const name = (browser.header('cookie') ?? '').split('=')[0];
    for (let turn = 0; turn < limits.page.attempts * 3; turn += 1)
      await two.recall(request({ cookie: `${name}=wrong-${turn}` }));
    expect(searches).toBe(limits.page.attempts);
  });
});
