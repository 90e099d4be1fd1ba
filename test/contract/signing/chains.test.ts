import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { limits } from '../../../src/limits.ts';
import { parseCertificate } from '../../../src/signing/certificate.ts';
import { checkChain, validityFault } from '../../../src/signing/certificate-chain.ts';
import { verifies } from '../../requirements/verifies.ts';
import {
  type CertificateOptions,
  type MadeCertificate,
  makeCertificate,
  usage,
  x509,
} from '../../signing/made-chain.ts';

const folder = mkdtempSync(join(tmpdir(), 'skillwire-chains-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Links {
  readonly root?: CertificateOptions;
  readonly middle?: CertificateOptions;
  readonly leaf?: CertificateOptions;
}

interface Chain {
  readonly root: MadeCertificate;
  readonly middle: MadeCertificate;
  readonly leaf: MadeCertificate;
}

async function makeChain({ root, middle, leaf }: Links = {}): Promise<Chain> {
  const top = await makeCertificate({ subject: 'CN=Root', ...root });
  const between = await makeCertificate({ subject: 'CN=Middle', extensions: usage.authority(0), ...middle }, top);
  return { root: top, middle: between, leaf: await makeCertificate({ subject: 'CN=Signer,O=Acme', ...leaf }, between) };
}

function check({ root, middle, leaf }: Chain, given: readonly MadeCertificate[] = [leaf, middle, root]): string {
  const checked = checkChain(
    given.map(({ der }) => der),
    [parseCertificate(root.der)],
  );
  return checked.ok ? 'ok' : checked.check;
}

/** The verdict of openssl about the same chain, as an independent judge. */
function opensslAccepts({ root, middle, leaf }: Chain, at = '2027-01-01'): boolean {
  const file = (name: string, pem: string): string => {
    const path = join(folder, `${name}.pem`);
    writeFileSync(path, pem);
    return path;
  };
  const time = String(Date.parse(at) / 1000);
  const args = ['verify', '-attime', time, '-CAfile', file('root', root.pem)];
  try {
    execFileSync('openssl', [...args, '-untrusted', file('middle', middle.pem), file('leaf', leaf.pem)], {
      stdio: 'pipe',
    });
    return true;
  } catch {
    return false;
  }
}

const noUsage = [new x509.BasicConstraintsExtension(true, undefined, true)];
const identified = (extensions: readonly x509.Extension[]): CertificateOptions => ({ extensions });
const critical = new x509.Extension('1.2.3.4.5', true, new Uint8Array([5, 0]));
const constraints = new x509.Extension('2.5.29.30', false, new Uint8Array([0x30, 0]));
const purpose = (id: string) => identified([...usage.signer(), new x509.ExtendedKeyUsageExtension([id], false)]);

const faulty: readonly (readonly [name: string, check: string, links: Links])[] = [
  [
    'the signer is an authority',
    'C3',
    { leaf: identified([...usage.authority().slice(0, 1), ...usage.signer().slice(1)]) },
  ],
  ['the signer has no key usage', 'C3', { leaf: identified([new x509.BasicConstraintsExtension(false)]) }],
  [
    'the signer may only agree on keys',
    'C3',
    { leaf: identified([new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyAgreement)]) },
  ],
  ['the signer is for web servers', 'C3', { leaf: purpose('1.3.6.1.5.5.7.3.1') }],
  ['an issuer is not a certificate authority', 'C4', { middle: identified(usage.signer()) }],
  ['an issuer has no extensions', 'C4', { middle: identified([]) }],
  [
    'an issuer may not sign certificates',
    'C4',
    { middle: identified([...noUsage, new x509.KeyUsagesExtension(x509.KeyUsageFlags.cRLSign, true)]) },
  ],
  ['the root allows no authority below it', 'C4', { root: identified(usage.authority(0)) }],
  ['a critical extension is unknown', 'C7', { leaf: identified([...usage.signer(), critical]) }],
  ['an issuer has an unknown critical extension', 'C7', { middle: identified([...usage.authority(0), critical]) }],
  ['an issuer has name constraints', 'C7', { middle: identified([...usage.authority(0), constraints]) }],
  ['a certificate is signed with SHA-1', 'C8', { leaf: { hash: 'SHA-1' } }],
  ['the signer has an RSA key', 'C8', { leaf: { curve: 'RSA' } }],
  ['an issuer has an RSA key', 'C8', { middle: { curve: 'RSA', extensions: usage.authority(0) } }],
];

describe('chains of certificates', () => {
  for (const curve of ['P-256', 'P-384', 'P-521'] as const)
    verifies(['SG-8'], `a good chain with ${curve} passes here and in openssl`, async () => {
      const chain = await makeChain({
        leaf: { curve, hash: curve === 'P-521' ? 'SHA-512' : 'SHA-256' },
        middle: { curve, extensions: usage.authority(0) },
      });
      expect(check(chain)).toBe('ok');
      expect(check(chain, [chain.leaf, chain.middle])).toBe('ok');
      expect(opensslAccepts(chain)).toBe(true);
    });

  verifies(['SG-8'], 'a code signer passes', async () => {
    expect(check(await makeChain({ leaf: purpose('1.3.6.1.5.5.7.3.3') }))).toBe('ok');
  });

  for (const [name, expected, links] of faulty)
    verifies(['SG-8'], `${expected}: ${name}`, async () => {
      expect(check(await makeChain(links))).toBe(expected);
    });

  verifies(['SG-8'], 'C1: number, size and encoding of certificates', async () => {
    const chain = await makeChain();
    const { leaf, middle, root } = chain;
    expect(check(chain, [])).toBe('C1');
    expect(check(chain, [leaf, middle, middle, middle, middle, root])).toBe('C1');
    const trailing = { ...leaf, der: Buffer.concat([leaf.der, Buffer.from([0])]) };
    expect(check(chain, [trailing, middle, root])).toBe('C1');
    const large = await makeCertificate(
      {
        extensions: [
          ...usage.signer(),
          new x509.Extension('1.2.3', false, new Uint8Array(limits.signing.certificateBytes)),
        ],
      },
      middle,
    );
    expect(check(chain, [large, middle, root])).toBe('C1');
    expect(check(chain, [{ ...leaf, der: leaf.der.slice(0, 80) }, middle, root])).toBe('C1');
    expect(check(chain, [leaf, middle, root, middle])).toBe('C1');
  });

  verifies(['SG-8', 'SG-9'], 'C2: a root that only the bundle has leads nowhere', async () => {
    const [ours, theirs] = [await makeChain(), await makeChain()];
    expect(check(ours, [theirs.leaf, theirs.middle, theirs.root])).toBe('C2');
    // The same name with another key is another root.
    expect(check({ ...ours, leaf: theirs.leaf, middle: theirs.middle }, [theirs.leaf, theirs.middle])).toBe('C2');
    expect(opensslAccepts({ ...ours, leaf: theirs.leaf, middle: theirs.middle })).toBe(false);
  });

  verifies(['SG-8'], 'C3: a root never signs itself', async () => {
    const chain = await makeChain();
    expect(check(chain, [chain.root])).toBe('C3');
  });

  verifies(['SG-8'], 'C5: a certificate of another issuer, or changed after it was issued', async () => {
    const [chain, other] = [await makeChain(), await makeChain()];
    expect(check(chain, [other.leaf, chain.middle, chain.root])).toBe('C5');
    const { leaf } = chain;
    const changed = Buffer.from(leaf.der);
    // A letter of the subject.
    const at = changed.indexOf('Acme');
    changed[at] = 'B'.charCodeAt(0);
    expect(check(chain, [{ ...leaf, der: changed }, chain.middle, chain.root])).toBe('C5');
  });

  verifies(['SG-8', 'SG-10'], 'C6: the whole chain decides about the validity', async () => {
    const chain = await makeChain({
      middle: { notBefore: new Date('2026-06-01'), notAfter: new Date('2027-06-01'), extensions: usage.authority(0) },
    });
    const checked = checkChain([chain.leaf.der, chain.middle.der], [parseCertificate(chain.root.der)]);
    if (!checked.ok) throw new Error(checked.reason);
    expect(validityFault(checked, new Date('2026-05-31'))).toContain('valid from');
    expect(validityFault(checked, new Date('2027-01-01'))).toBeUndefined();
    expect(validityFault(checked, new Date('2027-06-02'))).toContain('expired');
    expect([opensslAccepts(chain, '2026-05-31'), opensslAccepts(chain), opensslAccepts(chain, '2027-06-02')]).toEqual([
      false,
      true,
      false,
    ]);
  });

  verifies(['SG-8'], 'C10: the result of a chain is cached, and never serves another root', async () => {
    const [chain, other] = [await makeChain(), await makeChain()];
    const ders = [chain.leaf.der, chain.middle.der, chain.root.der];
    const first = checkChain(ders, [parseCertificate(chain.root.der)]);
    expect(checkChain(ders, [parseCertificate(chain.root.der)])).toBe(first);
    expect(checkChain(ders, [parseCertificate(other.root.der)])).toMatchObject({ ok: false, check: 'C2' });
  });
});
