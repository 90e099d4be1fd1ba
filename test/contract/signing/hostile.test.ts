/** Signature files by a generator: each case changes one thing of a good one, and is refused at the step that the change belongs to. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../../../src/limits.ts';
import { writeBundle } from '../../../src/signing/bundle.ts';
import { parseCertificate } from '../../../src/signing/certificate.ts';
import { signEnvelope } from '../../../src/signing/dsse.ts';
import { inspectSignature } from '../../../src/signing/inspect-signature.ts';
import { signSkill } from '../../../src/signing/sign-skill.ts';
import type { TrustedSigner } from '../../../src/signing/signer.ts';
import { writeStatement } from '../../../src/signing/statement.ts';
import { type SignatureStep, verifySignature } from '../../../src/signing/verify-signature.ts';
import { verifies } from '../../requirements/verifies.ts';
import { makeCertificate, usage } from '../../signing/made-chain.ts';
import { type Bundle, changedBundle, digestOf, exampleFiles, makeKey } from '../../signing/signed-files.ts';
import { soakFactor } from '../../soak-factor.ts';

const at = new Date('2027-01-01T00:00:00Z');
const team = makeKey();
const stranger = makeKey('stranger');
const root = await makeCertificate({ subject: 'CN=Root' });
const middle = await makeCertificate({ subject: 'CN=Middle', extensions: usage.authority(0) }, root);
const leaf = await makeCertificate({ subject: 'CN=Signer,O=Acme' }, middle);
const chain = [leaf, middle, root].map(({ der }) => parseCertificate(der));
const signers: readonly TrustedSigner[] = [
  team.signer,
  { name: 'acme', kind: 'certificate', roots: [parseCertificate(root.der)], subject: { O: 'Acme' } },
];
const content = { files: exampleFiles, ignored: [] };
const byKey = signSkill('example', content, { key: team.privateKey });
const byChain = signSkill('example', content, { key: leaf.privateKey, chain });
const text = Buffer.from(byKey).toString();

interface Case {
  readonly name: string;
  readonly signature: Uint8Array;
  readonly step: SignatureStep | readonly SignatureStep[];
  readonly state?: string;
}

const cases: Case[] = [];
const add = (name: string, step: Case['step'], signature: Uint8Array | string, state = 'invalid'): number =>
  cases.push({ name, step, state, signature: typeof signature === 'string' ? Buffer.from(signature) : signature });
const change = (
  name: string,
  step: Case['step'],
  from: Uint8Array,
  edit: (bundle: Bundle) => void,
  state?: string,
): number => add(name, step, changedBundle(from, edit), state);

/** A statement that the trusted key really signed. */
function state(name: string, step: SignatureStep, edit: (statement: Bundle) => void, verdict = 'invalid'): void {
  const statement = JSON.parse(Buffer.from(writeStatement('example', content)).toString());
  edit(statement);
  payload(name, step, JSON.stringify(statement), verdict);
}

function payload(name: string, step: SignatureStep, bytes: string | Uint8Array, verdict = 'invalid'): void {
  const envelope = signEnvelope('application/vnd.in-toto+json', Buffer.from(bytes as string), team.privateKey);
  add(name, step, writeBundle({ kind: 'key', hint: team.signer.key.hint }, envelope), verdict);
}

// The file.
add('empty', 'file', '');
add('no JSON', 'file', 'signature');
add('cut', 'file', text.slice(0, -40));
add('doubled', 'file', text + text);
add('byte-order mark', 'file', `\ufeff${text}`);
add('not UTF-8', 'file', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]));
add('UTF-16', 'file', Buffer.from(text, 'utf16le'));
add('a comment', 'file', `// signed\n${text}`);
add('a trailing comma', 'file', text.replace(/\n}\s*$/, ',\n}'));
add('too large', 'file', `${text}${' '.repeat(limits.signing.bundleBytes)}`);
add('too deep', 'file', `{"mediaType": ${'['.repeat(40)}${']'.repeat(40)}}`);
add('far too deep', 'file', '['.repeat(200_000));
for (const value of ['null', '[]', '"text"', '1', 'true']) add(`the document is ${value}`, 'file', value);
for (const key of ['mediaType', 'verificationMaterial', 'dsseEnvelope'])
  add(`${key} twice`, 'file', text.replace('{', `{"${key}": {},`));
for (const key of ['payload', 'payloadType', 'signatures'])
  add(`${key} twice`, 'file', text.replace('"dsseEnvelope": {', `"dsseEnvelope": {"${key}": "",`));
for (const key of ['sig', 'keyid']) add(`${key} twice`, 'file', text.replace(`"${key}":`, `"${key}": "", "${key}":`));
add('an escaped equal key', 'file', text.replace('{', '{"media\\u0054ype": "x",'));
add('__proto__', 'file', text.replace('{', '{"__proto__": {},'));
add('an inner __proto__', 'file', text.replace('"dsseEnvelope": {', '"dsseEnvelope": {"__proto__": 1,'));
for (const mediaType of [undefined, null, '', 'application/json', 3, {}, 'application/vnd.dev.cosign'])
  change(`media type ${JSON.stringify(mediaType)}`, 'file', byKey, (it) => Object.assign(it, { mediaType }));
for (const version of ['v0.1', 'v0.2', 'v0.4', 'v1'])
  change(
    `bundle ${version}`,
    'file',
    byKey,
    (it) => {
      it.mediaType = `application/vnd.dev.sigstore.bundle.${version}+json`;
    },
    'unsupported',
  );

// The material.
for (const value of [undefined, null, [], 'x', {}, { tlogEntries: [] }])
  change(`material ${JSON.stringify(value)}`, 'material', byKey, (it) =>
    Object.assign(it, { verificationMaterial: value }),
  );
for (const value of [null, [], 'x', 7, {}])
  change(`key ${JSON.stringify(value)}`, 'material', byKey, (it) =>
    Object.assign(it.verificationMaterial, { publicKey: value }),
  );
for (const value of [
  null,
  [],
  'x',
  {},
  { certificates: [] },
  { certificates: {} },
  { certificates: [null] },
  { certificates: [{}] },
])
  change(`chain ${JSON.stringify(value)}`, 'material', byChain, (it) =>
    Object.assign(it.verificationMaterial, { x509CertificateChain: value }),
  );
change('a key and a chain', 'material', byChain, (it) =>
  Object.assign(it.verificationMaterial, { publicKey: { hint: 'x' } }),
);
change('a key and a certificate', 'material', byKey, (it) =>
  Object.assign(it.verificationMaterial, { certificate: { rawBytes: 'AAAA' } }),
);
change('a certificate without a log', 'material', byKey, (it) => {
  it.verificationMaterial = { certificate: { rawBytes: 'AAAA' }, tlogEntries: [] };
});
change('log entries that are no list', 'material', byKey, (it) =>
  Object.assign(it.verificationMaterial, { tlogEntries: {} }),
);
for (const value of [undefined, null, [], 'x', {}])
  change(`envelope ${JSON.stringify(value)}`, 'material', byKey, (it) => Object.assign(it, { dsseEnvelope: value }));
change('a second kind of signature', 'material', byKey, (it) => Object.assign(it, { messageSignature: {} }));
change(
  'only a signature of one file',
  'material',
  byKey,
  (it) => {
    it.messageSignature = {};
    delete it.dsseEnvelope;
  },
  'unsupported',
);
for (const value of [undefined, null, {}, [], [null], ['x']])
  change(`signatures ${JSON.stringify(value)}`, 'material', byKey, (it) =>
    Object.assign(it.dsseEnvelope, { signatures: value }),
  );
change('the signature twice', 'material', byKey, (it) =>
  it.dsseEnvelope.signatures.push(it.dsseEnvelope.signatures[0]),
);
change('a second signature', 'material', byKey, (it) => it.dsseEnvelope.signatures.unshift({ sig: 'AAAA', keyid: '' }));
for (const keyid of ['x', 1, {}, [], true])
  change(`keyid ${JSON.stringify(keyid)}`, 'material', byKey, (it) =>
    Object.assign(it.dsseEnvelope.signatures[0], { keyid }),
  );
const spellings: readonly (readonly [string, (text: string) => unknown])[] = [
  ['a space', (it) => `${it.slice(0, 4)} ${it.slice(4)}`],
  ['a line break', (it) => `${it}\n`],
  ['a sign of another alphabet', (it) => `-${it.slice(1)}`],
  ['an exclamation mark', (it) => `!${it}`],
  ['more padding', (it) => `${it}====`],
  ['no padding', (it) => `${it}AA`],
  ['unused bits', (it) => `${it.replace(/=*$/, '').slice(0, -2)}/B==`],
  ['nothing', () => ''],
  ['a number', () => 1],
  ['null', () => null],
];
for (const [name, spell] of spellings) {
  change(`payload with ${name}`, 'material', byKey, (it) => {
    it.dsseEnvelope.payload = spell(it.dsseEnvelope.payload);
  });
  change(`signature with ${name}`, 'material', byKey, (it) => {
    const [first] = it.dsseEnvelope.signatures;
    first.sig = spell(first.sig);
  });
  change(`certificate with ${name}`, 'material', byChain, (it) => {
    const [first] = it.verificationMaterial.x509CertificateChain.certificates;
    first.rawBytes = spell(first.rawBytes);
  });
}
for (const payloadType of [undefined, null, 1, {}])
  change(`payload type ${JSON.stringify(payloadType)}`, 'material', byKey, (it) =>
    Object.assign(it.dsseEnvelope, { payloadType }),
  );

// The signature.
for (const from of [byKey, byChain])
  for (const type of ['application/json', 'application/vnd.in-toto+json ', 'APPLICATION/VND.IN-TOTO+JSON', ''])
    change(`payload type "${type}"`, 'signature', from, (it) => Object.assign(it.dsseEnvelope, { payloadType: type }));
function flipped(bytes: Buffer, at: number): string {
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString('base64');
}
for (let part = 0; part < 12; part++) {
  change(`payload bit ${part}`, 'signature', part % 2 === 0 ? byKey : byChain, (it) => {
    const bytes = Buffer.from(it.dsseEnvelope.payload, 'base64');
    it.dsseEnvelope.payload = flipped(bytes, Math.floor((bytes.length * part) / 12));
  });
  change(`signature bit ${part}`, 'signature', part % 2 === 0 ? byKey : byChain, (it) => {
    const bytes = Buffer.from(it.dsseEnvelope.signatures[0].sig, 'base64');
    it.dsseEnvelope.signatures[0].sig = flipped(bytes, Math.floor((bytes.length * part) / 12));
  });
}
change('an empty payload', 'signature', byKey, (it) =>
  Object.assign(it.dsseEnvelope, { payload: Buffer.from('{}').toString('base64') }),
);
change('the signature of another payload', 'signature', byKey, (it) => {
  const other = JSON.parse(
    Buffer.from(
      signSkill('other', { files: new Map([['a', digestOf('a')]]), ignored: [] }, { key: team.privateKey }),
    ).toString(),
  );
  it.dsseEnvelope.signatures = other.dsseEnvelope.signatures;
});
change('a signature with more bytes', 'signature', byKey, (it) => {
  it.dsseEnvelope.signatures[0].sig = Buffer.concat([
    Buffer.from(it.dsseEnvelope.signatures[0].sig, 'base64'),
    Buffer.from([0]),
  ]).toString('base64');
});
change('a zero signature', 'signature', byKey, (it) =>
  Object.assign(it.dsseEnvelope.signatures[0], { sig: Buffer.from('3006020100020100', 'hex').toString('base64') }),
);
change('a signature of one and one', 'signature', byKey, (it) =>
  Object.assign(it.dsseEnvelope.signatures[0], { sig: Buffer.from('3006020101020101', 'hex').toString('base64') }),
);

// Trust.
const foreign = signSkill('example', content, { key: stranger.privateKey });
add('another key', 'trust', foreign, 'untrusted');
change('another key under the name of ours', 'signature', foreign, (it) =>
  Object.assign(it.verificationMaterial.publicKey, { hint: team.signer.key.hint }),
);
const otherCurve = makeKey('other', 'P-384');
add('a key of another curve', 'trust', signSkill('example', content, { key: otherCurve.privateKey }), 'untrusted');
change('our chain over the signature of a key', 'signature', byKey, (it) => {
  it.verificationMaterial = JSON.parse(Buffer.from(byChain).toString()).verificationMaterial;
});
change(
  'our key over the signature of a chain',
  'trust',
  byChain,
  (it) => {
    it.verificationMaterial = { publicKey: { hint: '' }, tlogEntries: [] };
  },
  'untrusted',
);
change(
  'a keyless certificate that nobody trusts',
  'trust',
  byKey,
  (it) => {
    it.verificationMaterial = { certificate: { rawBytes: 'AAAA' }, tlogEntries: [{}] };
  },
  'untrusted',
);

// The chain.
const certificates = (
  name: string,
  step: SignatureStep,
  edit: (list: { rawBytes: string }[]) => void,
  verdict?: string,
): number =>
  change(name, step, byChain, (it) => edit(it.verificationMaterial.x509CertificateChain.certificates), verdict);
certificates('the chain turned around', 'chain', (it) => it.reverse());
certificates('the issuer twice', 'chain', (it) => it.splice(1, 0, it[1] ?? { rawBytes: '' }));
certificates('the issuer left out', 'chain', (it) => it.splice(1, 1));
certificates('the signer left out', 'chain', (it) => it.shift());
certificates('the root after the root', 'chain', (it) => it.push(it[2] ?? { rawBytes: '' }));
certificates('six certificates', 'chain', (it) => it.push(...it));
certificates('the root alone', 'chain', (it) => it.splice(0, 2));
certificates('no root and no issuer', 'trust', (it) => it.splice(1, 2), 'untrusted');
for (let part = 0; part < 8; part++)
  certificates(`a bit of the first certificate (${part})`, 'chain', (it) => {
    const bytes = Buffer.from(it[0]?.rawBytes ?? '', 'base64');
    it[0] = { rawBytes: flipped(bytes, Math.floor((bytes.length * (part + 0.5)) / 8)) };
  });
certificates('bytes after a certificate', 'chain', (it) => {
  it[0] = {
    rawBytes: Buffer.concat([Buffer.from(it[0]?.rawBytes ?? '', 'base64'), Buffer.from([0, 0])]).toString('base64'),
  };
});
certificates('half a certificate', 'chain', (it) => {
  it[1] = {
    rawBytes: Buffer.from(it[1]?.rawBytes ?? '', 'base64')
      .subarray(0, 90)
      .toString('base64'),
  };
});
certificates('no certificate at all', 'chain', (it) => {
  it[0] = { rawBytes: 'AAAA' };
});

// The statement.
payload('no JSON as statement', 'statement', 'files');
payload('a list as statement', 'statement', '[]');
payload('an equal key in the statement', 'statement', '{"_type": 1, "_type": 2}');
payload('a deep statement', 'statement', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`);
payload('a statement with a byte-order mark', 'statement', '\ufeff{}');
payload('a statement that is not UTF-8', 'statement', Buffer.from([0x7b, 0xff, 0x7d]));
for (const key of ['_type', 'predicateType'])
  for (const value of [
    undefined,
    null,
    1,
    '',
    'https://model_signing/Digests/v0.1',
    'https://in-toto.io/Statement/v1#',
  ])
    state(`${key} ${JSON.stringify(value)}`, 'statement', (it) => Object.assign(it, { [key]: value }), 'unsupported');
for (const value of [undefined, null, [], {}, 'x'])
  state(`predicate ${JSON.stringify(value)}`, 'statement', (it) => Object.assign(it, { predicate: value }));
for (const value of [undefined, null, {}, [], 'x'])
  state(`resources ${JSON.stringify(value)}`, 'statement', (it) => Object.assign(it.predicate, { resources: value }));
for (const value of [undefined, null, [], 'x'])
  state(`serialization ${JSON.stringify(value)}`, 'statement', (it) =>
    Object.assign(it.predicate, { serialization: value }),
  );
for (const value of ['x', {}, [1], [null]])
  state(`ignore_paths ${JSON.stringify(value)}`, 'statement', (it) =>
    Object.assign(it.predicate.serialization, { ignore_paths: value }),
  );
for (const value of ['shards', '', null, undefined])
  state(
    `method ${JSON.stringify(value)}`,
    'statement',
    (it) => Object.assign(it.predicate.serialization, { method: value }),
    'unsupported',
  );
for (const value of ['blake2b', 'sha512', 'SHA256', undefined])
  state(
    `hash ${JSON.stringify(value)}`,
    'statement',
    (it) => Object.assign(it.predicate.serialization, { hash_type: value }),
    'unsupported',
  );
for (const value of [undefined, null, {}, []])
  state(`subject ${JSON.stringify(value)}`, 'statement', (it) => Object.assign(it, { subject: value }));
state('two subjects', 'statement', (it) => it.subject.push(it.subject[0]));
state('too many files', 'statement', (it) => {
  it.predicate.resources = Array.from({ length: limits.signing.files + 1 }, (_, at) => ({
    name: `f${at}`,
    algorithm: 'sha256',
    digest: '0'.repeat(64),
  }));
});

// Names and digests.
const names = [
  '../SKILL.md',
  '/SKILL.md',
  './SKILL.md',
  'a/./b',
  'a//b',
  'a/',
  '',
  '.',
  '..',
  'a\\b',
  'C:SKILL.md',
  'c:/x',
  '\\\\host\\x',
  'a\0',
  'a\u0007',
  'a\ud800',
  'x'.repeat(1025),
];
for (const name of names)
  state(`name ${JSON.stringify(name).slice(0, 40)}`, 'names', (it) => {
    it.predicate.resources[0].name = name;
  });
for (const name of [undefined, null, 1, {}])
  state(`name ${JSON.stringify(name)}`, 'names', (it) => Object.assign(it.predicate.resources[0], { name }));
for (const name of ['SKILL.md', 'skill.md', 'SKILL.MD', 'S\u212aILL.md'])
  state(`the name ${name} again`, 'names', (it) => it.predicate.resources.push({ ...it.predicate.resources[0], name }));
state('names in two forms of Unicode', 'names', (it) => {
  it.predicate.resources.push(
    { ...it.predicate.resources[0], name: 'caf\u00e9' },
    { ...it.predicate.resources[0], name: 'cafe\u0301' },
  );
});
for (const digest of [
  undefined,
  null,
  '',
  'x',
  '0'.repeat(63),
  '0'.repeat(65),
  'A'.repeat(64),
  `sha256:${'0'.repeat(64)}`,
])
  state(`digest ${JSON.stringify(digest)}`, 'names', (it) => Object.assign(it.predicate.resources[0], { digest }));
for (const algorithm of [undefined, null, 'sha512', 'SHA256', 'blake3'])
  state(`algorithm ${JSON.stringify(algorithm)}`, 'names', (it) =>
    Object.assign(it.predicate.resources[0], { algorithm }),
  );
for (const resource of [null, [], 'x', 1])
  state(`resource ${JSON.stringify(resource)}`, 'names', (it) => it.predicate.resources.push(resource));
for (const digest of [undefined, null, {}, { sha256: '' }, { sha256: '0'.repeat(64) }, { sha512: '0' }])
  state(`root digest ${JSON.stringify(digest)}`, 'names', (it) => Object.assign(it.subject[0], { digest }));
state('files in another order than their root digest', 'names', (it) => it.predicate.resources.reverse());

describe('hostile signature files', () => {
  test('there are at least 150', () => {
    expect(cases.length).toBeGreaterThanOrEqual(150);
    expect(new Set(cases.map(({ name, step }) => `${step} ${name}`)).size).toBeGreaterThanOrEqual(150);
  });

  verifies(['SG-2', 'SG-4', 'SG-5', 'SG-6', 'SG-8'], 'each is refused at its step', async () => {
    const wrong: unknown[] = [];
    for (const { name, signature, step, state: expected } of cases) {
      const verdict = await verifySignature({ files: exampleFiles, signature }, { signers, at });
      const actual = { state: verdict.state, step: 'step' in verdict ? verdict.step : undefined };
      if (actual.state !== expected || actual.step !== step) wrong.push({ name, expected, step, actual });
    }
    expect(wrong).toEqual([]);
  });

  test('both files that they are made from verify', async () => {
    for (const signature of [byKey, byChain])
      expect(await verifySignature({ files: exampleFiles, signature }, { signers, at })).toMatchObject({
        state: 'signed',
      });
  });

  test('no change of bytes crashes the reader, and none is accepted with another meaning', async () => {
    const bytes = fc.tuple(
      fc.constantFrom(byKey, byChain),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      fc.nat(3),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async ([from, edits, cut]) => {
        const changed = Buffer.from(from);
        for (const [position, value] of edits) changed[position % changed.length] = value;
        const signature = cut === 0 ? changed.subarray(0, (edits[0]?.[0] ?? 0) % changed.length) : changed;
        const verdict = await verifySignature({ files: exampleFiles, signature }, { signers, at });
        inspectSignature({ files: exampleFiles, signature });
        // A change that leaves the envelope alone, such as one of a space or the hint, may pass.
        if (verdict.state === 'signed') expect(verdict.coverage.matching).toBe(exampleFiles.size);
      }),
      { numRuns: 50_000 * soakFactor },
    );
  });
});
