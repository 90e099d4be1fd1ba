import { describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { hasTokenInQuery, tokenOf, transportAuth } from './transport-auth.ts';

describe('transportAuth()', () => {
  test.each<[string, Readonly<Record<string, string>>, unknown]>([
    ['a bearer token', { authorization: 'Bearer abc' }, { scheme: 'Bearer', token: 'abc' }],
    ['another scheme', { authorization: 'Basic abc' }, { scheme: 'Basic', token: 'abc' }],
    ['headers of its own', { 'x-mdp-auth-user': 'me' }, { headers: { 'x-mdp-auth-user': 'me' } }],
    ['a subprotocol', { 'sec-websocket-protocol': 'mdp, mdp.token.abc' }, { scheme: 'Bearer', token: 'abc' }],
    ['nothing', { cookie: 'a=b', 'sec-websocket-protocol': 'mdp' }, undefined],
    ['half an authorization', { authorization: 'Bearer' }, undefined],
    [
      'a token that is too long',
      { authorization: `Bearer ${'x'.repeat(limits.runtimes.tokenCharacters + 1)}` },
      undefined,
    ],
  ])('finds %s', (_, headers, auth) => {
    expect(transportAuth(Object.entries(headers))).toEqual(auth);
  });
});

test('tokenOf() finds a bearer token in every place, and nothing else', () => {
  expect(tokenOf({ token: 'a' })).toBe('a');
  expect(tokenOf({ scheme: 'bearer', token: 'a' })).toBe('a');
  expect(tokenOf({ scheme: 'Basic', token: 'a' })).toBeUndefined();
  expect(tokenOf({ headers: { Authorization: 'Bearer a' } })).toBe('a');
  expect(tokenOf({ headers: { 'x-mdp-auth-token': 'a' } })).toBe('a');
  expect(tokenOf({ headers: { 'x-other': 'a' } })).toBeUndefined();
  expect(tokenOf({})).toBeUndefined();
});

test('hasTokenInQuery() sees tokens in addresses', () => {
  expect(hasTokenInQuery(new URL('ws://h/?token='))).toBe(true);
  expect(hasTokenInQuery(new URL('ws://h/?topic=token'))).toBe(false);
});
