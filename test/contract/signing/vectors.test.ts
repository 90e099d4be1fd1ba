import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseCertificates } from '../../../src/signing/certificate.ts';
import type { TrustedSigner } from '../../../src/signing/signer.ts';
import { verifySignature } from '../../../src/signing/verify-signature.ts';

/** Vectors of the specification and of NVIDIA's public skills; they are not part of this repository. */
const folder = process.env['SKILLWIRE_OMS_VECTORS'] ?? join(import.meta.dirname, '../../../../shared/vectors/oms');
const reason = `no vectors at ${folder}; SKILLWIRE_OMS_VECTORS names them`;
const present = existsSync(join(folder, 'nv-agent-root-cert.pem'));
if (!present) process.stderr.write(`skipped signing vectors: ${reason}\n`);

const at = new Date('2026-09-01T00:00:00Z');
const read = (...path: string[]): Buffer => readFileSync(join(folder, ...path));

interface Vector {
  readonly skill: string;
  readonly expected: string;
  readonly files: Readonly<Record<string, { readonly sha256: string }>>;
  readonly bundle: unknown;
}

function nvidia(): TrustedSigner {
  const roots = parseCertificates(read('nv-agent-root-cert.pem').toString());
  return { name: 'nvidia', kind: 'certificate', roots, subject: { O: 'NVIDIA Corporation' } };
}

const isHidden = (path: string): boolean => path.split('/').some((segment) => segment.startsWith('.'));

function verify({ files, bundle }: Vector, when = at) {
  const served = Object.entries(files).filter(([path]) => !isHidden(path));
  return verifySignature(
    {
      files: new Map(served.map(([path, { sha256 }]) => [path, `sha256:${sha256}`])),
      signature: Buffer.from(JSON.stringify(bundle)),
    },
    { signers: [nvidia()], at: when },
  );
}

describe.skipIf(!present)('vectors of other projects', () => {
  const names = present ? readdirSync(join(folder, 'skills')) : [];
  const vectors = names.map((name) => JSON.parse(read('skills', name).toString()) as Vector);

  test('there are twelve', () => {
    expect(vectors).toHaveLength(12);
  });

  for (const vector of vectors)
    test(`${vector.skill}: ${vector.expected}`, async () => {
      const expected = vector.expected.startsWith('good') ? 'signed' : vector.expected.replace(/:.*/, '');
      expect(await verify(vector)).toMatchObject({ state: expected });
      for (const when of ['2026-03-01', '2028-05-01']) {
        const state =
          expected === 'untrusted' ? { state: 'untrusted' } : { state: 'invalid', step: 'chain', check: 'C6' };
        expect(await verify(vector, new Date(when))).toMatchObject(state);
      }
    });

  test('a signed file that is not published is named', async () => {
    const vector = vectors.find(({ skill }) => skill === 'tao-run-deft-aoi');
    if (vector === undefined) throw new Error('no such vector');
    expect(await verify(vector)).toMatchObject({
      coverage: { served: 31, matching: 31, unpublished: ['.env.example'] },
    });
  });

  const invalid: readonly (readonly [string, string, string])[] = [
    ['empty', 'invalid', 'file'],
    ['missing-envelope', 'invalid', 'material'],
    ['missing-tlog-entries', 'invalid', 'material'],
    ['missing-verification-material', 'invalid', 'material'],
  ];
  for (const [name, state, step] of invalid)
    test(`the specification's invalid ${name}`, async () => {
      const signature = read('spec', `invalid-${name}.bundle.json`);
      expect(await verifySignature({ files: new Map(), signature }, { signers: [nvidia()], at })).toMatchObject({
        state,
        step,
      });
    });

  test("the specification's valid Sigstore bundle verifies offline", async () => {
    const signature = read('spec', 'valid-sigstore.bundle.json');
    const signer: TrustedSigner = {
      name: 'ibm',
      kind: 'keyless',
      issuer: 'https://sigstore.verify.ibm.com/oauth2',
      identity: 'stefanb@us.ibm.com',
    };
    const verdict = await verifySignature({ files: new Map(), signature }, { signers: [signer], at });
    expect(verdict).toMatchObject({ state: 'mismatch', signer: { names: ['ibm'], identity: { kind: 'keyless' } } });
    for (const identity of ['stefanb', '', 'Stefanb@us.ibm.com', 'stefanb@us.ibm.co', '.*'])
      expect(
        await verifySignature({ files: new Map(), signature }, { signers: [{ ...signer, identity }], at }),
      ).toMatchObject({ state: 'untrusted' });
    const issuer = 'https://sigstore.verify.ibm.com/oauth';
    expect(
      await verifySignature({ files: new Map(), signature }, { signers: [{ ...signer, issuer }], at }),
    ).toMatchObject({ state: 'untrusted' });
  });

  for (const kind of ['key', 'certificate'])
    test(`the specification's valid ${kind} is read, and not trusted here`, async () => {
      const signature = read('spec', `valid-${kind}.bundle.json`);
      expect(await verifySignature({ files: new Map(), signature }, { signers: [nvidia()], at })).toMatchObject({
        state: 'untrusted',
      });
    });
});
