import { describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import type { Sender } from '../sender.ts';
import type { PageRequest } from './page-request.ts';
import { createSessions, type PageSessions, type SessionsOptions } from './page-sessions.ts';
import { csrfHeader } from './session-cookie.ts';

const own = { host: '127.0.0.1:4711', origin: 'http://127.0.0.1:4711', 'sec-fetch-site': 'same-origin' };
const ownPage: Sender = { client: '127.0.0.1', local: true, page: 'own' };

function request(headers: Readonly<Record<string, string>> = own, sender: Partial<Sender> = {}): PageRequest {
  return {
    sender: { ...ownPage, ...sender },
    method: 'POST',
    target: '/api/session',
    header: (name) => headers[name],
    body: new Uint8Array(),
    signal: new AbortController().signal,
  };
}

const make = (options: Partial<SessionsOptions> = {}): PageSessions =>
  createSessions({ links: true, trusts: () => true, ...options });

async function signedIn(sessions: PageSessions): Promise<Readonly<Record<string, string>>> {
  const given = await sessions.signIn({ key: sessions.linkKey() ?? '' }, request());
  if (!given.ok) throw new Error(given.message);
  return { ...own, cookie: given.cookie.split(';')[0] ?? '', [csrfHeader]: given.info.csrf ?? '' };
}

describe('createSessions()', () => {
  test('signs in once with a link, and issues a new one', async () => {
    let calls = 0;
    const sessions = make({ onLinkUsed: () => calls++ });
    const key = sessions.linkKey() ?? '';
    const results = await Promise.all([sessions.signIn({ key }, request()), sessions.signIn({ key }, request())]);
    expect(results.map(({ ok }) => ok).sort()).toEqual([false, true]);
    expect(calls).toBe(1);
    expect(sessions.linkKey()).not.toBe(key);
    expect(await sessions.signIn({ key }, request())).toMatchObject({ ok: false, status: 401 });
  });

  test('sets a cookie for this port that scripts cannot read and other sites do not send', async () => {
    const sessions = make();
    const given = await sessions.signIn({ key: sessions.linkKey() ?? '' }, request());
    expect(given).toMatchObject({
      ok: true,
      cookie: expect.stringMatching(/^skillwire-page-4711=[\w-]{32}; HttpOnly; SameSite=Strict; Max-Age=43200$/),
      info: { trusted: true, mayApprove: true, signIn: 'link' },
    });
  });

  test('signs in a browser with the token, and has no links if they are disabled', async () => {
    const sessions = make({ links: false, token: 'a-long-enough-token', trusts: () => false });
    expect(sessions.linkKey()).toBeUndefined();
    expect(sessions.info(request())).toEqual({ trusted: false, mayApprove: false, signIn: 'token' });
    expect(await sessions.signIn({ key: '' }, request())).toMatchObject({ ok: false });
    expect(await sessions.signIn({ token: 'another' }, request())).toMatchObject({ ok: false, status: 401 });
    expect(await sessions.signIn({ token: 'a-long-enough-token' }, request())).toMatchObject({ ok: true });
    expect(make({ links: false }).info(request()).signIn).toBe('none');
  });

  const token = 'a-long-enough-token';
  const from = (client: string | undefined): PageRequest => request(own, { client });

  test('checks no token of a client for a while after wrong ones, but those of others', async () => {
    let time = 1_000_000;
    const sessions = make({ token, now: () => time });
    for (let attempt = 0; attempt < limits.page.attempts; attempt++)
      expect(await sessions.signIn({ token: 'x' }, from('192.0.2.1'))).toMatchObject({ status: 401 });
    expect(await sessions.signIn({ token }, from('192.0.2.1'))).toMatchObject({ status: 429 });
    expect(await sessions.signIn({ token }, from('192.0.2.2'))).toMatchObject({ ok: true });
    time += limits.page.attemptsMs + 1;
    expect(await sessions.signIn({ token }, from('192.0.2.1'))).toMatchObject({ ok: true });
  });

  test('counts simultaneous wrong tokens, and no right ones', async () => {
    const sessions = make({ token });
    const signIn = (given: string) => sessions.signIn({ token: given }, from('192.0.2.1'));
    const many = await Promise.all(Array.from({ length: limits.page.attempts * 3 }, () => signIn('x')));
    expect(many.filter((one) => !one.ok && one.status === 401)).toHaveLength(limits.page.attempts);
    const others = make({ token });
    for (let count = 0; count < limits.page.attempts * 3; count++)
      expect(await others.signIn({ token }, from('192.0.2.1'))).toMatchObject({ ok: true });
  });

  test.each([
    ['behind a proxy', () => undefined],
    ['of many addresses', (attempt: number) => `192.0.2.${attempt}`],
  ])('limits the wrong tokens of all clients %s', async (_, client) => {
    const sessions = make({ token, now: () => 1_000_000 });
    for (let attempt = 0; attempt < limits.page.allAttempts; attempt++)
      expect(await sessions.signIn({ token: 'x' }, from(client(attempt)))).toMatchObject({ status: 401 });
    expect(await sessions.signIn({ token }, from(client(1_000)))).toMatchObject({ status: 429 });
  });

  test('accepts a right link after any number of wrong ones and tokens', async () => {
    const sessions = make({ token, now: () => 1_000_000 });
    for (let attempt = 0; attempt <= limits.page.allAttempts; attempt++) {
      await sessions.signIn({ key: 'x' }, from(undefined));
      await sessions.signIn({ token: 'x' }, from(undefined));
    }
    expect(await sessions.signIn({ key: sessions.linkKey() ?? '' }, from(undefined))).toMatchObject({ ok: true });
  });

  test.each<[string, Readonly<Record<string, string>>, Partial<Sender>]>([
    ['another site', { ...own, 'sec-fetch-site': 'cross-site' }, {}],
    ['another origin', own, { page: 'other' }],
    ['another port of this machine', { ...own, 'sec-fetch-site': 'same-site' }, {}],
    ['a page without origin', { host: own.host }, { page: 'none' }],
  ])('signs nobody in from %s', async (_, headers, sender) => {
    const sessions = make();
    const given = await sessions.signIn({ key: sessions.linkKey() ?? '' }, request(headers, sender));
    expect(given).toMatchObject({ ok: false });
  });

  test('allows a change only with the cookie, the secret and the right page', async () => {
    const sessions = make();
    const headers = await signedIn(sessions);
    expect(sessions.refusal(request(headers))).toBeUndefined();
    expect(sessions.refusal(request(own))).toMatchObject({ status: 401 });
    const { [csrfHeader]: _csrf, ...withoutSecret } = headers;
    expect(sessions.refusal(request(withoutSecret))).toMatchObject({ status: 403 });
    expect(sessions.refusal(request({ ...headers, [csrfHeader]: 'x' }))).toMatchObject({ status: 403 });
    expect(sessions.refusal(request(headers, { page: 'other' }))).toMatchObject({ status: 403 });
    expect(sessions.refusal(request({ ...headers, 'sec-fetch-site': 'cross-site' }))).toMatchObject({ status: 403 });
    expect(sessions.refusal(request({ ...headers, cookie: 'skillwire-page-4711=forged' }))).toMatchObject({
      status: 401,
    });
  });

  test('ends a session after its time, at sign-out, and the oldest of too many', async () => {
    let time = 1_000_000;
    const sessions = make({ now: () => time });
    const first = await signedIn(sessions);
    sessions.signOut(request(first));
    expect(sessions.refusal(request(first))).toMatchObject({ status: 401 });
    const second = await signedIn(sessions);
    for (let count = 0; count < limits.page.sessions; count++) await signedIn(sessions);
    expect(sessions.refusal(request(second))).toMatchObject({ status: 401 });
    const last = await signedIn(sessions);
    time += limits.page.sessionMs;
    expect(sessions.info(request(last)).mayApprove).toBe(false);
  });
});
