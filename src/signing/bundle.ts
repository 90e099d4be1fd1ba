/**
 * Sigstore bundles v0.3 as OpenSSF Model Signing uses them (`skill.oms.sig`): one envelope, one signature, one kind of verification
 * material. Reading decides nothing about trust, and does not look at the payload.
 */
import { isJsonObject, type JsonObject } from '../skill/json.ts';
import { canonicalBase64, toBase64 } from './base64.ts';
import type { Envelope } from './dsse.ts';
import { JsonFault, parseStrictJson } from './strict-json.ts';

export const bundleMediaType = 'application/vnd.dev.sigstore.bundle.v0.3+json';

export type Material =
  /** The hint names a key and proves nothing. */
  | { readonly kind: 'key'; readonly hint: string }
  /** The first one signs. */
  | { readonly kind: 'certificate'; readonly chain: readonly Uint8Array[] }
  /** A short-lived certificate and entries of a transparency log. */
  | { readonly kind: 'keyless' };

export interface Bundle {
  readonly material: Material;
  readonly envelope: Envelope;
  /** The document itself, for `keyless`. */
  readonly json: JsonObject;
}

export type BundleReading =
  | { readonly ok: true; readonly bundle: Bundle }
  | { readonly ok: false; readonly supported: boolean; readonly step: 'file' | 'material'; readonly reason: string };

class BundleFault extends Error {
  readonly step: 'file' | 'material';
  readonly supported: boolean;

  constructor(step: 'file' | 'material', reason: string, supported = true) {
    super(reason);
    this.step = step;
    this.supported = supported;
  }
}

export function readBundle(bytes: Uint8Array): BundleReading {
  try {
    const json = parseStrictJson(bytes);
    if (!isJsonObject(json)) throw new BundleFault('file', 'it is not a JSON object');
    assertMediaType(json);
    return { ok: true, bundle: { material: materialOf(json), envelope: envelopeOf(json), json } };
  } catch (error) {
    if (error instanceof JsonFault) return { ok: false, supported: true, step: 'file', reason: `it ${error.message}` };
    if (!(error instanceof BundleFault)) throw error;
    return { ok: false, supported: error.supported, step: error.step, reason: error.message };
  }
}

/** The bytes of a signature file. */
export function writeBundle(material: Exclude<Material, { kind: 'keyless' }>, envelope: Envelope): Uint8Array {
  const proof =
    material.kind === 'key'
      ? { publicKey: { hint: material.hint } }
      : { x509CertificateChain: { certificates: material.chain.map((der) => ({ rawBytes: toBase64(der) })) } };
  const bundle = {
    mediaType: bundleMediaType,
    verificationMaterial: { ...proof, tlogEntries: [] },
    dsseEnvelope: {
      payload: toBase64(envelope.payload),
      payloadType: envelope.payloadType,
      signatures: [{ sig: toBase64(envelope.signature), keyid: '' }],
    },
  };
  return Buffer.from(`${JSON.stringify(bundle, undefined, 2)}\n`);
}

function assertMediaType({ mediaType }: JsonObject): void {
  if (mediaType === bundleMediaType) return;
  const other = typeof mediaType === 'string' && /sigstore\.bundle/.test(mediaType);
  throw new BundleFault('file', other ? 'it is a bundle of another version' : 'it is not a Sigstore bundle', !other);
}

function materialOf({ verificationMaterial: material }: JsonObject): Material {
  if (!isJsonObject(material)) throw new BundleFault('material', 'it has no verification material');
  const { publicKey, x509CertificateChain, certificate, tlogEntries } = material;
  const kinds = [publicKey, x509CertificateChain, certificate].filter((kind) => kind !== undefined);
  if (kinds.length !== 1 || !isJsonObject(kinds[0]))
    throw new BundleFault('material', 'it must have one key, one certificate or one chain of certificates');
  const entries = listOf(tlogEntries ?? [], 'tlogEntries');
  if (isJsonObject(certificate)) {
    if (entries.length === 0) throw new BundleFault('material', 'it has no transparency log entry');
    bytesOf(certificate['rawBytes'], 'the certificate');
    return { kind: 'keyless' };
  }
  if (isJsonObject(publicKey)) {
    const { hint, rawBytes } = publicKey;
    // Before version 1.1.0 of the reference tool there is the key itself, which proves nothing either.
    if (hint === undefined && rawBytes !== undefined) bytesOf(rawBytes, 'the key');
    else if (typeof hint !== 'string') throw new BundleFault('material', 'it does not name its key');
    return { kind: 'key', hint: typeof hint === 'string' ? hint : '' };
  }
  const { certificates } = isJsonObject(x509CertificateChain) ? x509CertificateChain : {};
  const chain = listOf(certificates, 'certificates').map((item) =>
    bytesOf(isJsonObject(item) ? item['rawBytes'] : undefined, 'a certificate'),
  );
  if (chain.length === 0) throw new BundleFault('material', 'it has no certificate');
  return { kind: 'certificate', chain };
}

function envelopeOf({ dsseEnvelope: envelope, messageSignature }: JsonObject): Envelope {
  if (messageSignature !== undefined && envelope === undefined)
    throw new BundleFault('material', 'it signs a single file, not a folder', false);
  if (!isJsonObject(envelope) || messageSignature !== undefined)
    throw new BundleFault('material', 'it must have one DSSE envelope');
  const signatures = listOf(envelope['signatures'], 'signatures');
  const [signature] = signatures;
  if (signatures.length !== 1 || !isJsonObject(signature))
    throw new BundleFault('material', `it has ${signatures.length} signatures; exactly one is allowed`);
  const { keyid } = signature;
  if (keyid !== undefined && keyid !== null && keyid !== '')
    throw new BundleFault('material', 'its signature names a key with "keyid"; this format does not allow it');
  const { payloadType } = envelope;
  if (typeof payloadType !== 'string') throw new BundleFault('material', 'its envelope has no type');
  return {
    payloadType,
    payload: bytesOf(envelope['payload'], 'the payload'),
    signature: bytesOf(signature['sig'], 'the signature'),
  };
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new BundleFault('material', `"${name}" must be a list`);
}

function bytesOf(value: unknown, name: string): Uint8Array {
  const bytes = canonicalBase64(value);
  if (bytes === undefined || bytes.length === 0) throw new BundleFault('material', `${name} is not canonical base64`);
  return bytes;
}
