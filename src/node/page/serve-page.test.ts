/** The data routes of the page on a real socket: who gets what, and who may change what. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { limits } from '../../limits.ts';
import { finding } from '../../skill/finding.ts';
import { memorySource } from '../../sources/memory.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import { memoryStore } from '../../store/memory-store.ts';
import type { Store } from '../../store/store.ts';
import { type ServeHandle, type ServeSourceOptions, serve } from '../serve.ts';
import type { ServePageOptions } from './page-door.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what the tests look at is what they expect
  readonly json: any;
}

interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function call(url: string, path: string, { method = 'GET', headers = {}, body }: Call = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(new URL(path, url), { method, headers, agent: false }, (message) => {
      let text = '';
      message.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      message.on('end', () => {
        const isJson = message.headers['content-type']?.startsWith('application/json') === true && text !== '';
        resolve({
          status: message.statusCode ?? 0,
          headers: message.headers,
          text,
          json: isJson ? JSON.parse(text) : undefined,
        });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const refunds = 'skill://team/refunds/SKILL.md';

function skills(): ReturnType<typeof memorySource> {
  const source = memorySource();
  source.add('team/refunds', { description: 'About refunds.', 'allowed-tools': 'Read' }, '# Refunds\n', {
    'scripts/pay.sh': '#!/bin/sh\necho pay\n',
    'drawing.svg': '<svg onload="x"/>',
    'fake.png': 'no picture',
  });
  source.add('other/refunds', { description: 'Others.' }, 'x');
  source.add('now', { description: 'The time' }, () => 'x');
  return source;
}

interface Served {
  readonly handle: ServeHandle;
  readonly url: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends a request as the page of this server does. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Headers of a browser that signed in. */
  signIn(): Promise<Readonly<Record<string, string>>>;
}

async function served(
  page: ServePageOptions = {},
  source: SkillSource = skills(),
  more: Pick<ServeSourceOptions, 'store' | 'origins'> = {},
): Promise<Served> {
  const handle = await serve({
    source,
    http: { host: '127.0.0.1', port: 0, allowedHosts: ['skills.example.com'] },
    page,
    ...more,
  });
  onTestFinished(() => handle.close());
  const url = handle.url ?? '';
  const own = { origin: url, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const post: Served['post'] = (path, body, headers = {}) =>
    call(url, path, { method: 'POST', headers: { ...own, ...headers }, body: JSON.stringify(body) });
  return {
    handle,
    url,
    get: (path, headers = {}) => call(url, path, { headers }),
    post,
    async signIn() {
      const key = handle.pageLink?.()?.split('/sign-in/')[1];
      const { json, headers } = await post('/api/session', { key });
      return { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '', 'x-skillwire-csrf': json.csrf };
    },
  };
}

describe('reading', () => {
  test('the listing has a row per skill and an entity tag that lasts until something changes', async () => {
    const source = skills();
    const { get } = await served({}, source);
    const first = await get('/api/skills');
    expect(first.json.skills.map(({ uri }: { uri: string }) => uri)).toEqual([
      'skill://now/SKILL.md',
      'skill://other/refunds/SKILL.md',
      refunds,
    ]);
    expect(first.json.skills[2]).toMatchObject({
      name: 'refunds',
      verified: true,
      files: 4,
      scripts: 1,
      tools: 1,
      state: 'served',
      approved: 'no',
      agentsGet: 'this',
      collides: true,
    });
    expect(first.json.skills[0]).toMatchObject({ verified: false, approved: 'unverifiable', collides: false });
    const tag = { 'if-none-match': String(first.headers.etag) };
    expect(await get('/api/skills', tag)).toMatchObject({ status: 304, text: '' });
    source.add('new', { description: 'New.' }, 'x');
    expect((await get('/api/skills', tag)).json.skills).toHaveLength(4);
  });

  test('a skill is shown with its files, its set and its requests; a file leads to its skill', async () => {
    const { get } = await served();
    const { json } = await get(`/api/skill?uri=${encodeURIComponent('skill://team/refunds/scripts/pay.sh')}`);
    expect(json).toMatchObject({
      row: { uri: refunds },
      setDigest: expect.stringMatching(/^sha256:/),
      asks: { scripts: ['scripts/pay.sh'], allowedTools: ['Read'] },
      collisions: [{ uri: 'skill://other/refunds/SKILL.md' }],
      provenance: { versions: 1 },
      tokens: { skillMd: expect.any(Number) },
    });
    expect(json.entry.resources).toHaveLength(4);
    expect(json.files.find(({ path }: { path: string }) => path === 'scripts/pay.sh')).toMatchObject({ script: true });
    expect(await get('/api/skill?uri=skill://none/SKILL.md')).toMatchObject({ status: 404 });
    expect(await get('/api/skill')).toMatchObject({ status: 400, json: { error: { code: 'USAGE' } } });
  });

  test.each([
    ['git', 'git:https://github.com/acme/skills.git#v2:pdf', 'https://github.com/acme/skills'],
    ['git', 'git:git@github.com:acme/skills.git', undefined],
    ['site', 'https://docs.example.com/team', 'https://docs.example.com/team'],
    ['mcp', 'https://docs.example.com/mcp', undefined],
    ['folder', '/srv/https://docs.example.com', undefined],
  ])('the source of a skill without one of its own is the page of its %s origin %s', async (kind, place, address) => {
    const { get } = await served({}, skills(), { origins: [{ label: 'acme', kind, place, prefix: 'team' }] });
    expect((await get(`/api/skill?uri=${refunds}`)).json.source).toBe(address);
    const outside = await get(`/api/skill?uri=${refunds}`, { host: 'skills.example.com' });
    expect([outside.status, outside.json.source]).toEqual([200, undefined]);
  });

  test('bytes are sent as downloads, and pictures as images only if they are images', async () => {
    const { get } = await served();
    const bytes = await get('/api/bytes?uri=skill://team/refunds/drawing.svg');
    expect(bytes.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
    for (const file of ['drawing.svg', 'fake.png', 'scripts/pay.sh'])
      expect(await get(`/api/image?uri=skill://team/refunds/${file}`)).toMatchObject({ status: 400 });
  });

  test('clients get their configuration, and a model its text', async () => {
    const { get } = await served();
    const { hosts } = (await get('/api/hosts')).json;
    expect(hosts).toHaveLength(12);
    expect(hosts.find(({ id }: { id: string }) => id === 'claude-desktop')).toHaveProperty('instead');
    const catalog = (await get('/api/try/catalog?characters=2000')).json;
    expect(catalog).toMatchObject({ isError: false, shown: 3 });
    expect(catalog.text).toContain('<available_skills>');
    expect((await get('/api/try/catalog?characters=10')).json).toMatchObject({ isError: true });
    expect((await get('/api/try/catalog?characters=1e9')).status).toBe(400);
    expect((await get(`/api/try/load?uri=${refunds}`)).json.text).toContain('# Refunds');
    expect((await get('/api/try/load?uri=skill://none/SKILL.md')).json).toMatchObject({ isError: true });
  });

  test('search also ranks by bodies', async () => {
    const { get } = await served();
    expect((await get('/api/search?q=refunds')).json.hits.map(({ uri }: { uri: string }) => uri)).toContain(refunds);
  });

  test('other paths and methods do not exist', async () => {
    const { get, url } = await served();
    for (const path of ['/api/none', '/api/', '/api/constructor', '/api/__proto__'])
      expect(await get(path)).toMatchObject({ status: 404 });
    for (const [method, path, allowed] of [
      ['DELETE', '/api/skills', 'GET, HEAD'],
      ['POST', '/api/skills', 'GET, HEAD'],
      ['GET', '/api/approve', 'POST'],
      ['PUT', '/api/session/end', 'POST'],
      ['POST', '/favicon.svg', 'GET, HEAD'],
      ['POST', '/assets/none.js', 'GET, HEAD'],
    ] as const) {
      const { status, headers } = await fetch(`${url}${path}`, { method });
      expect([method, path, status, headers.get('allow')]).toEqual([method, path, 405, allowed]);
    }
    expect(await get('/ui/plain')).toMatchObject({ status: 200, text: expect.stringContaining('3 Agent Skills') });
  });
});

describe('a reader who uses another host name', () => {
  const outside = { host: 'skills.example.com' };

  test('sees the catalog, but no files of the server, versions, decisions or programs', async () => {
    const source = skills();
    const withFinding: SkillSource = {
      ...source,
      async *list(context) {
        for await (const page of source.list(context))
          yield { ...page, findings: [finding('skill-uri-taken', 'two have it', { file: '/srv/secret/SKILL.md' })] };
      },
    };
    const origins = [{ label: '/srv/secret', kind: 'folder', place: '/srv/secret' }];
    const { get } = await served({ token: 'a-long-enough-token' }, withFinding, { origins });
    expect((await get('/api/skills')).text).toContain('/srv/secret');
    const listing = await get('/api/skills', outside);
    expect(listing.text).not.toContain('/srv/secret');
    expect(listing.json).toMatchObject({ hiddenFindings: 1, findings: [], origins: ['folder'] });
    expect((await get(`/api/skill?uri=${refunds}`, outside)).text).not.toContain('/srv/secret');
    expect((await get('/api', outside)).json.session).toEqual({ trusted: false, mayApprove: false, signIn: 'token' });
    for (const path of ['origins', 'queue', 'audit', 'runtimes', 'templates', `versions?uri=${refunds}`])
      expect(await get(`/api/${path}`, outside)).toMatchObject({ status: 401 });
  });

  test('never gets the cached answer of a trusted reader', async () => {
    const { get } = await served();
    const { headers } = await get('/api/skills');
    expect(await get('/api/skills', { ...outside, 'if-none-match': String(headers.etag) })).toMatchObject({
      status: 200,
    });
  });
});

describe('deciding', () => {
  test('the owner of the link signs in, however many wrong links others try', async () => {
    const page = await served();
    for (let attempt = 0; attempt <= limits.page.attempts; attempt++)
      expect(await page.post('/api/session', { key: 'wrong' })).toMatchObject({ status: 401 });
    expect(await page.signIn()).toMatchObject({ 'x-skillwire-csrf': expect.any(String) });
  });

  test('a page of another scheme can neither sign in nor decide', async () => {
    const page = await served();
    const other = { origin: page.url.replace('http:', 'https:') };
    const key = page.handle.pageLink?.()?.split('/sign-in/')[1];
    expect(await page.post('/api/session', { key }, other)).toMatchObject({ status: 403 });
    const session = await page.signIn();
    const body = { uri: refunds, enabled: false };
    expect(await page.post('/api/enable', body, { ...session, ...other })).toMatchObject({ status: 403 });
    expect(await page.post('/api/enable', body, session)).toMatchObject({ status: 200 });
  });

  async function shown({ get }: Served): Promise<string> {
    return (await get(`/api/skill?uri=${refunds}`)).json.setDigest;
  }

  test('needs a session, its secret, and the page of this server', async () => {
    const page = await served();
    const setDigest = await shown(page);
    const body = { uri: refunds, setDigest };
    expect(await page.post('/api/approve', body)).toMatchObject({ status: 401 });
    const session = await page.signIn();
    const wrongs: readonly Record<string, string>[] = [
      { ...session, 'x-skillwire-csrf': 'x' },
      { ...session, 'sec-fetch-site': 'cross-site' },
      { cookie: session.cookie ?? '' },
    ];
    for (const wrong of wrongs) expect(await page.post('/api/approve', body, wrong)).toMatchObject({ status: 403 });
    expect(await page.post('/api/approve', body, { ...session, origin: 'https://evil.example' })).toMatchObject({
      status: 403,
    });
    expect(await page.post('/api/approve', body, { ...session, 'content-type': 'text/plain' })).toMatchObject({
      status: 400,
    });
    expect(
      await page.post('/api/approve', { ...body, reason: 'x'.repeat(limits.page.bodyBytes) }, session),
    ).toMatchObject({
      status: 413,
    });
    expect((await page.get(`/api/skill?uri=${refunds}`)).json.row.approved).toBe('no');
  });

  test('approves, denies and revokes exactly the shown version, and writes the audit', async () => {
    const store: Store = memoryStore();
    const page = await served({}, skills(), { store });
    const session = await page.signIn();
    const setDigest = await shown(page);
    const state = async (): Promise<object> => (await page.get(`/api/skill?uri=${refunds}`)).json.row;
    const approve = { uri: refunds, setDigest, reason: 'read it', execution: true };
    expect(await page.post('/api/approve', approve, session)).toMatchObject({ status: 200 });
    expect(await state()).toMatchObject({ state: 'served', approved: 'yes' });
    const [stored] = await store.state.entries(['approval']);
    expect(stored?.value).toMatchObject({
      setDigest,
      reason: 'read it',
      grants: { execution: true, allowedTools: false },
    });
    expect((await page.get('/api/queue')).json.decided).toMatchObject([
      { uri: refunds, approval: { reason: 'read it' } },
    ]);
    await page.post('/api/deny', { uri: refunds, setDigest, reason: 'no' }, session);
    expect(await state()).toMatchObject({ state: 'denied', agentsGet: 'nothing', why: { by: 'person' } });
    await eventually(async () => expect((await page.handle.catalog.snapshot()).skill(refunds)).toBeUndefined());
    await page.post('/api/revoke', { uri: refunds, reason: 'again' }, session);
    expect(await state()).toMatchObject({ state: 'served', approved: 'no' });
    const { records } = (await page.get('/api/audit')).json;
    expect(records.map(({ action, reason }: Record<string, string>) => [action, reason])).toEqual([
      ['revoke', 'again'],
      ['revoke', 'no'],
      ['deny', 'no'],
      ['approve', 'read it'],
    ]);
    const keys: unknown[] = [];
    for await (const { key } of store.audit.read()) keys.push(key?.[0]);
    expect(keys).toEqual(['approval', 'denied', 'approval', 'denied']);
    expect((await store.state.entries(['tombstone'])).map(({ key: [, kind] }) => kind)).toEqual(['approval', 'denied']);
  });

  test('decides nothing about a skill that changed meanwhile, or that has no digests', async () => {
    const source = skills();
    const page = await served({}, source);
    const session = await page.signIn();
    const setDigest = await shown(page);
    source.add('team/refunds', { description: 'About refunds.' }, '# Other\n');
    for (const route of ['approve', 'deny'])
      expect(await page.post(`/api/${route}`, { uri: refunds, setDigest }, session)).toMatchObject({
        status: 403,
        json: { error: { code: 'NOT_APPROVED', message: expect.stringContaining('changed since') } },
      });
    const live = { uri: 'skill://now/SKILL.md', setDigest };
    expect(await page.post('/api/approve', live, session)).toMatchObject({ status: 403 });
    expect((await page.get('/api/queue')).json.decided).toEqual([]);
  });

  test('shows the changes between two shown versions', async () => {
    const source = skills();
    const page = await served({}, source);
    const from = await shown(page);
    await page.get(`/api/versions?uri=${refunds}`);
    source.add('team/refunds', { description: 'About refunds.', 'allowed-tools': 'Read Bash' }, '# Refunds\n', {
      'scripts/pay.sh': '#!/bin/sh\ncurl https://evil.example\n',
    });
    const { versions } = (await page.get(`/api/versions?uri=${refunds}`)).json;
    expect(versions).toMatchObject([
      { setDigest: from, current: false },
      { current: true, approved: false },
    ]);
    const { json } = await page.get(`/api/diff?uri=${refunds}&from=${from}&to=${versions[1].setDigest}`);
    expect(json.summary.slice(0, 3)).toEqual([
      'It now asks for tools: "Bash".',
      'Changed script: "scripts/pay.sh".',
      'It now mentions network hosts: "evil.example".',
    ]);
    expect(json.changed.find(({ path }: { path: string }) => path === 'scripts/pay.sh').diff.lines).toMatchObject([
      { kind: ' ' },
      { kind: '-', text: 'echo pay' },
      { kind: '+', text: 'curl https://evil.example' },
    ]);
    expect(await page.get(`/api/diff?uri=${refunds}&from=${from}&to=sha256:0`)).toMatchObject({ status: 404 });
  });

  test('disables and enables a skill or an origin', async () => {
    const page = await served({}, skills(), { origins: [{ label: 'memory', kind: 'source', place: 'memory' }] });
    const session = await page.signIn();
    const listed = async (): Promise<number> => (await page.handle.catalog.snapshot()).listed.length;
    await page.post('/api/enable', { uri: refunds, enabled: false }, session);
    await eventually(async () => expect(await listed()).toBe(2));
    expect((await page.get(`/api/skill?uri=${refunds}`)).json.row).toMatchObject({
      state: 'disabled',
      agentsGet: 'nothing',
      why: { by: 'person', reason: 'it is disabled', since: expect.any(String) },
    });
    await page.post('/api/enable', { origin: 'memory', enabled: false }, session);
    await eventually(async () => expect(await listed()).toBe(0));
    expect((await page.get('/api/origins')).json.origins).toMatchObject([
      { label: 'memory', skills: 3, enabled: false },
    ]);
    await page.post('/api/enable', { origin: 'memory', enabled: true }, session);
    await eventually(async () => expect(await listed()).toBe(2));
    expect(await page.post('/api/enable', { uri: refunds, enabled: 'yes' }, session)).toMatchObject({ status: 400 });
  });

  test('of an earlier run applies from the first answer', async () => {
    const store = memoryStore();
    const label = 'memory';
    await store.state.set(['disabled', label, refunds], true);
    const origins = [{ label, kind: 'source', place: label }];
    const { handle } = await served({}, skills(), { store, origins });
    expect((await handle.catalog.snapshot()).skill(refunds)).toBeUndefined();
  });
});

test('a closed server leaves the store open for its owner', async () => {
  const store = memoryStore();
  const { handle, post, signIn } = await served({}, skills(), { store });
  await post('/api/enable', { uri: refunds, enabled: false }, await signIn());
  await handle.close();
  expect(await store.state.entries(['disabled'])).toHaveLength(1);
});

test('events name the data to request again, and end with the server', async () => {
  const source = skills();
  const { handle, url, post, signIn } = await served({}, source);
  const answer = await fetch(`${url}/api/events`);
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  let text = '';
  const reading = (async () => {
    for await (const chunk of answer.body ?? []) text += new TextDecoder().decode(chunk);
  })();
  await eventually(() => expect(text).toContain('event: hello'));
  source.add('new', { description: 'New.' }, 'x');
  await eventually(() => expect(text).toMatch(/event: catalog\ndata: .*"added":\["skill:\/\/new\/SKILL\.md"\]/));
  await post('/api/enable', { uri: refunds, enabled: false }, await signIn());
  await eventually(() => expect(text).toContain('event: review'));
  await handle.close();
  await reading;
});
