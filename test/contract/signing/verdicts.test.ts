import { execFileSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { SkillwireError } from '../../../src/errors.ts';
import { readBundle, writeBundle } from '../../../src/signing/bundle.ts';
import { parseCertificate } from '../../../src/signing/certificate.ts';
import { preAuthEncoding, signEnvelope, verifyEnvelope } from '../../../src/signing/dsse.ts';
import { parsePublicKey, verifyingKey } from '../../../src/signing/keys.ts';
import { signSkill } from '../../../src/signing/sign-skill.ts';
import { keylessMatches, subjectMatches, type TrustedOf } from '../../../src/signing/signer.ts';
import { verifySignature } from '../../../src/signing/verify-signature.ts';
import { contentDigest } from '../../../src/skill/content-digest.ts';
import { verifies } from '../../requirements/verifies.ts';
import { makeCertificate } from '../../signing/made-chain.ts';
import { changedBundle, digestOf, exampleFiles, filesOf, makeKey, signedWith } from '../../signing/signed-files.ts';

const at = new Date('2027-01-01T00:00:00Z');
const team = makeKey();
const trust = { signers: [team.signer], at };
const good = signedWith(team.privateKey);
const folder = mkdtempSync(join(tmpdir(), 'skillwire-verdicts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function withFiles(changes: Readonly<Record<string, string | undefined>>): ReadonlyMap<string, string> {
  const files = new Map(exampleFiles);
  for (const [path, text] of Object.entries(changes))
    if (text === undefined) files.delete(path);
    else files.set(path, digestOf(text));
  return files;
}

/** A bundle around any payload, signed by the trusted key. */
function signedPayload(payload: string, payloadType = 'application/vnd.in-toto+json'): Uint8Array {
  const envelope = signEnvelope(payloadType, Buffer.from(payload), team.privateKey);
  return writeBundle({ kind: 'key', hint: team.signer.key.hint }, envelope);
}

function statement(change: (statement: ReturnType<typeof JSON.parse>) => void = () => {}): string {
  const reading = readBundle(good.signature ?? new Uint8Array());
  if (!reading.ok) throw new Error(reading.reason);
  const parsed = JSON.parse(Buffer.from(reading.bundle.envelope.payload).toString());
  change(parsed);
  return JSON.stringify(parsed);
}

describe('verdicts', () => {
  for (const curve of ['P-256', 'P-384', 'P-521'])
    verifies(['SG-2', 'SG-4'], `signatures with ${curve} verify here and with openssl`, async () => {
      const { privateKey, signer } = makeKey('team', curve);
      const skill = signedWith(privateKey);
      expect(await verifySignature(skill, { signers: [signer], at })).toMatchObject({
        state: 'signed',
        signer: { names: ['team'], identity: { kind: 'key', key: signer.key.id } },
        coverage: { matching: 3, served: 3 },
      });
      const reading = readBundle(skill.signature ?? new Uint8Array());
      if (!reading.ok) throw new Error(reading.reason);
      const { payloadType, payload, signature } = reading.bundle.envelope;
      const paths = ['key.pem', 'message', 'signature'].map((name) => join(folder, name)) as [string, string, string];
      writeFileSync(paths[0], createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }));
      writeFileSync(paths[1], `DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} ${Buffer.from(payload)}`);
      writeFileSync(paths[2], signature);
      const hash = { 'P-256': '-sha256', 'P-384': '-sha384', 'P-521': '-sha512' }[curve] ?? '';
      const args = ['dgst', hash, '-verify', paths[0], '-signature', paths[2], paths[1]];
      expect(execFileSync('openssl', args).toString()).toContain('Verified OK');
    });

  verifies(['SG-1'], 'unknown types of payload, statement and predicate are unsupported', async () => {
    const cases = [
      signedPayload(statement(), 'application/json'),
      signedPayload(statement((it) => Object.assign(it, { _type: 'https://in-toto.io/Statement/v0.1' }))),
      signedPayload(statement((it) => Object.assign(it, { predicateType: 'https://slsa.dev/provenance/v1' }))),
      signedPayload(statement((it) => Object.assign(it.predicate.serialization, { method: 'shards' }))),
      signedPayload(statement((it) => Object.assign(it.predicate.serialization, { hash_type: 'blake3' }))),
    ];
    for (const signature of cases)
      expect(await verifySignature({ ...good, signature }, trust)).toMatchObject({
        state: 'unsupported',
        step: 'statement',
      });
    expect(await verifySignature({ ...good, signature: signedPayload(statement()) }, trust)).toMatchObject({
      state: 'signed',
    });
  });

  verifies(['SG-2', 'SG-3'], 'a payload that was written again, or is broken, fails at the signature', async () => {
    const again = changedBundle(good.signature ?? new Uint8Array(), (bundle) => {
      const payload = JSON.parse(Buffer.from(bundle.dsseEnvelope.payload, 'base64').toString());
      bundle.dsseEnvelope.payload = Buffer.from(JSON.stringify(payload)).toString('base64');
    });
    const broken = changedBundle(good.signature ?? new Uint8Array(), (bundle) => {
      bundle.dsseEnvelope.payload = Buffer.from('{"_type": "https://evil.example", ').toString('base64');
    });
    for (const signature of [again, broken])
      expect(await verifySignature({ ...good, signature }, trust)).toMatchObject({
        state: 'invalid',
        step: 'signature',
      });
  });

  verifies(['SG-4'], 'RSA, other curves and Ed25519 keys of small order are refused when trust is loaded', () => {
    const pem = (key: ReturnType<typeof createPublicKey>): string =>
      key.export({ type: 'spki', format: 'pem' }).toString();
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
    const other = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey;
    for (const key of [rsa, other]) expect(() => parsePublicKey(pem(key), 'k')).toThrow(SkillwireError);
    const prefix = '302a300506032b6570032100';
    const points = [
      '00'.repeat(32),
      `01${'00'.repeat(31)}`,
      `01${'00'.repeat(30)}80`,
      `ec${'ff'.repeat(30)}7f`,
      `ed${'ff'.repeat(30)}7f`,
      `ee${'ff'.repeat(30)}ff`,
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    ];
    for (const point of points) {
      const key = createPublicKey({ key: Buffer.from(prefix + point, 'hex'), type: 'spki', format: 'der' });
      expect(() => parsePublicKey(pem(key), 'k')).toThrow('forged');
    }
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = parsePublicKey(pem(publicKey), 'k');
    const envelope = {
      payloadType: 't',
      payload: Buffer.from('p'),
      signature: sign(null, preAuthEncoding('t', Buffer.from('p')), privateKey),
    };
    expect(verifyEnvelope(envelope, key)).toBe(true);
    expect(verifyEnvelope({ ...envelope, payload: Buffer.from('q') }, key)).toBe(false);
  });

  verifies(['SG-4'], 'an Ed25519 key signs no skills', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const signer: TrustedOf<'key'> = { name: 'feed', kind: 'key', key: verifyingKey(publicKey) };
    const signature = signSkill('example', { files: exampleFiles, ignored: [] }, { key: privateKey });
    const verdict = await verifySignature({ files: exampleFiles, signature }, { signers: [signer], at });
    expect(verdict.state).toBe('invalid');
  });

  verifies(['SG-7'], 'another valid signature of the same key is the same signer', async () => {
    const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
    const reading = readBundle(good.signature ?? new Uint8Array());
    if (!reading.ok) throw new Error(reading.reason);
    const other = otherForm(reading.bundle.envelope.signature, order);
    const signature = changedBundle(good.signature ?? new Uint8Array(), (bundle) => {
      bundle.dsseEnvelope.signatures[0].sig = Buffer.from(other).toString('base64');
    });
    const [first, second] = [await verifySignature(good, trust), await verifySignature({ ...good, signature }, trust)];
    expect(signature).not.toEqual(good.signature);
    expect(second).toEqual(first);
  });

  verifies(['SG-9'], 'a chain with its own root is untrusted, and its claims are reported', async () => {
    const [ours, theirs] = [
      await makeCertificate({ subject: 'CN=Root' }),
      await makeCertificate({ subject: 'CN=Root' }),
    ];
    const leaf = await makeCertificate({ subject: 'CN=Signer,O=Acme' }, theirs);
    const chain = [leaf, theirs].map(({ der }) => parseCertificate(der));
    const signature = signSkill('example', { files: exampleFiles, ignored: [] }, { key: leaf.privateKey, chain });
    const signer = { name: 'acme', kind: 'certificate' as const, subject: { O: 'Acme' } };
    const skill = { files: exampleFiles, signature };
    const verdict = await verifySignature(skill, { signers: [{ ...signer, roots: [parseCertificate(ours.der)] }], at });
    expect(verdict).toMatchObject({ state: 'untrusted', step: 'trust', claimed: 'CN=Signer,O=Acme' });
    const roots = [parseCertificate(theirs.der)];
    expect(await verifySignature(skill, { signers: [{ ...signer, roots }], at })).toMatchObject({ state: 'signed' });
    const subject = { O: 'Acm' };
    expect(await verifySignature(skill, { signers: [{ ...signer, roots, subject }], at })).toMatchObject({
      state: 'untrusted',
    });
  });

  verifies(['SG-10'], 'an expired certificate counts only for content that was seen before', async () => {
    const root = await makeCertificate({ subject: 'CN=Root' });
    const leaf = await makeCertificate({ subject: 'CN=S,O=Acme', notAfter: new Date('2027-06-01') }, root);
    const chain = [leaf, root].map(({ der }) => parseCertificate(der));
    const skill = {
      files: exampleFiles,
      signature: signSkill('e', { files: exampleFiles, ignored: [] }, { key: leaf.privateKey, chain }),
    };
    const signers = [
      { name: 'acme', kind: 'certificate' as const, roots: [parseCertificate(root.der)], subject: { O: 'Acme' } },
    ];
    const verdict = (when: string, firstSeen?: string) =>
      verifySignature(skill, {
        signers,
        at: new Date(when),
        ...(firstSeen === undefined ? {} : { firstSeen: new Date(firstSeen) }),
      });
    expect(await verdict('2025-01-01')).toMatchObject({ state: 'invalid', step: 'chain', check: 'C6' });
    expect(await verdict('2027-01-01')).toMatchObject({ state: 'signed', signer: { expired: false } });
    expect(await verdict('2028-01-01')).toMatchObject({ state: 'invalid', step: 'chain', check: 'C6' });
    expect(await verdict('2028-01-01', '2027-01-01')).toMatchObject({ state: 'signed', signer: { expired: true } });
    expect(await verdict('2028-01-01', '2027-07-01')).toMatchObject({ state: 'invalid', check: 'C6' });
    expect(await verdict('2025-01-01', '2027-01-01')).toMatchObject({ state: 'invalid', check: 'C6' });
  });

  verifies(['SG-11', 'SG-15', 'SG-17'], 'every difference has its own name', async () => {
    const verdict = (files: ReadonlyMap<string, string>) => verifySignature({ ...good, files }, trust);
    expect(await verdict(withFiles({ 'SKILL.md': 'changed' }))).toMatchObject({
      state: 'mismatch',
      coverage: { changed: ['SKILL.md'] },
    });
    expect(await verdict(withFiles({ 'scripts/run.sh': undefined }))).toMatchObject({
      state: 'mismatch',
      coverage: { missing: ['scripts/run.sh'] },
    });
    expect(await verdict(withFiles({ 'extra.md': 'x' }))).toMatchObject({
      state: 'partial',
      coverage: { unsigned: ['extra.md'] },
    });
    expect(await verdict(withFiles({ 'scripts/run.sh': undefined, 'run.sh': 'echo hello\n' }))).toMatchObject({
      state: 'mismatch',
      coverage: { missing: [], renamed: [{ from: 'scripts/run.sh', to: 'run.sh' }] },
    });
    expect(await verdict(filesOf({ 'SKILL.md': 'another skill' }))).toMatchObject({ state: 'mismatch' });
    const withHidden = new Map([...exampleFiles, ['.env.example', digestOf('x')]]);
    const hidden = signedWith(team.privateKey, withHidden);
    expect(await verifySignature({ ...hidden, files: exampleFiles }, trust)).toMatchObject({
      state: 'signed',
      coverage: { unpublished: ['.env.example'] },
    });
    expect(await verifySignature({ files: exampleFiles }, trust)).toEqual({ state: 'unsigned' });
  });

  verifies(['SG-12'], 'files may be listed in any order, which the root digest covers', async () => {
    const turned = statement((it) => {
      it.predicate.resources.reverse();
    });
    expect(await verifySignature({ ...good, signature: signedPayload(turned) }, trust)).toMatchObject({
      state: 'invalid',
      step: 'names',
    });
    const listed = statement((it) => {
      it.predicate.resources.reverse();
      const all = it.predicate.resources.map(({ digest }: { digest: string }) => Buffer.from(digest, 'hex'));
      it.subject[0].digest.sha256 = hexOf(Buffer.concat(all));
    });
    expect(await verifySignature({ ...good, signature: signedPayload(listed) }, trust)).toMatchObject({
      state: 'signed',
    });
  });

  verifies(['SG-13'], 'names that would leave the folder are refused before anything is compared', async () => {
    for (const name of [
      '../x',
      '/etc/passwd',
      'a/../../x',
      './a',
      'a//b',
      'a\\b',
      'C:/x',
      'a\0b',
      '.',
      '',
      'a/',
      'a\nb',
    ]) {
      const signature = signedPayload(
        statement((it) => {
          it.predicate.resources[0].name = name;
        }),
      );
      expect(await verifySignature({ ...good, signature }, trust), name).toMatchObject({
        state: 'invalid',
        step: 'names',
      });
    }
  });

  verifies(['SG-14'], 'a file that the signer ignores is unsigned', async () => {
    const skill = signedWith(team.privateKey, exampleFiles, ['extra', '.']);
    const files = withFiles({ 'extra/run.sh': 'x' });
    expect(await verifySignature({ ...skill, files }, trust)).toMatchObject({
      state: 'partial',
      coverage: { ignored: ['extra/run.sh'], unsigned: [] },
    });
    const links = signedPayload(
      statement((it) => {
        it.predicate.serialization.allow_symlinks = true;
      }),
    );
    expect(await verifySignature({ files, signature: links }, trust)).toMatchObject({ state: 'partial' });
  });

  verifies(['SG-18'], 'subjects and signers are compared exactly', () => {
    const subject = [
      ['O', 'Acme'],
      ['OU', 'A'],
      ['OU', 'B'],
    ] as const;
    expect(subjectMatches(subject, { O: 'Acme' })).toBe(true);
    for (const wanted of [
      {},
      { O: '' },
      { O: 'acme' },
      { O: 'Acm' },
      { O: 'Acme ' },
      { O: '.*' },
      { OU: 'A' },
      { CN: 'Acme' },
    ])
      expect(subjectMatches(subject, wanted as Record<string, string>)).toBe(false);
    const keyless = { issuer: 'https://i', identity: 'https://g/w.yml' };
    const actual = (identity: string, issuer = keyless.issuer) => ({ issuer, identity });
    expect(keylessMatches(keyless, actual(keyless.identity))).toBe(true);
    for (const identity of ['https://g/w.yml@refs/heads/main', 'https://g/w.ym', '', 'HTTPS://g/w.yml'])
      expect(keylessMatches(keyless, actual(identity))).toBe(false);
    expect(keylessMatches(keyless, actual(keyless.identity, 'https://i/'))).toBe(false);
    expect(keylessMatches({ ...keyless, identity: '' }, actual(''))).toBe(false);
  });

  verifies(['SG-19'], 'the reader decides which kind of signature is expected', async () => {
    const verdict = await verifySignature(good, { ...trust, kind: 'certificate' });
    expect(verdict).toMatchObject({ state: 'untrusted', step: 'kind' });
    expect(await verifySignature(good, { ...trust, kind: 'key' })).toMatchObject({ state: 'signed' });
  });

  verifies(['SG-22'], 'a compromised key voids everything, a retired one keeps what was seen before', async () => {
    const verdict = (reason: 'compromised' | 'retired', firstSeen?: string) =>
      verifySignature(good, {
        signers: [{ ...team.signer, revoked: { at: new Date('2026-12-01'), reason } }],
        at,
        ...(firstSeen === undefined ? {} : { firstSeen: new Date(firstSeen) }),
      });
    expect(await verdict('compromised', '2026-01-01')).toMatchObject({ state: 'untrusted', step: 'trust' });
    expect(await verdict('retired')).toMatchObject({ state: 'untrusted' });
    expect(await verdict('retired', '2026-12-02')).toMatchObject({ state: 'untrusted' });
    expect(await verdict('retired', '2026-11-01')).toMatchObject({ state: 'signed', signer: { expired: false } });
  });

  verifies(['SG-22'], 'a key that retires later counts until then, a compromised one never', async () => {
    const later = new Date(at.getTime() + 1_000);
    const verdict = (reason: 'compromised' | 'retired', when = at) =>
      verifySignature(good, { signers: [{ ...team.signer, revoked: { at: later, reason } }], at: when });
    expect(await verdict('retired')).toMatchObject({ state: 'signed', signer: { expired: false, until: later } });
    expect(await verdict('retired', later)).toMatchObject({ state: 'signed' });
    expect(await verdict('retired', new Date(later.getTime() + 1))).toMatchObject({ state: 'untrusted' });
    expect(await verdict('compromised')).toMatchObject({ state: 'untrusted', step: 'trust' });
  });

  verifies(['SG-11'], 'the content digest equals that of sha256sum, whatever the signature', async () => {
    const lines = [...exampleFiles].map(([path, digest]) => `${digest.slice(7)}  ${path}\n`).join('');
    expect(await contentDigest(exampleFiles)).toBe(digestOf(lines));
    expect(await contentDigest(new Map([...exampleFiles, ['skill.oms.sig', digestOf('s')]]))).toBe(digestOf(lines));
  });
});

function hexOf(bytes: Uint8Array): string {
  return digestOf(bytes as unknown as string).slice(7);
}

/** (r, n - s) in place of (r, s). */
function otherForm(der: Uint8Array, order: bigint): Uint8Array {
  const length = der[3] ?? 0;
  const r = der.subarray(4, 4 + length);
  const s = BigInt(`0x${Buffer.from(der.subarray(6 + length)).toString('hex')}`);
  let hex = (order - s).toString(16);
  if (hex.length % 2 === 1) hex = `0${hex}`;
  if (Number.parseInt(hex.slice(0, 2), 16) > 127) hex = `00${hex}`;
  const other = Buffer.from(hex, 'hex');
  const body = Buffer.concat([Buffer.from([2, r.length]), r, Buffer.from([2, other.length]), other]);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}
