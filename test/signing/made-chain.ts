/** Certificates made for a test, each as good or as faulty as it asks for. */
import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto as unknown as Crypto);

export interface CertificateOptions {
  readonly subject?: string;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly curve?: 'P-256' | 'P-384' | 'P-521' | 'RSA';
  readonly hash?: 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512';
  /** `undefined` in the list leaves the usual extensions in place. */
  readonly extensions?: readonly x509.Extension[];
}

export interface MadeCertificate {
  readonly der: Uint8Array;
  readonly pem: string;
  readonly name: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly privateKey: KeyObject;
}

const from = new Date('2026-01-01T00:00:00Z');
const to = new Date('2030-01-01T00:00:00Z');

export const usage = {
  authority: (pathLength?: number): readonly x509.Extension[] => [
    new x509.BasicConstraintsExtension(true, pathLength, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
  ],
  signer: (): readonly x509.Extension[] => [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
  ],
};

let serial = 1;

/** @param issuer absent: it issues itself */
export async function makeCertificate(
  options: CertificateOptions = {},
  issuer?: MadeCertificate,
): Promise<MadeCertificate> {
  const { curve = 'P-256', hash = 'SHA-256', subject = `CN=Test ${serial}`, notBefore = from, notAfter = to } = options;
  const algorithm =
    curve === 'RSA'
      ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }
      : { name: 'ECDSA', namedCurve: curve };
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const signingKeys = issuer?.keys ?? keys;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: (serial++).toString(16).padStart(4, '0'),
    subject,
    issuer: issuer?.name ?? subject,
    notBefore,
    notAfter,
    signingAlgorithm: { name: signingKeys.privateKey.algorithm.name, hash } as EcdsaParams,
    publicKey: keys.publicKey,
    signingKey: signingKeys.privateKey,
    extensions: [...(options.extensions ?? (issuer === undefined ? usage.authority() : usage.signer()))],
  } as unknown as x509.X509CertificateCreateParams);
  return {
    der: new Uint8Array(certificate.rawData),
    pem: certificate.toString('pem'),
    name: subject,
    keys,
    privateKey: KeyObject.from(keys.privateKey),
  };
}

export { x509 };
