/** The page of a server that requires tokens, on a real socket: who may read, who may decide, and until when. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { limits } from '../../limits.ts';
import { createProfile } from '../../serving/access/profile.ts';
import { createTokenBook } from '../../serving/access/token-book.ts';
import { memorySource } from '../../sources/memory.ts';
import { memoryStore } from '../../store/memory-store.ts';
import type { Store } from '../../store/store.ts';
import { serve } from '../serve.ts';

const open = 'skill://docs/open/SKILL.md';
const secret = 'skill://ops/secret/SKILL.md';

interface Served {
  readonly url: string;
  readonly store: Store;
  readonly book: ReturnType<typeof createTokenBook>;
  readonly source: ReturnType<typeof memorySource>;
  token(name: string, profile: string, rights?: { approver?: boolean; operator?: boolean }): Promise<string>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  post(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Signs in as a browser does, and returns the headers that the browser then sends. */
  signIn(token: string): Promise<Record<string, string>>;
}

async function served(anonymous?: string): Promise<Served> {
  const source = memorySource();
  source.add('docs/open', { description: 'About marlin.' }, 'marlin');
  source.add('ops/secret', { description: 'About zebrafish.' }, 'zebrafish');
  const store = memoryStore();
  const book = createTokenBook(store);
  const profiles = [createProfile('documents', { origins: ['docs'] }), createProfile('everything', {})];
  const handle = await serve({
    source,
    http: { host: '127.0.0.1', port: 0 },
    store,
    access: { verify: book.verify, profile: (name) => profiles.find((one) => one.name === name), anonymous },
  });
  onTestFinished(() => handle.close());
  const url = handle.url ?? '';
  const post: Served['post'] = (path, body, headers = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, ...headers },
      body: JSON.stringify(body),
    });
  return {
    url,
    store,
    book,
    source,
    token: async (name, profile, rights = {}) => (await book.add({ name, profile, ...rights })).token,
    get: (path, headers = {}) => fetch(`${url}${path}`, { headers }),
    post,
    async signIn(token) {
      const answer = await post('/api/session', { token });
      expect(answer.status).toBe(200);
      const { csrf } = (await answer.json()) as { csrf: string };
      return { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '', 'x-skillwire-csrf': csrf };
    },
  };
}

async function setDigest({ get }: Served, uri: string, headers: Readonly<Record<string, string>>): Promise<string> {
  return ((await (await get(`/api/skill?uri=${uri}`, headers)).json()) as { setDigest: string }).setDigest;
}

describe('signing in with a token', () => {
  test('is the only thing shown without a token', async () => {
    const { get, post } = await served();
    expect(await (await get('/api')).json()).toEqual({ name: 'skillwire', locked: true, providers: [] });
    for (const path of [
      'skills',
      `skill?uri=${open}`,
      'queue',
      'audit',
      'origins',
      'events',
      'search?q=marlin',
      'hosts',
    ])
      expect((await get(`/api/${path}`)).status, path).toBe(401);
    expect((await post('/api/approve', { uri: open })).status).toBe(401);
    expect((await get('/ui/plain')).status).toBe(401);
  });

  test("shows the skills of the token's profile, and no others", async () => {
    const page = await served();
    const session = await page.signIn(await page.token('reader', 'documents'));
    const info = (await (await page.get('/api', session)).json()) as { session: object; counts: object };
    expect(info).toMatchObject({
      counts: { skills: 1 },
      session: { name: 'reader', profile: 'documents', trusted: false, mayApprove: false },
    });
    const { skills } = (await (await page.get('/api/skills', session)).json()) as { skills: { uri: string }[] };
    expect(skills.map(({ uri }) => uri)).toEqual([open]);
    expect((await page.get(`/api/skill?uri=${secret}`, session)).status).toBe(404);
    expect((await page.get('/api/search?q=marlin+zebrafish', session)).status).toBe(200);
    expect(await (await page.get('/api/search?q=zebrafish', session)).text()).not.toContain('secret');
    expect((await page.get('/ui/plain', session)).status).toBe(200);
    for (const path of ['queue', 'audit', 'origins', 'runtimes'])
      expect((await page.get(`/api/${path}`, session)).status, path).toBe(401);
    // Agents send their token; a cookie does not let them in.
    expect((await page.post('/mcp', {}, session)).status).toBe(401);
  });

  test('refuses wrong tokens, other sites, and too many attempts', async () => {
    const { post, token } = await served();
    const good = await token('reader', 'documents');
    expect((await post('/api/session', { token: good }, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post('/api/session', { token: good }, { 'sec-fetch-site': 'cross-site' })).status).toBeGreaterThan(
      400,
    );
    expect((await post('/api/session', { token: ['x'] })).status).toBe(400);
    for (let attempt = 0; attempt < limits.page.attempts; attempt++)
      expect((await post('/api/session', { token: `${good}x` })).status).toBe(401);
    expect((await post('/api/session', { token: good })).status).toBe(429);
  });

  test('sets a cookie that scripts and other sites cannot read, and removes it at sign-out', async () => {
    const page = await served();
    const answer = await page.post('/api/session', { token: await page.token('reader', 'documents') });
    expect(answer.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    const { csrf } = (await answer.json()) as { csrf: string };
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(await (await page.post('/api/session/end', {}, { cookie })).json()).toEqual({ ended: false });
    expect(await (await page.post('/api/session/end', {}, { cookie, 'x-skillwire-csrf': csrf })).json()).toEqual({
      ended: true,
    });
    expect((await page.get('/api/skills', { cookie })).status).toBe(401);
  });

  test('is offered beside the public skills', async () => {
    const page = await served('documents');
    expect(await (await page.get('/api')).json()).toMatchObject({
      counts: { skills: 1 },
      session: { signIn: 'token' },
    });
    const session = await page.signIn(await page.token('boss', 'everything'));
    expect(await (await page.get('/api', session)).json()).toMatchObject({ counts: { skills: 2 } });
  });
});

describe('deciding with a token', () => {
  test('needs the right to approve, the secret of the session and the page of this server', async () => {
    const page = await served();
    const reader = await page.signIn(await page.token('reader', 'everything', { operator: true }));
    const approver = await page.signIn(await page.token('dana', 'everything', { approver: true }));
    const body = { uri: open, setDigest: await setDigest(page, open, approver), reason: 'read it' };
    expect((await page.post('/api/approve', body, reader)).status).toBe(403);
    const wrongs: readonly Record<string, string>[] = [
      { cookie: approver['cookie'] ?? '' },
      { ...approver, 'x-skillwire-csrf': reader['x-skillwire-csrf'] ?? '' },
      { ...approver, 'sec-fetch-site': 'cross-site' },
    ];
    for (const wrong of wrongs) expect((await page.post('/api/approve', body, wrong)).status).toBe(403);
    expect((await page.post('/api/approve', body, approver)).status).toBe(200);
    const { records } = (await (await page.get('/api/audit', approver)).json()) as { records: object[] };
    expect(records[0]).toMatchObject({ action: 'approve', skill: open, user: 'dana', reason: 'read it' });
    const approved = [];
    for await (const record of page.store.audit.read()) if (record.action === 'approve') approved.push(record.data);
    expect(approved).toMatchObject([{ user: 'dana' }]);
  });

  test('works for programs that send the token itself', async () => {
    const page = await served();
    const headers = { authorization: `Bearer ${await page.token('bot', 'documents', { approver: true })}` };
    const body = { uri: open, setDigest: await setDigest(page, open, headers) };
    expect((await page.post('/api/deny', body, headers)).status).toBe(200);
    await eventually(async () => expect((await page.get(`/api/queue`, headers)).status).toBe(200));
    expect((await page.post('/api/deny', { ...body, uri: secret }, headers)).status).toBe(404);
    expect((await page.post('/api/enable', { origin: 'ops', enabled: false }, headers)).status).toBe(400);
  });

  test('hides a denied skill from agents of every profile', async () => {
    const page = await served();
    const approver = await page.signIn(await page.token('dana', 'everything', { approver: true }));
    const reader = await page.signIn(await page.token('reader', 'documents'));
    await page.post('/api/deny', { uri: open, setDigest: await setDigest(page, open, approver) }, approver);
    await eventually(async () =>
      expect(await (await page.get('/api/skills', reader)).json()).toMatchObject({ skills: [] }),
    );
  });

  test('hides skills outside the profile from an approver', async () => {
    const page = await served();
    const boss = await page.signIn(await page.token('boss', 'everything', { approver: true }));
    await page.post('/api/approve', { uri: secret, setDigest: await setDigest(page, secret, boss) }, boss);
    const session = await page.signIn(await page.token('dana', 'documents', { approver: true }));
    for (const path of ['', '/skills', '/queue', '/audit', '/origins', '/runtimes', '/templates', '/try/catalog']) {
      const answer = await page.get(`/api${path}`, session);
      const text = `${await answer.text()}${JSON.stringify([...answer.headers])}`;
      expect(answer.status, path).toBe(200);
      expect(text, path).not.toMatch(/zebrafish|ops/);
    }
  });
});

describe('a revoked token', () => {
  test('ends its session at the next request, and its event stream', async () => {
    const page = await served();
    const session = await page.signIn(await page.token('dana', 'documents', { approver: true }));
    const stream = await page.get('/api/events', session);
    let text = '';
    const reading = (async () => {
      for await (const chunk of stream.body ?? []) text += new TextDecoder().decode(chunk);
    })();
    await eventually(() => expect(text).toContain('event: hello'));
    page.source.add('ops/other', { description: 'x' }, 'x');
    page.source.add('docs/more', { description: 'x' }, 'x');
    await eventually(() => expect(text).toContain('skill://docs/more/SKILL.md'));
    expect(text).not.toContain('ops');
    await page.book.revoke('dana', 'left');
    expect((await page.get('/api/skills', session)).status).toBe(401);
    expect((await page.post('/api/approve', {}, session)).status).toBe(401);
    expect(await (await page.get('/api', session)).json()).toMatchObject({ locked: true });
    await reading;
  });
});
