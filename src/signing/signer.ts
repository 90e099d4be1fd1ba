/**
 * Signers: those who signed, and those whom we trust. Identities are compared exactly: no patterns, no case folding, no empty values. A signer is never
 * identified by the bytes of a signature, which anybody can change into other valid ones.
 */

import type { SignerIdentity, SignerKind } from '../skill/signer-identity.ts';
import { type Certificate, type SubjectPart, subjectText } from './certificate.ts';
import type { VerifyingKey } from './keys.ts';

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
        /** The part of the identity after "@", if it is given separately. A final "*" stands for any text. */
        readonly ref?: string;
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
  { issuer, identity, ref }: Pick<TrustedOf<'keyless'>, 'issuer' | 'identity' | 'ref'>,
  actual: { readonly issuer: string; readonly identity: string },
): boolean {
  if (issuer === '' || identity === '' || ref === '' || actual.issuer !== issuer) return false;
  if (ref === undefined) return actual.identity === identity;
  if (!ref.endsWith('*')) return actual.identity === `${identity}@${ref}`;
  return actual.identity.startsWith(`${identity}@${ref.slice(0, -1)}`);
}

export function certificateSigner(root: Certificate, subject: readonly SubjectPart[]): SignerIdentity {
  return { kind: 'certificate', root: root.fingerprint, subject: subjectText(subject) };
}
