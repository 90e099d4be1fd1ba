/**
 * Reads a signature without trusting it, to report to an author that it is stale. It answers whether the signature could verify for
 * somebody who trusts its signer, and is never a reason to accept a skill.
 */
import { type Bundle, readBundle } from './bundle.ts';
import { CertificateFault, parseCertificate } from './certificate.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import { verifyEnvelope } from './dsse.ts';
import { keyFault, verifyingKey } from './keys.ts';
import { readStatement } from './statement.ts';
import { type SignatureStep, type SignedSkill, stateOf } from './verify-signature.ts';

export type SignatureInspection =
  | { readonly state: 'invalid' | 'unsupported'; readonly step: SignatureStep; readonly reason: string }
  | { readonly state: 'mismatch' | 'partial' | 'complete'; readonly coverage: Coverage };

/** `undefined` if there is no signature. */
export function inspectSignature(skill: SignedSkill): SignatureInspection | undefined {
  if (skill.signature === undefined) return undefined;
  const reading = readBundle(skill.signature);
  if (!reading.ok) return refusal(reading);
  const { bundle } = reading;
  if (!mayVerify(bundle)) return { state: 'invalid', step: 'signature', reason: 'its signature does not match' };
  const statement = readStatement(bundle.envelope.payloadType, bundle.envelope.payload);
  if (!statement.ok) return refusal(statement);
  const coverage = coverageOf(statement.signed, skill);
  const state = stateOf(coverage);
  return { state: state === 'signed' ? 'complete' : state, coverage };
}

function refusal({
  supported,
  step,
  reason,
}: {
  readonly supported: boolean;
  readonly step: SignatureStep;
  readonly reason: string;
}): SignatureInspection {
  return { state: supported ? 'invalid' : 'unsupported', step, reason };
}

/** A certificate carries its key; the keys of other signatures are not at hand. */
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
