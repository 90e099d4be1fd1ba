import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { answeredHosts, corsHeaders, createGuard, type HttpGuardOptions, preflightResponse } from './guards.ts';
import { isLoopback, urlHost } from './host-names.ts';

function message(headers: Record<string, string | readonly string[]>, url = '/mcp'): IncomingMessage {
  const raw = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().flatMap((text) => [name, text as string]),
  );
  const received = new IncomingMessage(new Socket());
  // The system's parser calls it.
  (received as unknown as { _addHeaderLines(lines: string[], count: number): void })._addHeaderLines(raw, raw.length);
  received.url = url;
  return received;
}

function allows(
  options: Partial<HttpGuardOptions>,
  headers: Record<string, string | readonly string[]>,
  url?: string,
): boolean {
  return createGuard({ host: '127.0.0.1', ...options })(message(headers, url)).allowed;
}

describe('the Host header', () => {
  test.each(['localhost', 'LocalHost:4711', '127.0.0.1:1', '[::1]:4711'])('"%s" is ours on loopback', (host) => {
    expect(allows({}, { host })).toBe(true);
  });

  test.each([
    'evil.example',
    'localhost.evil.example',
    'evil.example:4711',
    '127.0.0.1.nip.io',
    '10.0.0.1',
    'user@localhost',
    'localhost:x',
    'localhost:99999',
    'localhost/path',
    '',
    '[::1',
    'localhost:4711,evil.example',
  ])('"%s" is not ours on loopback', (host) => {
    expect(allows({}, { host })).toBe(false);
  });

  test('must appear exactly once', () => {
    expect(allows({}, {})).toBe(false);
    expect(allows({}, { host: ['localhost', 'localhost'] })).toBe(false);
    expect(allows({}, { host: ['localhost', 'evil.example'] })).toBe(false);
  });

  test('may be an allowed host, with its port if it has one', () => {
    const options = { allowedHosts: ['skills.example.com', 'intranet:8080'] };
    expect(allows(options, { host: 'skills.example.com:443' })).toBe(true);
    expect(allows(options, { host: 'intranet:8080' })).toBe(true);
    expect(allows(options, { host: 'intranet' })).toBe(false);
    expect(allows(options, { host: 'intranet:80' })).toBe(false);
  });

  test('may be the listening address, and then loopback is not ours', () => {
    expect(allows({ host: '192.168.1.5' }, { host: '192.168.1.5:80' })).toBe(true);
    expect(allows({ host: '192.168.1.5' }, { host: 'localhost' })).toBe(false);
    expect(allows({ host: 'fe80::1' }, { host: '[fe80::1]:80' })).toBe(true);
  });

  test('may be any address if we listen on all of them, but not any name', () => {
    for (const host of ['0.0.0.0', '::']) {
      expect(allows({ host }, { host: '192.168.1.5:80' })).toBe(true);
      expect(allows({ host }, { host: 'localhost:8080' })).toBe(true);
      expect(allows({ host }, { host: 'evil.example' })).toBe(false);
    }
  });

  test('is not overridden by the request target', () => {
    expect(allows({}, { host: 'localhost' }, 'http://evil.example/mcp')).toBe(false);
    expect(allows({}, { host: 'localhost' }, '/mcp')).toBe(true);
  });
});

describe('the Origin header', () => {
  const from = (origin: string | readonly string[], options: Partial<HttpGuardOptions> = {}): boolean =>
    allows(options, { host: '127.0.0.1:4711', origin });

  test('is optional', () => {
    expect(allows({}, { host: 'localhost' })).toBe(true);
  });

  test.each(['http://localhost:4711', 'http://127.0.0.1:6274', 'https://localhost', 'http://[::1]:1'])(
    '"%s" is allowed on loopback',
    (origin) => {
      expect(from(origin)).toBe(true);
    },
  );

  test.each([
    'https://evil.example',
    'null',
    '',
    'localhost',
    'http://localhost/',
    'http://localhost:4711/path',
    'http://user@localhost',
    'HTTP://LOCALHOST',
    'file://',
    'chrome-extension://localhost',
    'https://localhost.evil.example',
    'http://localhost http://evil.example',
  ])('"%s" is refused', (origin) => {
    expect(from(origin)).toBe(false);
  });

  test('is refused if there are several', () => {
    expect(from(['http://localhost', 'http://localhost'])).toBe(false);
  });

  test('may be an allowed one, exactly', () => {
    const options = { allowedOrigins: ['https://inspector.example.com'] };
    expect(from('https://inspector.example.com', options)).toBe(true);
    expect(from('http://inspector.example.com', options)).toBe(false);
    expect(from('https://inspector.example.com:444', options)).toBe(false);
  });

  test('of another address is refused if we listen on all addresses', () => {
    const guard = createGuard({ host: '0.0.0.0' });
    const ask = (origin: string): boolean => guard(message({ host: '192.168.1.5:8080', origin })).allowed;
    expect(ask('http://192.168.1.5:8080')).toBe(true);
    expect(ask('http://192.168.1.5:9090')).toBe(false);
    expect(ask('http://6.6.6.6')).toBe(false);
  });
});

describe('pages on other ports of this machine', () => {
  const dev = { host: '127.0.0.1:4711', origin: 'http://localhost:3000' };
  const guard = createGuard({ host: '127.0.0.1' });

  test.each([
    '/mcp',
    '/',
    '/ui/plain',
    '/.well-known/agent-skills/index.json',
    '/skills/lab/a',
    '/lab/skills/a',
    '/healthz',
  ])('may read %s', (url) => {
    expect(guard(message(dev, url)).allowed).toBe(true);
  });

  test.each(['/mdp/http-loop/connect', '/mdp/http-loop/poll?sessionId=1', '/mdp/auth'])('may connect: %s', (url) => {
    expect(guard(message(dev, url)).allowed).toBe(true);
  });

  test.each([
    '/api',
    '/api?x',
    '/api/audit',
    '/api/search?q=x',
    '/status',
    '/status?x=1',
    '/metrics',
    '/mdp',
    '/mdp/clients',
    '/mdp/skills',
    '/mdp/meta',
    '/mdp/http-loop/../clients',
    '/x/../api/audit',
    '/./api/audit',
    '/%2e/api/audit',
    '/x/%2E%2e/status',
    '/\\..\\api\\audit',
    '/api\\audit',
  ])('may not read %s', (url) => {
    expect(guard(message(dev, url)).allowed).toBe(false);
    expect(guard(message({ ...dev, origin: 'https://127.0.0.1:4711' }, url)).allowed).toBe(false);
  });

  test('may read it if they are allowed by name, or are our own', () => {
    const named = createGuard({ host: '127.0.0.1', allowedOrigins: [dev.origin] });
    expect(named(message(dev, '/api/search?q=x')).allowed).toBe(true);
    expect(guard(message({ ...dev, origin: 'http://127.0.0.1:4711' }, '/api/audit')).allowed).toBe(true);
  });

  test('may open a WebSocket on any path, and cannot disguise a request as one', () => {
    expect(guard(message(dev, '/api/audit'), 'socket').allowed).toBe(true);
    expect(guard(message({ ...dev, upgrade: 'websocket', connection: 'upgrade' }, '/api/audit')).allowed).toBe(false);
  });
});

describe('answers to pages', () => {
  test('carry CORS headers only for an allowed origin, and never a wildcard', () => {
    expect(corsHeaders(undefined)).toEqual({ vary: 'Origin' });
    expect(corsHeaders('http://localhost')).toEqual({
      vary: 'Origin',
      'access-control-allow-origin': 'http://localhost',
      'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate',
    });
  });

  test('to preflights name the methods and headers of the protocol', () => {
    const answer = preflightResponse('OPTIONS', 'POST');
    expect(answer?.status).toBe(204);
    expect(answer?.headers.get('access-control-allow-headers')).toMatch(/mcp-protocol-version.*mcp-session-id/);
    expect(preflightResponse('OPTIONS', undefined)).toBeUndefined();
    expect(preflightResponse('POST', 'POST')).toBeUndefined();
  });
});

test('a refusal ends with the option that allows it', () => {
  const refusal = (headers: Record<string, string>) => createGuard({ host: '127.0.0.1' })(message(headers));
  expect(refusal({ host: 'evil.example' })).toEqual({
    allowed: false,
    reason: 'The host "evil.example" is not allowed. Allow it with --allowed-host.',
  });
  expect(refusal({ host: 'localhost', origin: 'https://evil.example' })).toEqual({
    allowed: false,
    reason: 'Pages of "https://evil.example" may not use this server. Allow them with --allowed-origin.',
  });
});

test.each([
  ['127.0.0.1', ['127.0.0.1', 'localhost', '[::1]', 'a.example']],
  ['192.168.1.5', ['192.168.1.5', 'a.example']],
  ['fe80::1', ['[fe80::1]', 'a.example']],
  ['0.0.0.0', ['any IP address', 'localhost', 'a.example']],
  ['::', ['any IP address', 'localhost', 'a.example']],
])('answeredHosts() names the allowed hosts on %s, each once', (host, names) => {
  expect(answeredHosts({ host, allowedHosts: ['a.example'] })).toEqual(names);
});

test('urlHost() puts IPv6 addresses in brackets once', () => {
  expect(['::1', '[::1]', 'LOCALHOST', '127.0.0.1'].map(urlHost)).toEqual(['[::1]', '[::1]', 'localhost', '127.0.0.1']);
});

test('isLoopback() knows the whole loopback network and nothing else', () => {
  expect(['localhost', '127.0.0.1', '127.8.8.8', '::1', '[::1]'].every(isLoopback)).toBe(true);
  expect(['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.evil.example'].some(isLoopback)).toBe(false);
});
