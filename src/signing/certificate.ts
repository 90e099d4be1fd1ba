/**
 * One X.509 certificate, read from its DER. `node:crypto` does not report key usage, path length, critical extensions, the algorithm of the
 * signature or single parts of the subject.
 */
import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import { limits } from '../limits.ts';
import { type DerValue, derChildren, derOid, readDer } from './der.ts';

export interface Certificate {
  readonly x509: X509Certificate;
  readonly publicKey: KeyObject;
  readonly der: Uint8Array;
  /** `sha256:` and the hexadecimal SHA-256 of the DER. */
  readonly fingerprint: string;
  /** In the order of the certificate. */
  readonly subject: readonly SubjectPart[];
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly signatureAlgorithm: string;
  readonly isAuthority: boolean;
  readonly pathLength?: number;
  /** Absent if the certificate does not restrict it. */
  readonly keyUsage?: { readonly digitalSignature: boolean; readonly certSign: boolean };
  readonly extendedKeyUsage?: readonly string[];
  /** Object identifiers of all extensions, and of the critical ones. */
  readonly extensions: readonly string[];
  readonly critical: readonly string[];
  /** The contents of the extensions, in DER, by object identifier. */
  readonly values: ReadonlyMap<string, Uint8Array>;
}

/** An attribute of a subject: a short name such as `O`, or a dotted object identifier, and its text. */
export type SubjectPart = readonly [type: string, text: string];

/** Why a certificate cannot be read, as a phrase to follow "a certificate". */
export class CertificateFault extends Error {}

const attributeNames: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '0.9.2342.19200300.100.1.25': 'DC',
  '1.2.840.113549.1.9.1': 'emailAddress',
};

export const extensionIds = {
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  extendedKeyUsage: '2.5.29.37',
} as const;

/** Names of attributes that a configuration may use, beside dotted object identifiers. */
export const subjectNames: readonly string[] = Object.values(attributeNames);

/** @throws CertificateFault */
export function parseCertificate(der: Uint8Array): Certificate {
  if (der.byteLength > limits.signing.certificateBytes)
    throw new CertificateFault(`has ${der.byteLength} bytes; at most ${limits.signing.certificateBytes} are allowed`);
  try {
    const x509 = new X509Certificate(der);
    if (!x509.raw.equals(der)) throw new CertificateFault('has bytes that are not part of it');
    // The key is decoded only when it is read, and its fault must be one of this certificate.
    const { publicKey } = x509;
    return { x509, publicKey, der, fingerprint: fingerprintOf(der), ...fieldsOf(der) };
  } catch (cause) {
    if (cause instanceof CertificateFault) throw cause;
    throw new CertificateFault('cannot be read', { cause });
  }
}

/** All certificates of a PEM text. @throws CertificateFault */
export function parseCertificates(pem: string): readonly Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => {
    const body = block.replace(/-----[A-Z ]+-----/g, '').replace(/\s+/g, '');
    return parseCertificate(Buffer.from(body, 'base64'));
  });
}

/** The text of an extension that has one; `undefined` without it. @throws CertificateFault */
export function extensionText({ values }: Certificate, id: string): string | undefined {
  const content = values.get(id);
  if (content === undefined) return undefined;
  try {
    const value = readDer(content);
    const text = value.tag === 0x0c ? attributeText(value) : '';
    if (text !== '') return text;
  } catch (cause) {
    throw new CertificateFault('has an extension that cannot be read', { cause });
  }
  throw new CertificateFault('has an extension without a text');
}

/** A text that no other subject has, in the style of RFC 4514. */
export function subjectText(subject: readonly SubjectPart[]): string {
  return subject
    .map(([type, text]) => {
      const escaped = text.replace(/[\\,+"<>;=]|^[ #]| $/g, '\\$&').replace(/\p{Cc}/gu, escapeControl);
      return `${type}=${escaped}`;
    })
    .join(',');
}

function escapeControl(sign: string): string {
  return `\\${sign.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

function fingerprintOf(der: Uint8Array): string {
  return `sha256:${createHash('sha256').update(der).digest('hex')}`;
}

function fieldsOf(der: Uint8Array): Omit<Certificate, 'x509' | 'publicKey' | 'der' | 'fingerprint'> {
  const [body, algorithm] = derChildren(readDer(der));
  if (body === undefined || algorithm === undefined) throw new CertificateFault('lacks a part');
  const parts = derChildren(body);
  // The version is absent from certificates of version 1.
  const at = parts[0]?.tag === 0xa0 ? 1 : 0;
  const [inner, , validity, subject] = parts.slice(at + 1);
  if (inner === undefined || validity === undefined || subject === undefined)
    throw new CertificateFault('lacks a part');
  const signatureAlgorithm = derOid(derChildren(algorithm)[0]);
  if (!Buffer.from(inner.raw).equals(algorithm.raw)) throw new CertificateFault('names two signature algorithms');
  const [notBefore, notAfter] = derChildren(validity).map(timeOf);
  if (notBefore === undefined || notAfter === undefined) throw new CertificateFault('has no validity');
  const extensions = parts.find(({ tag }) => tag === 0xa3);
  return {
    subject: subjectOf(subject),
    notBefore,
    notAfter,
    signatureAlgorithm,
    ...(extensions === undefined
      ? { isAuthority: false, extensions: [], critical: [], values: new Map() }
      : extensionsOf(extensions)),
  };
}

function extensionsOf(wrapper: DerValue) {
  const [list] = derChildren(wrapper);
  if (list === undefined) throw new CertificateFault('has empty extensions');
  const values = new Map<string, DerValue>();
  const critical: string[] = [];
  for (const extension of derChildren(list)) {
    const fields = derChildren(extension);
    const id = derOid(fields[0]);
    if (values.has(id)) throw new CertificateFault('has an extension twice');
    if (fields[1]?.tag === 0x01 && fields[1].content[0] !== 0) critical.push(id);
    const octets = fields.at(-1);
    if (octets?.tag !== 0x04) throw new CertificateFault('has an extension without a value');
    values.set(id, octets);
  }
  const inside = (id: string): DerValue | undefined => {
    const octets = values.get(id);
    return octets === undefined ? undefined : readDer(octets.content);
  };
  const usage = inside(extensionIds.keyUsage);
  const purposes = inside(extensionIds.extendedKeyUsage);
  const constraints = inside(extensionIds.basicConstraints);
  const [authority, length] = constraints === undefined ? [] : derChildren(constraints);
  const isAuthority = authority?.tag === 0x01 && authority.content[0] !== 0;
  return {
    isAuthority,
    ...(length?.tag === 0x02 ? { pathLength: smallInteger(length) } : {}),
    ...(usage === undefined ? {} : { keyUsage: usageOf(usage) }),
    ...(purposes === undefined ? {} : { extendedKeyUsage: derChildren(purposes).map(derOid) }),
    extensions: [...values.keys()],
    critical,
    values: new Map([...values].map(([id, { content }]) => [id, content])),
  };
}

function usageOf({ tag, content }: DerValue) {
  if (tag !== 0x03) throw new CertificateFault('has an unusual key usage');
  const bits = content[1] ?? 0;
  return { digitalSignature: (bits & 0x80) !== 0, certSign: (bits & 0x04) !== 0 };
}

function smallInteger({ content }: DerValue): number {
  if (content.length !== 1 || (content[0] ?? 0) > 127) throw new CertificateFault('has an unusual path length');
  return content[0] ?? 0;
}

function timeOf({ tag, content }: DerValue): Date {
  const text = Buffer.from(content).toString('latin1');
  const digits = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/.exec(text);
  const [, year = '', month = '', day = '', hour = '', minute = '', second = ''] = digits ?? [];
  if (digits === null || (tag === 0x17 ? year.length !== 2 : tag !== 0x18 || year.length !== 4))
    throw new CertificateFault('has an unusual time');
  const whole = year.length === 4 ? year : `${Number(year) < 50 ? '20' : '19'}${year}`;
  const time = new Date(`${whole}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(time.getTime())) throw new CertificateFault('has an impossible time');
  return time;
}

function subjectOf(name: DerValue): readonly SubjectPart[] {
  return derChildren(name).flatMap((set) =>
    derChildren(set).map((attribute): SubjectPart => {
      const [type, value] = derChildren(attribute);
      const id = derOid(type);
      return [attributeNames[id] ?? id, value === undefined ? '' : attributeText(value)];
    }),
  );
}

/** UTF-8, printable and IA5 strings as text; every other type as its bytes, so that it equals no text. */
function attributeText({ tag, content, raw }: DerValue): string {
  if (tag === 0x0c) return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  if (tag === 0x13 || tag === 0x16) return Buffer.from(content).toString('latin1');
  return `#${Buffer.from(raw).toString('hex')}`;
}
