/** Streamable HTTP of revision 2026-07-28: requests, and the meaning of each answer. */
import { ClientCredentialsProvider } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  discovered,
  Fault,
  type Methods,
  type ScriptedMcp,
  scriptedHttp,
  scriptedMcp,
} from '../../../test/scripted-http.ts';
import { providerCredentials } from '../../credentials/provider-credentials.ts';
import type { McpServerSource } from './connection-source.ts';
import { type McpUrlOptions, mcpServerSource } from './mcp-server-source.ts';

const uri = 'skill://refunds/SKILL.md';
const read = (text: string, at = uri): object => ({
  resultType: 'complete',
  contents: [{ uri: at, text }],
  ttlMs: 0,
  cacheScope: 'public',
});

function sourceFor(url: string, options: Omit<McpUrlOptions, 'url'> = {}): McpServerSource {
  const source = mcpServerSource({ url, ...options });
  onTestFinished(() => source.close());
  return source;
}

async function serving(
  methods: Methods,
  options: Omit<McpUrlOptions, 'url'> = {},
): Promise<[McpServerSource, ScriptedMcp]> {
  const server = await scriptedMcp(methods);
  return [sourceFor(server.url, options), server];
}

const text = (file: { readonly bytes: Uint8Array } | undefined): string => new TextDecoder().decode(file?.bytes);

describe('a request', () => {
  test('has everything that the revision requires', async () => {
    const [source, server] = await serving(
      { 'resources/read': () => read('hello') },
      { token: 'secret', headers: { 'X-Team': 'a', Accept: 'text/html' } },
    );
    expect(text(await source.open(uri, {}))).toBe('hello');
    const [, received] = server.requests;
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'resources/read',
      'mcp-name': uri,
      authorization: 'Bearer secret',
      'x-team': 'a',
    });
    expect(JSON.parse(received?.body ?? '')).toMatchObject({
      jsonrpc: '2.0',
      method: 'resources/read',
      params: {
        uri,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/skills': {} } },
          'io.modelcontextprotocol/clientInfo': { name: 'skillwire' },
        },
      },
    });
  });

  test('encodes a name in base64 if a header cannot contain it', async () => {
    const unusual = 'skill://größe/SKILL.md';
    const [source, server] = await serving({ 'resources/read': () => read('x', unusual) });
    await source.open(unusual, {});
    const sent = server.requests[1]?.headers['mcp-name'];
    expect(sent).toBe(`=?base64?${Buffer.from(unusual).toString('base64')}?=`);
  });

  test('asks the server for its description once', async () => {
    const [source, server] = await serving({ 'resources/read': () => read('x') });
    await Promise.all([source.open(uri, {}), source.open(uri, {}), source.status({})]);
    await source.status({});
    expect(server.calls('server/discover')).toBe(1);
    await source.status({ fresh: true });
    expect(server.calls('server/discover')).toBe(2);
  });
});

describe('an answer', () => {
  /** Discovers as usual; the answer to everything else is written by hand. */
  async function raw(status: number, type: string, body: (id: number) => string): Promise<McpServerSource> {
    const server = await scriptedHttp((received, response) => {
      const { id, method } = JSON.parse(received.body);
      const isFirst = method === 'server/discover';
      response.writeHead(isFirst ? 200 : status, { 'content-type': isFirst ? 'application/json' : type });
      response.end(isFirst ? JSON.stringify({ jsonrpc: '2.0', id, result: discovered }) : body(id));
    });
    return sourceFor(`${server.origin}/mcp`);
  }
  const message = (id: number): string => JSON.stringify({ jsonrpc: '2.0', id, result: read('hello') });

  test.each<[what: string, body: (id: number) => string]>([
    ['one event', (id) => `event: message\ndata: ${message(id)}\n\n`],
    [
      'an event after notifications',
      (id) => `data: {"jsonrpc":"2.0","method":"x"}\r\n\r\n: wait\r\n\r\ndata:${message(id)}\r\n\r\n`,
    ],
    ['an event on several lines', (id) => `data: ${message(id).replace('"id"', '\ndata: "id"')}\n\n`],
    ['an event without a final empty line', (id) => `data: ${message(id)}`],
  ])('may be %s', async (_what, body) => {
    const source = await raw(200, 'text/event-stream; charset=utf-8', body);
    expect(text(await source.open(uri, {}))).toBe('hello');
  });

  test('in events ends with the event, even if the stream continues', async () => {
    const server = await scriptedHttp((received, response) => {
      const { id, method } = JSON.parse(received.body);
      const result = method === 'server/discover' ? discovered : read('hello');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const event = `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`;
      response.write(event.slice(0, 20));
      setTimeout(() => response.write(event.slice(20)), 10);
    });
    expect(text(await sourceFor(server.origin).open(uri, {}))).toBe('hello');
  });

  test.each<[what: string, status: number, type: string, body: string, code: string, words: RegExp]>([
    [
      'a page',
      200,
      'text/html',
      '<h1>Log in\u001b[2J</h1>',
      'BAD_ANSWER',
      /HTTP 200, text\/html, "<h1>Log in\\u\{1b\}\[2J/,
    ],
    ['no JSON', 200, 'application/json', '{"jsonrpc', 'BAD_ANSWER', /HTTP 200/],
    [
      'another id',
      200,
      'application/json',
      '{"jsonrpc":"2.0","id":99,"result":{}}',
      'BAD_ANSWER',
      /not a JSON-RPC answer/,
    ],
    ['a batch', 200, 'application/json', '[]', 'BAD_ANSWER', /not a JSON-RPC answer/],
    ['nothing', 200, 'application/json', '', 'BAD_ANSWER', /HTTP 200/],
    ['events without an answer', 200, 'text/event-stream', ': nothing\n\n', 'BAD_ANSWER', /text\/event-stream/],
    ['an error of the program', 500, 'text/plain', 'stack', 'ORIGIN_FAILED', /HTTP 500, text\/plain, "stack"/],
    ['a missing page', 404, 'text/html', 'Not found', 'BAD_ANSWER', /HTTP 404.*Check the address/],
    ['401', 401, 'text/plain', '', 'NOT_AUTHORIZED', /requires credentials \(HTTP 401\).*--token-env/],
    ['403', 403, 'text/plain', '', 'NOT_AUTHORIZED', /denied \(HTTP 403\)/],
  ])('that is %s is reported as such', async (_what, status, type, body, code, words) => {
    const source = await raw(status, type, () => body);
    const failure = source.open(uri, {});
    await expect(failure).rejects.toMatchObject({ code });
    await expect(failure).rejects.toThrow(words);
  });

  test('of 503 is requested again', async () => {
    let failures = 2;
    const server = await scriptedHttp((received, response) => {
      const { id, method } = JSON.parse(received.body);
      const result = method === 'server/discover' ? discovered : read('hello');
      const busy = method !== 'server/discover' && failures-- > 0;
      response.writeHead(busy ? 503 : 200, { 'content-type': 'application/json' });
      response.end(busy ? '' : JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    expect(text(await sourceFor(server.origin).open(uri, {}))).toBe('hello');
  });

  test('with an error has its code, also with another status', async () => {
    const [source] = await serving({
      'skills/get': () => new Fault(-32603, 'inside'),
      x: () => new Fault(-32020, 'header', { status: 400 }),
    });
    await expect(source.get(uri, {})).rejects.toMatchObject({ code: 'ORIGIN_FAILED', data: { rpcCode: -32603 } });
    await expect(source.request('x', {}, {})).rejects.toMatchObject({ data: { rpcCode: -32020 } });
    await expect(source.request('no/such', {}, {})).rejects.toMatchObject({ data: { rpcCode: -32601 } });
  });

  test('that is late times out', async () => {
    const [source] = await serving({ 'resources/read': () => undefined }, { timeoutMs: 150 });
    await expect(source.open(uri, {})).rejects.toMatchObject({ code: 'TIMED_OUT' });
  });

  test('that exceeds the file limit is refused', async () => {
    const [source] = await serving({ 'resources/read': () => read('x'.repeat(200_000)) });
    await expect(source.open(uri, { maxBytes: 10 })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    const [other] = await serving({ 'resources/read': () => read('x'.repeat(11)) });
    await expect(other.open(uri, { maxBytes: 10 })).rejects.toMatchObject({
      code: 'VERIFICATION_FAILED',
      reason: 'limit',
    });
  });
});

describe('credentials', () => {
  const guarded = (accept: (authorization: string | undefined) => boolean) =>
    scriptedHttp((received, response) => {
      const { id, method } = JSON.parse(received.body);
      if (!accept(received.headers.authorization)) return response.writeHead(401).end();
      const result = method === 'server/discover' ? discovered : read('hello');
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });

  test('of a function are cached until they are refused, then requested once more', async () => {
    let valid = 'one';
    const server = await guarded((given) => given === `Bearer ${valid}`);
    let calls = 0;
    const source = sourceFor(server.origin, {
      async token() {
        calls++;
        return valid;
      },
    });
    await source.open(uri, {});
    await source.open(uri, {});
    expect(calls).toBe(1);
    valid = 'two';
    expect(text(await source.open(uri, {}))).toBe('hello');
    expect(calls).toBe(2);
  });

  test('that are refused are reported as such, and not repeated in the message', async () => {
    const server = await guarded(() => false);
    const failure = sourceFor(server.origin, { token: async () => 'top-secret' }).status({});
    await expect(failure).rejects.toMatchObject({ code: 'NOT_AUTHORIZED' });
    await expect(failure).rejects.toThrow('rejects the credentials');
    await expect(failure).rejects.not.toThrow('top-secret');
    expect(server.requests).toHaveLength(1);
  });

  test('that a header cannot contain are refused at once', () => {
    expect(() => mcpServerSource({ url: 'https://example.com', token: 'a\nb' })).toThrow(
      expect.objectContaining({ code: 'USAGE' }),
    );
  });

  test('come from an OAuth provider of the SDK', async () => {
    const server = await scriptedHttp((received, response) => {
      const json = (value: unknown, status = 200): unknown =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      const { origin } = server;
      if (received.path.startsWith('/.well-known/oauth-protected-resource'))
        return json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
      if (received.path.startsWith('/.well-known/'))
        return json({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          response_types_supported: ['code'],
          grant_types_supported: ['client_credentials'],
          token_endpoint_auth_methods_supported: ['client_secret_basic'],
        });
      if (received.path === '/token') return json({ access_token: 'granted', token_type: 'Bearer', expires_in: 60 });
      if (received.headers.authorization !== 'Bearer granted') return response.writeHead(401).end();
      const { id, method } = JSON.parse(received.body);
      return json({ jsonrpc: '2.0', id, result: method === 'server/discover' ? discovered : read('hello') });
    });
    const authProvider = new ClientCredentialsProvider({
      clientId: 'me',
      clientSecret: 'x',
      expectedIssuer: server.origin,
    });
    const source = sourceFor(`${server.origin}/mcp`, { credentials: providerCredentials(authProvider) });
    expect(text(await source.open(uri, {}))).toBe('hello');
    expect(server.requests.filter(({ path }) => path === '/token')).toHaveLength(1);
  });
});

describe('addresses', () => {
  test.each(['http://example.com/mcp', 'file:///mcp', 'https://a:b@example.com/mcp'])(
    '%s is refused at once',
    (url) => {
      expect(() => mcpServerSource({ url })).toThrow(expect.objectContaining({ code: 'ADDRESS_BLOCKED' }));
    },
  );

  test('without a listener are unreachable', async () => {
    await expect(sourceFor('http://127.0.0.1:1/mcp').status({})).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });

  test('that redirect elsewhere are not followed', async () => {
    const server = await scriptedHttp((_request, response) =>
      response.writeHead(307, { location: 'https://example.com/mcp' }).end(),
    );
    const failure = sourceFor(server.origin).status({});
    await expect(failure).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
    await expect(failure).rejects.toThrow('https://example.com/mcp');
  });
});
