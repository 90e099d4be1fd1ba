/**
 * Keys that signatures are checked with. The curve of the key fixes the hash, never the message. P-256, P-384 and P-521 sign skills;
 * Ed25519 is for documents of Skillwire itself. Keys of small order are refused, because they accept a trivial signature.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { SkillwireError } from '../errors.ts';

export interface VerifyingKey {
  readonly key: KeyObject;
  readonly curve: Curve;
  /** `sha256:` and the hexadecimal SHA-256 of the SPKI in DER. */
  readonly id: string;
  /** How OpenSSF Model Signing names a key: hexadecimal SHA-256 of the PEM text. */
  readonly hint: string;
}

export type Curve = keyof typeof hashes;

const hashes = { 'P-256': 'sha256', 'P-384': 'sha384', 'P-521': 'sha512', Ed25519: null } as const;
const curves: Readonly<Record<string, Curve>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

/** Little-endian y coordinates of the points whose order divides 8, with the bit of the sign cleared. */
const smallOrder: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
]);

/** @throws SkillwireError USAGE if the text is not one public key of a supported kind */
export function parsePublicKey(pem: string, name: string): VerifyingKey {
  const blocks = pem.match(/-----BEGIN [^-]+-----/g) ?? [];
  if (blocks.length !== 1 || blocks[0] !== '-----BEGIN PUBLIC KEY-----')
    throw keyError(name, 'it is not one public key in PEM form. Use the .pub file that "skillwire keygen" writes');
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch (cause) {
    throw keyError(name, 'it is not a valid public key', cause);
  }
  const fault = keyFault(key);
  if (fault !== undefined) throw keyError(name, fault);
  return verifyingKey(key);
}

/** @throws SkillwireError USAGE */
export function parsePrivateKey(pem: string, name: string, passphrase?: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: pem, passphrase });
  } catch (cause) {
    const encrypted = pem.includes('ENCRYPTED PRIVATE KEY');
    const hint = !encrypted ? 'it is not a private key in PEM form' : 'the passphrase is missing or wrong';
    throw keyError(name, hint, cause);
  }
  const fault = keyFault(createPublicKey(key));
  if (fault !== undefined) throw keyError(name, fault);
  return key;
}

export function verifyingKey(key: KeyObject): VerifyingKey {
  const curve = curveOf(key);
  if (curve === undefined) throw new TypeError('not a key that was checked');
  const der = key.export({ type: 'spki', format: 'der' });
  const pem = key.export({ type: 'spki', format: 'pem' });
  return { key, curve, id: `sha256:${hex(der)}`, hint: hex(Buffer.from(pem)) };
}

/** Why a key is refused, as a sentence without its period. */
export function keyFault(key: KeyObject): string | undefined {
  const curve = curveOf(key);
  if (curve === undefined) return 'it is not a P-256, P-384, P-521 or Ed25519 key. Make one with "skillwire keygen"';
  return curve === 'Ed25519' ? ed25519Fault(key) : undefined;
}

export function curveOf(key: KeyObject): Curve | undefined {
  if (key.asymmetricKeyType === 'ed25519') return 'Ed25519';
  return key.asymmetricKeyType === 'ec' ? curves[key.asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
}

export function verifyBytesWith({ key, curve }: VerifyingKey, message: Uint8Array, signature: Uint8Array): boolean {
  return verify(hashes[curve], message, key, signature);
}

/** @throws TypeError for a key that `parsePrivateKey()` does not return */
export function signBytesWith(key: KeyObject, message: Uint8Array): Uint8Array {
  const curve = curveOf(key);
  if (curve === undefined) throw new TypeError('not a key that was checked');
  return sign(hashes[curve], message, key);
}

function ed25519Fault(key: KeyObject): string | undefined {
  const point = Buffer.from(key.export({ type: 'spki', format: 'der' }).subarray(-32));
  point[31] = (point[31] ?? 0) & 0x7f;
  const prime = Buffer.from(`ed${'ff'.repeat(30)}7f`, 'hex');
  const isReduced = point.reverse().compare(prime.reverse()) < 0;
  const unusable = !isReduced || smallOrder.has(Buffer.from(point).reverse().toString('hex'));
  return unusable ? 'it is an Ed25519 key that accepts forged signatures. Make a new key' : undefined;
}

function hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function keyError(name: string, reason: string, cause?: unknown): SkillwireError {
  return new SkillwireError('USAGE', `Cannot use the key "${name}": ${reason}.`, { data: { file: name }, cause });
}
