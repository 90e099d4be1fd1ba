/**
 * Signers: those who signed, and those whom we trust. Identities are compared exactly: no patterns, no case folding, no empty values. A signer is never
 * identified by the bytes of a signature, which anybody can change into other valid ones.
 */
import { type Certificate, type SubjectPart, subjectText } from './certificate.ts';
import type { VerifyingKey } from './keys.ts';

/** The identity of a signer, independent of names in a configuration. */
export type SignerIdentity =
  | { readonly kind: 'key'; readonly key: string }
  /** Keys below a root may change, so the root and the subject identify the signer. */
  | { readonly kind: 'certificate'; readonly root: string; readonly subject: string }
  | { readonly kind: 'keyless'; readonly issuer: string; readonly identity: string };

export type SignerKind = SignerIdentity['kind'];

/** `compromised` voids every signature; `retired` keeps those that were seen before. */
export interface Revocation {
  readonly at: Date;
  readonly reason: 'compromised' | 'retired';
}

interface Named {
  readonly name: string;
  readonly notAfter?: Date;
  readonly revoked?: Revocation;
}

export type TrustedSigner = Named &
  (
    | { readonly kind: 'key'; readonly key: VerifyingKey }
    | {
        readonly kind: 'certificate';
        readonly roots: readonly Certificate[];
        /** Attributes that the subject must have, each exactly once. */
        readonly subject: Readonly<Record<string, string>>;
      }
    | {
        readonly kind: 'keyless';
        readonly issuer: string;
        readonly identity: string;
      }
  );

export type TrustedOf<Kind extends SignerKind> = Extract<TrustedSigner, { readonly kind: Kind }>;

/** Every given attribute is in the subject, once, with exactly this text. */
export function subjectMatches(subject: readonly SubjectPart[], wanted: Readonly<Record<string, string>>): boolean {
  const rows = Object.entries(wanted);
  return (
    rows.length > 0 &&
    rows.every(([type, text]) => {
      const parts = subject.filter(([name]) => name === type);
      return text !== '' && parts.length === 1 && parts[0]?.[1] === text;
    })
  );
}

export function keylessMatches(
  { issuer, identity }: Pick<TrustedOf<'keyless'>, 'issuer' | 'identity'>,
  actual: { readonly issuer: string; readonly identity: string },
): boolean {
  return issuer !== '' && identity !== '' && actual.issuer === issuer && actual.identity === identity;
}

export function certificateSigner(root: Certificate, subject: readonly SubjectPart[]): SignerIdentity {
  return { kind: 'certificate', root: root.fingerprint, subject: subjectText(subject) };
}

/** For people. The texts come from outside and need escaping. */
export function signerText(identity: SignerIdentity): string {
  if (identity.kind === 'key') return `key ${identity.key}`;
  if (identity.kind === 'certificate') return `certificate ${identity.subject}`;
  return `${identity.identity} (${identity.issuer})`;
}
