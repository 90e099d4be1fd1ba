import { type AuthInfo, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { limits } from '../../limits.ts';
import { type MemorySource, memorySource } from '../../sources/memory.ts';
import { createContentsJson } from './fast-path/contents-json.ts';
import { type McpHandler, type McpHandlerOptions, mcpHandler } from './mcp-handler.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function skillText(name: string, body = ''): string {
  return `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}`;
}

function fixture(options?: McpHandlerOptions): { source: MemorySource; handler: McpHandler } {
  const source = memorySource({ refunds: { 'SKILL.md': skillText('refunds') } });
  source.add('who', { description: 'Who asks' }, ({ principal }) => `Asked by ${principal?.id ?? 'nobody'}.`);
  const handler = mcpHandler(createCatalog(source), options);
  closing.push(() => handler.close());
  return { source, handler };
}

const address = 'http://localhost/mcp';

async function connect(handler: McpHandler, era: 'modern' | 'legacy', authInfo?: AuthInfo): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
  );
  const extra = authInfo === undefined ? {} : { authInfo };
  const fetch = (url: string | URL, init?: RequestInit): Promise<Response> => handler(new Request(url, init), extra);
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { fetch }));
  closing.push(() => client.close());
  return client;
}

const token = (clientId: string, sub?: string): AuthInfo => ({
  token: 'secret',
  clientId,
  scopes: ['read'],
  ...(sub === undefined ? {} : { extra: { sub } }),
});

const accept = 'application/json, text/event-stream';

function request(body: unknown, headers: Record<string, string> = {}, method = 'POST'): Request {
  return new Request(address, {
    method,
    headers: { accept, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

function modernRequest(method: string, params: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return request(
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...headers },
  );
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

async function openSession(handler: McpHandler, authInfo?: AuthInfo): Promise<string> {
  const answer = await handler(request(initialize), authInfo === undefined ? {} : { authInfo });
  await answer.text();
  const id = answer.headers.get('mcp-session-id');
  if (id === null) throw new Error('no session');
  return id;
}

/** The JSON-RPC message of an answer, be it JSON or the first event of a stream. */
async function messageOf(answer: Response): Promise<{ result?: Record<string, unknown>; error?: { code: number } }> {
  const text = await answer.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
}

const ping = { jsonrpc: '2.0', id: 7, method: 'ping' };

describe.each(['modern', 'legacy'] as const)('mcpHandler() for %s clients', (era) => {
  test('serves skills that the official client verifies', async () => {
    const { handler } = fixture();
    const skills = new SkillsClient(await connect(handler, era));
    const { skills: listed } = await skills.list();
    expect(listed.map(({ frontmatter }) => frontmatter.name)).toEqual(['refunds', 'who']);
    for (const skill of listed) expect(await skills.read(skill)).toHaveProperty('frontmatter.name');
  });

  test('announces a changed body, as list and as file', async () => {
    const { source, handler } = fixture();
    const client = await connect(handler, era);
    const seen: string[] = [];
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      seen.push('list');
    });
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      seen.push(params.uri);
    });
    const uri = 'skill://refunds/SKILL.md';
    await client.listResources();
    if (era === 'modern') await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
    else await client.subscribeResource({ uri });
    let round = 0;
    // The stream of an older session opens some time after `connect()`; earlier messages are lost.
    await eventually(() => {
      source.add('refunds', { 'SKILL.md': skillText('refunds', `round ${++round}\n`) });
      expect(seen).toEqual(expect.arrayContaining(['list', uri]));
    });
  });

  test('passes the caller on', async () => {
    const { handler } = fixture();
    const read = async (authInfo?: AuthInfo): Promise<unknown> => {
      const client = await connect(handler, era, authInfo);
      return (await client.readResource({ uri: 'skill://who/SKILL.md' })).contents[0];
    };
    expect(await read(token('app', 'ada'))).toHaveProperty('text', expect.stringContaining('Asked by ada.'));
    expect(await read(token('app'))).toHaveProperty('text', expect.stringContaining('Asked by app.'));
    expect(await read()).toHaveProperty('text', expect.stringContaining('Asked by nobody.'));
  });
});

describe('requests without a session', () => {
  test('of older revisions are answered one by one', async () => {
    const { handler } = fixture();
    const answer = await handler(request({ jsonrpc: '2.0', id: 1, method: 'skills/list' }));
    expect(answer.headers.get('mcp-session-id')).toBeNull();
    const { result } = await messageOf(answer);
    expect(result?.skills).toHaveLength(2);
    expect(result).not.toHaveProperty('ttlMs');
  });

  test('are private for an authenticated caller', async () => {
    const { handler } = fixture();
    const ask = async (method: string, authInfo?: AuthInfo) =>
      (await messageOf(await handler(modernRequest(method), authInfo === undefined ? {} : { authInfo }))).result;
    for (const method of ['server/discover', 'skills/list', 'resources/list', 'resources/templates/list']) {
      expect(await ask(method)).toMatchObject({ cacheScope: 'public', ttlMs: limits.ttl.watchedMs });
      expect(await ask(method, token('app'))).toMatchObject({ cacheScope: 'private', ttlMs: limits.ttl.watchedMs });
    }
  });

  test.each([
    ['JSON that is broken', request('{'), 400, -32700],
    [
      'a batch of the modern revision',
      request([
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'skills/list',
          params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
        },
      ]),
      400,
      -32600,
    ],
    ['a body of another type', request('{}', { 'content-type': 'text/plain' }), 415, -32000],
    ['a body beyond the limit', request('x'.repeat(limits.http.requestBytes + 1)), 413, -32000],
    ['something that is no message', request({ hello: 'world' }), 400, -32600],
    ['null', request('null'), 400, -32600],
    ['an unknown revision', modernRequest('skills/list', {}, { 'mcp-protocol-version': '2030-01-01' }), 400, -32020],
    [
      'a missing method header',
      request(
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'skills/list',
          params: {
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        },
        { 'mcp-protocol-version': '2026-07-28' },
      ),
      400,
      -32020,
    ],
    ['an unknown method', modernRequest('skills/nothing'), 404, -32601],
    ['ping on the modern revision', modernRequest('ping'), 404, -32601],
    ['answers that the client cannot read', request(ping, { accept: 'text/html' }), 406, -32000],
    ['GET without a session', request(undefined, {}, 'GET'), 405, -32000],
    ['DELETE without a session', request(undefined, {}, 'DELETE'), 405, -32000],
    ['PUT', request(undefined, {}, 'PUT'), 405, -32000],
  ])('are refused for %s', async (_, sent, status, code) => {
    const { handler } = fixture();
    const answer = await handler(sent);
    expect([answer.status, (await messageOf(answer)).error?.code]).toEqual([status, code]);
  });
});

describe('sessions of older revisions', () => {
  test('end with DELETE and are unknown afterwards', async () => {
    const { handler } = fixture();
    const id = await openSession(handler);
    expect((await handler(request(ping, { 'mcp-session-id': id }))).status).toBe(200);
    expect((await handler(request(undefined, { 'mcp-session-id': id }, 'DELETE'))).status).toBe(200);
    expect((await handler(request(ping, { 'mcp-session-id': id }))).status).toBe(404);
  });

  test('are unknown to other callers', async () => {
    const { handler } = fixture();
    const id = await openSession(handler, token('app', 'ada'));
    const status = async (authInfo?: AuthInfo): Promise<number> =>
      (await handler(request(ping, { 'mcp-session-id': id }), authInfo === undefined ? {} : { authInfo })).status;
    expect(await status(token('app', 'ada'))).toBe(200);
    for (const other of [token('app', 'bob'), token('other', 'ada'), token('app'), undefined])
      expect(await status(other)).toBe(404);
    expect((await handler(request(ping, { 'mcp-session-id': 'guess' }))).status).toBe(404);
  });

  test('above the limit end, the longest idle one first', async () => {
    const { handler } = fixture({ sessions: { count: 2, idleMs: 60_000 } });
    const [a, b] = [await openSession(handler), await openSession(handler)];
    await (await handler(request(ping, { 'mcp-session-id': a }))).text();
    const c = await openSession(handler);
    const status = async (id: string): Promise<number> =>
      (await handler(request(ping, { 'mcp-session-id': id }))).status;
    expect([await status(a), await status(b), await status(c)]).toEqual([200, 404, 200]);
  });

  test('are not opened by a refused request', async () => {
    const { handler } = fixture({ sessions: { count: 1, idleMs: 60_000 } });
    const id = await openSession(handler);
    const refused = await handler(request(initialize, { accept: 'application/json' }));
    expect([refused.status, refused.headers.get('mcp-session-id')]).toEqual([406, null]);
    expect((await handler(request(ping, { 'mcp-session-id': id }))).status).toBe(200);
  });

  test('answer a missing file with the code of their revision', async () => {
    const { handler } = fixture();
    const id = await openSession(handler);
    const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'skill://none/SKILL.md' } };
    expect((await messageOf(await handler(request(read, { 'mcp-session-id': id })))).error?.code).toBe(-32002);
    expect((await messageOf(await handler(request(read)))).error?.code).toBe(-32002);
  });
});

describe('closing the handler', () => {
  test('ends streams and sessions cleanly, and refuses later requests', async () => {
    const { handler } = fixture();
    const client = await connect(handler, 'modern');
    const subscription = await client.listen({ resourcesListChanged: true });
    const id = await openSession(handler);
    const stream = await handler(request(undefined, { 'mcp-session-id': id }, 'GET'));
    expect(stream.status).toBe(200);
    await handler.close();
    expect(await subscription.closed).toBe('graceful');
    expect(await stream.text()).toBe('');
    expect((await handler(request(ping))).status).toBe(503);
  });

  test('leaves no listener on the catalog, nor do requests without a session', async () => {
    const catalog = createCatalog(memorySource());
    let listeners = 0;
    const counted: Catalog = {
      ...catalog,
      subscribe(listener) {
        listeners++;
        const stop = catalog.subscribe(listener);
        return () => {
          listeners--;
          stop();
        };
      },
    };
    const handler = mcpHandler(counted);
    const mounted = listeners;
    await handler(request(initialize, { accept: 'application/json' }));
    await (await handler(modernRequest('skills/list'))).text();
    await (await handler(request(ping))).text();
    await eventually(() => expect(listeners).toBe(mounted));
    await openSession(handler);
    expect(listeners).toBe(mounted + 1);
    await handler.close();
    // The remaining listener counts skills; it belongs to the catalog.
    expect(listeners).toBe(1);
  });

  test('leaves the catalog open', async () => {
    const catalog = createCatalog(memorySource());
    await mcpHandler(catalog).close();
    expect((await catalog.snapshot()).skills).toEqual([]);
  });
});

test('mcpHandler() answers 503 to streams above their limit, and accepts one again when one ends', async () => {
  const { handler } = fixture({ maxSubscriptions: 1 });
  const listen = () =>
    handler(modernRequest('subscriptions/listen', { notifications: { resourcesListChanged: true } }));
  const first = await listen();
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  for (let tries = 0; tries < 3; tries++) {
    const second = await listen();
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await second.json()).toMatchObject({ error: { code: -32000, message: expect.stringContaining('streams') } });
  }
  await first.body?.cancel();
  await eventually(async () => expect((await listen()).status).toBe(200));
});

test('mcpHandler() splits a listing into pages that the official client joins again', async () => {
  const source = memorySource();
  for (let index = 0; index < 25; index++) source.add(`s-${index}`, { description: 'x'.repeat(200) }, 'body');
  const handler = mcpHandler(createCatalog(source), { pages: { entries: 1_000, bytes: 2_000 } });
  closing.push(() => handler.close());
  const { result } = await messageOf(await handler(modernRequest('skills/list')));
  const page = result?.skills;
  expect(Array.isArray(page) && page.length).toBeLessThan(10);
  const skills = new SkillsClient(await connect(handler, 'modern'));
  expect((await skills.list()).skills).toHaveLength(25);
});

test('hot calls are answered synchronously if the content is cached', async () => {
  const { handler } = fixture();
  const uri = 'skill://refunds/SKILL.md';
  for (const [method, params] of [
    ['skills/list', {}],
    ['skills/get', { uri }],
    ['resources/read', { uri }],
  ] as const) {
    const hotRequest = modernRequest(method, params, { 'mcp-name': uri });
    const body = new Uint8Array(await hotRequest.arrayBuffer());
    const ask = () =>
      handler.plain({
        method: 'POST',
        target: '/mcp',
        header: (name) => hotRequest.headers.get(name) ?? undefined,
        body,
        signal: hotRequest.signal,
      });
    const first = await ask();
    expect(first).toMatchObject({ status: 200 });
    expect(ask(), method).toMatchObject({ status: 200 });
  }
});

test('handlers of one server share the JSON of files', async () => {
  const source = memorySource();
  source.add('refunds', { description: 'About refunds.' }, 'x'.repeat(2 * limits.reads.wholeBytes));
  const catalog = createCatalog(source);
  const own = createContentsJson();
  const encoded: Uint8Array[] = [];
  const contents: typeof own = {
    whole: (uri, content) => own.whole(uri, content),
    large(uri, content, before, after) {
      encoded.push(content.bytes);
      return own.large(uri, content, before, after);
    },
  };
  const handlers = [mcpHandler(catalog, { contents }), mcpHandler(catalog, { contents })];
  for (const handler of handlers) {
    closing.push(() => handler.close());
    const uri = 'skill://refunds/SKILL.md';
    const answer = await messageOf(await handler(modernRequest('resources/read', { uri }, { 'mcp-name': uri })));
    expect(answer.result).toHaveProperty('contents');
  }
  expect(encoded).toHaveLength(2);
  expect(encoded[0]).toBe(encoded[1]);
});
