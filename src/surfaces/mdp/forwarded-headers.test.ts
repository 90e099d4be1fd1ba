import { expect, test } from 'vitest';
import { forwardedHeaders } from './forwarded-headers.ts';

const none: ReadonlySet<string> = new Set();

test.each([
  'authorization',
  'cookie',
  'connection',
  'host',
  'keep-alive',
  'mcp-session-id',
  'proxy-authorization',
  'proxy-x',
  'sec-fetch-site',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-mdp-auth-token',
  'x-mdp-session-id',
])('forwardedHeaders() withholds %s', (name) => {
  expect(
    forwardedHeaders(
      new Headers([
        [name, 'x'],
        ['x-scope', 'all'],
      ]),
      none,
    ),
  ).toEqual({ 'x-scope': 'all' });
});

test('forwardedHeaders() withholds what Connection names, and passes on what is allowed', () => {
  const headers = new Headers({ connection: 'close, X-Hop', 'x-hop': '1', cookie: 'a=b' });
  expect(forwardedHeaders(headers, none)).toEqual({});
  expect(forwardedHeaders(headers, new Set(['cookie']))).toEqual({ cookie: 'a=b' });
});
