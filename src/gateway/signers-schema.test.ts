import { describe, expect, test } from 'vitest';
import { makeKey } from '../../test/signing/signed-files.ts';
import { parseConfiguration } from './configuration.ts';
import { trustedSigners } from './signers-schema.ts';

const parse = (value: object) =>
  parseConfiguration(JSON.stringify({ origins: { docs: './skills' }, ...value }), 'x.json');
const pem = makeKey().signer.key.key.export({ type: 'spki', format: 'pem' }).toString();

describe('"signers" and "policy.signatures"', () => {
  test('are parsed to typed values', () => {
    const signers = {
      team: { key: './team.pub', notAfter: '2027-12-31', revoked: { at: '2027-01-01', reason: 'retired' } },
      vendor: { certificate: './root.pem', subject: { O: 'Vendor' } },
      ci: { issuer: 'https://issuer.example', identity: 'https://github.com/acme/x', ref: 'refs/tags/*' },
    };
    const signatures = [
      {
        origin: 'docs',
        match: 'a/',
        require: ['team', 'ci'],
        covers: 'exact',
        expired: 'first-seen',
        resigned: 'accept',
      },
      { origin: 'https://skills.example.com', require: [] },
    ];
    const read = parse({ signers, policy: { signatures } });
    expect(read.signers).toEqual(Object.entries(signers).map(([name, signer]) => ({ name, ...signer })));
    expect(read.policy).toEqual({ signatures });
  });

  test.each<readonly [string, object, string]>([
    ['no kind', { signers: { a: {} } }, 'one of "key", "certificate" and "issuer"'],
    ['two kinds', { signers: { a: { key: 'k', issuer: 'i', identity: 'x' } } }, 'one of "key"'],
    ['no subject', { signers: { a: { certificate: 'c' } } }, '"certificate" and "subject" need each other'],
    ['a subject of a key', { signers: { a: { key: 'k', subject: { O: 'x' } } } }, '"subject" need each other'],
    ['an empty subject', { signers: { a: { certificate: 'c', subject: {} } } }, 'must have an attribute'],
    ['an empty value', { signers: { a: { certificate: 'c', subject: { O: '' } } } }, 'not empty'],
    ['an unknown attribute', { signers: { a: { certificate: 'c', subject: { o: 'x' } } } }, 'object identifier'],
    ['no identity', { signers: { a: { issuer: 'i' } } }, '"issuer" and "identity" need each other'],
    ['an empty identity', { signers: { a: { issuer: 'i', identity: '' } } }, 'not empty'],
    ['a ref without an identity', { signers: { a: { key: 'k', ref: 'x' } } }, '"ref" needs'],
    ['a star inside a ref', { signers: { a: { issuer: 'i', identity: 'x', ref: 'a*b' } } }, 'at its end only'],
    ['a bad date', { signers: { a: { key: 'k', notAfter: 'soon' } } }, 'must be a date'],
    ['a bad name', { signers: { 'A b': { key: 'k' } } }, 'a signer name must be'],
    ['an unknown key', { signers: { a: { key: 'k', trusted: true } } }, 'trusted'],
    ['an unknown signer', { policy: { signatures: [{ require: ['a'] }] } }, 'unknown signer "a"'],
    ['no list', { policy: { signatures: [{}] } }, 'the key "require" is missing'],
    ['an unknown origin', { policy: { signatures: [{ origin: 'dcos', require: [] }] } }, 'unknown origin "dcos"'],
    ['a misspelled condition', { policy: { signatures: [{ matches: 'a', require: [] }] } }, 'matches'],
  ])('refuse %s', (_, value, message) => {
    expect(() => parse(value)).toThrow(message);
  });

  test('read keys and certificates, and name the signer with an unusable file', async () => {
    const { signers = [] } = parse({ signers: { team: { key: 'team.pub' } } });
    expect(await trustedSigners(signers, async () => pem)).toMatchObject([{ name: 'team', kind: 'key' }]);
    await expect(trustedSigners(signers, async () => 'x')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      data: { signer: 'team' },
    });
    const root = parse({ signers: { vendor: { certificate: 'root.pem', subject: { O: 'x' } } } }).signers ?? [];
    await expect(
      trustedSigners(root, async () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
    ).rejects.toThrow('Cannot use the signer "vendor"');
  });
});
