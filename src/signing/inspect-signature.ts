/**
 * Reads a signature without trusting it, to report to an author that it is stale. It answers whether the signature could verify for
 * somebody who trusts its signer, and is never a reason to accept a skill.
 */
import { type Bundle, readBundle } from './bundle.ts';
import { CertificateFault, parseCertificate } from './certificate.ts';
import { verifyEnvelope } from './dsse.ts';
import { keyFault, verifyingKey } from './keys.ts';
import {
  type ComparedContent,
  compareContent,
  refusal,
  type SignedSkill,
  type Unreadable,
} from './verify-signature.ts';

/** `signed` says that the files match, and nothing about the signer. `undefined` if there is no signature. */
export function inspectSignature(skill: SignedSkill): Unreadable | ComparedContent | undefined {
  if (skill.signature === undefined) return undefined;
  const reading = readBundle(skill.signature);
  if (!reading.ok) return refusal(reading);
  if (!mayVerify(reading.bundle))
    return { state: 'invalid', step: 'signature', reason: 'its signature does not match' };
  return compareContent(reading.bundle, skill);
}

/** A certificate carries its key; the keys of other signatures are not available. */
function mayVerify({ material, envelope }: Bundle): boolean {
  if (material.kind !== 'certificate') return true;
  const [der] = material.chain;
  if (der === undefined) return false;
  try {
    const { publicKey } = parseCertificate(der);
    return keyFault(publicKey) === undefined && verifyEnvelope(envelope, verifyingKey(publicKey));
  } catch (error) {
    if (error instanceof CertificateFault) return false;
    throw error;
  }
}
