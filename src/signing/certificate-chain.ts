/**
 * Whether a chain of certificates leads from the key of a signature to one of our roots. Tests use the numbers of the checks:
 *
 * - C1: sizes and encoding
 * - C2: the root is ours by its bytes
 * - C3: the first certificate may sign and is no authority
 * - C4: the others are authorities within their path length
 * - C5: each certificate is issued by the next
 * - C6: validity
 * - C7: no unknown critical extension and no name constraints
 * - C8: curves and hashes
 * - C9: subjects are compared part by part (`signer.ts`)
 * - C10: results are cached by fingerprint, except for time
 */
import { createHash } from 'node:crypto';
import { limits } from '../limits.ts';
import {
  type Certificate,
  CertificateFault,
  extensionIds,
  parseCertificate,
  type SubjectPart,
  subjectText,
} from './certificate.ts';
import { curveOf, type VerifyingKey, verifyingKey } from './keys.ts';

export type ChainCheck = 'C1' | 'C2' | 'C3' | 'C4' | 'C5' | 'C6' | 'C7' | 'C8';

export type CheckedChain =
  | {
      readonly ok: true;
      readonly key: VerifyingKey;
      readonly root: Certificate;
      readonly subject: readonly SubjectPart[];
      /** When all certificates are valid. */
      readonly from: Date;
      readonly to: Date;
    }
  /** `claimed` is what the first certificate says of itself; nothing vouches for it. */
  | { readonly ok: false; readonly check: ChainCheck; readonly reason: string; readonly claimed?: string };

const codeSigning = '1.3.6.1.5.5.7.3.3';
const ecdsaWithSha2: ReadonlySet<string> = new Set([
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
]);
const knownCritical: ReadonlySet<string> = new Set([
  extensionIds.basicConstraints,
  extensionIds.keyUsage,
  extensionIds.extendedKeyUsage,
  extensionIds.subjectAlternativeName,
]);

const cached = new Map<string, CheckedChain>();

/** Every check except validity at a time, for which the result has `from` and `to`. */
export function checkChain(chain: readonly Uint8Array[], roots: readonly Certificate[]): CheckedChain {
  const hash = createHash('sha256');
  for (const der of chain) hash.update(`${der.length} `).update(der);
  for (const { fingerprint } of roots) hash.update(fingerprint);
  const id = hash.digest('hex');
  const known = cached.get(id);
  if (known !== undefined) return known;
  const checked = checkUncached(chain, roots);
  if (cached.size >= limits.signing.cachedChains) cached.clear();
  cached.set(id, checked);
  return checked;
}

/** The certificate says when it may be used; `undefined` if the time is inside. */
export function validityFault({ from, to }: { readonly from: Date; readonly to: Date }, at: Date): string | undefined {
  if (at < from) return `the certificates are valid from ${from.toISOString()}`;
  return at > to ? `a certificate expired on ${to.toISOString()}` : undefined;
}

function checkUncached(ders: readonly Uint8Array[], roots: readonly Certificate[]): CheckedChain {
  if (ders.length === 0) return { ok: false, check: 'C1', reason: 'there is no certificate' };
  if (ders.length > limits.signing.certificates) {
    const reason = `there are ${ders.length} certificates; at most ${limits.signing.certificates} are allowed`;
    return { ok: false, check: 'C1', reason };
  }
  let presented: readonly Certificate[];
  try {
    presented = ders.map(parseCertificate);
  } catch (error) {
    if (!(error instanceof CertificateFault)) throw error;
    return { ok: false, check: 'C1', reason: `a certificate ${error.message}` };
  }
  const [leaf] = presented;
  if (leaf === undefined) return { ok: false, check: 'C1', reason: 'there is no certificate' };
  const claimed = subjectText(leaf.subject);
  const refuse = (check: ChainCheck, reason: string): CheckedChain => ({ ok: false, check, reason, claimed });
  const chain = completeChain(presented, roots);
  const root = chain?.at(-1);
  if (chain === undefined || root === undefined) return refuse('C2', 'its certificates lead to no trusted root');
  if (chain.length < presented.length) return refuse('C1', 'there are certificates after the root');
  if (chain.length < 2) return refuse('C3', 'the root itself is used to sign');
  const fault = leafFault(leaf) ?? issuersFault(chain) ?? everyFault(chain);
  if (fault !== undefined) return refuse(...fault);
  const from = new Date(Math.max(...chain.map(({ notBefore }) => notBefore.getTime())));
  const to = new Date(Math.min(...chain.map(({ notAfter }) => notAfter.getTime())));
  return { ok: true, key: verifyingKey(leaf.publicKey), root, subject: leaf.subject, from, to };
}

type Fault = readonly [check: ChainCheck, reason: string];

/** The chain up to one of our roots, which the signature may carry or leave out. */
function completeChain(
  presented: readonly Certificate[],
  roots: readonly Certificate[],
): readonly Certificate[] | undefined {
  const trusted = new Set(roots.map(({ fingerprint }) => fingerprint));
  const at = presented.findIndex(({ fingerprint }) => trusted.has(fingerprint));
  if (at !== -1) return presented.slice(0, at + 1);
  const last = presented.at(-1);
  const root = last === undefined ? undefined : roots.find((root) => isIssuedBy(last, root));
  return root === undefined ? undefined : [...presented, root];
}

/** A root of the same name with another key is another root. */
function isIssuedBy({ x509 }: Certificate, issuer: Certificate): boolean {
  return x509.checkIssued(issuer.x509) && x509.verify(issuer.publicKey);
}

function leafFault(leaf: Certificate): Fault | undefined {
  if (leaf.isAuthority) return ['C3', 'the certificate that signs is an authority'];
  if (leaf.keyUsage?.digitalSignature !== true) return ['C3', 'the certificate that signs may not sign data'];
  const purposes = leaf.extendedKeyUsage;
  if (purposes !== undefined && !purposes.includes(codeSigning))
    return ['C3', 'the certificate that signs is for another purpose'];
  return undefined;
}

function issuersFault(chain: readonly Certificate[]): Fault | undefined {
  for (const [at, issuer] of chain.entries()) {
    const subject = chain[at - 1];
    if (subject === undefined) continue;
    if (!issuer.isAuthority) return ['C4', 'an issuer is not a certificate authority'];
    if (issuer.keyUsage !== undefined && !issuer.keyUsage.certSign)
      return ['C4', 'an issuer may not sign certificates'];
    if (issuer.pathLength !== undefined && at - 1 > issuer.pathLength)
      return ['C4', 'there are more authorities than an issuer allows'];
    if (!subject.x509.checkIssued(issuer.x509)) return ['C5', 'a certificate names another issuer'];
    if (!subject.x509.verify(issuer.publicKey)) return ['C5', 'a certificate is not signed by its issuer'];
  }
  return undefined;
}

function everyFault(chain: readonly Certificate[]): Fault | undefined {
  for (const { critical, extensions, signatureAlgorithm, publicKey } of chain) {
    if (extensions.includes(extensionIds.nameConstraints)) return ['C7', 'a certificate has name constraints'];
    if (critical.some((id) => !knownCritical.has(id))) return ['C7', 'a critical extension is unknown'];
    const curve = curveOf(publicKey);
    if (curve === undefined || curve === 'Ed25519')
      return ['C8', 'a certificate has another key than P-256, P-384 or P-521'];
    if (!ecdsaWithSha2.has(signatureAlgorithm)) return ['C8', 'a certificate is not signed with ECDSA and SHA-2'];
  }
  return undefined;
}
