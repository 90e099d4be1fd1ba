import { expect, test } from 'vitest';
import { forwardedByDefault, forwardedHeaders } from './skill-routes.ts';

const none: ReadonlySet<string> = new Set();

test.each([
  'api-key',
  'authorization',
  'cookie',
  'connection',
  'host',
  'keep-alive',
  'mcp-session-id',
  'ocp-apim-subscription-key',
  'origin',
  'private-token',
  'proxy-authorization',
  'referer',
  'sec-fetch-site',
  'te',
  'upgrade',
  'x-amz-security-token',
  'x-api-key',
  'x-auth-token',
  'x-forwarded-access-token',
  'x-forwarded-for',
  'x-goog-iap-jwt-assertion',
  'x-made-up-yesterday',
  'x-mdp-auth-token',
  'x-mdp-session-id',
  'x-real-ip',
  'x-skillwire-csrf',
])('forwardedHeaders() hides %s from runtimes, unless the operator allows it', (name) => {
  const headers = new Headers([
    [name, 'x'],
    ['accept-language', 'de'],
  ]);
  expect(forwardedHeaders(headers, none)).toEqual({ 'accept-language': 'de' });
  expect(forwardedHeaders(headers, new Set([name]))).toEqual({ 'accept-language': 'de', [name]: 'x' });
});

test.each(forwardedByDefault)('forwardedHeaders() passes %s on', (name) => {
  expect(forwardedHeaders(new Headers({ [name]: 'x' }), none)).toEqual({ [name]: 'x' });
});

test('forwardedHeaders() drops headers that Connection names, unless the operator allows them', () => {
  const headers = new Headers({ connection: 'close, Accept', accept: 'text/plain' });
  expect(forwardedHeaders(headers, none)).toEqual({});
  expect(forwardedHeaders(headers, new Set(['accept']))).toEqual({ accept: 'text/plain' });
});
