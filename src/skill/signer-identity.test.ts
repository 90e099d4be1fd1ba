import { describe, expect, test } from 'vitest';
import { readSignerIdentity, type SignerIdentity, sameSigner, signerKey, signerText } from './signer-identity.ts';

const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
const identities: readonly SignerIdentity[] = [
  { kind: 'key', key: digest('a') },
  { kind: 'key', key: digest('b') },
  { kind: 'certificate', root: digest('a'), subject: 'O=Example' },
  { kind: 'certificate', root: digest('b'), subject: 'O=Example' },
  { kind: 'certificate', root: digest('a'), subject: 'O=Other' },
  { kind: 'keyless', issuer: 'https://ci.example.com', identity: 'docs' },
  { kind: 'keyless', issuer: 'https://ci.example.com', identity: 'team' },
  { kind: 'keyless', issuer: 'https://other.example.com', identity: 'docs' },
];

test('identities are the same only if every part is', () => {
  expect(new Set(identities.map(signerKey)).size).toBe(identities.length);
  for (const a of identities)
    for (const b of identities)
      expect(sameSigner(a, structuredClone(b)), `${signerKey(a)} ${signerKey(b)}`).toBe(a === b);
});

test('an identity has a text for people', () => {
  expect([0, 2, 5].map((at) => identities[at] && signerText(identities[at]))).toEqual([
    `key ${digest('a')}`,
    'certificate O=Example',
    'docs (https://ci.example.com)',
  ]);
});

describe('readSignerIdentity()', () => {
  test.each(identities)('reads %j', (identity) => {
    expect(readSignerIdentity(structuredClone(identity))).toEqual(identity);
  });

  test.each([
    [undefined],
    [null],
    ['key'],
    [[]],
    [{}],
    [{ kind: 'other', key: digest('a') }],
    [{ kind: 'key', key: 'a' }],
    [{ kind: 'key', key: digest('a'), more: 'x' }],
    [{ kind: 'certificate', root: digest('a') }],
    [{ kind: 'certificate', root: 'a', subject: 'O=Example' }],
    [{ kind: 'certificate', root: digest('a'), subject: '' }],
    [{ kind: 'keyless', issuer: 'https://ci.example.com', identity: 7 }],
    [{ kind: 'keyless', identity: 'docs' }],
  ])('refuses %j', (value) => {
    expect(readSignerIdentity(value)).toBeUndefined();
  });
});
