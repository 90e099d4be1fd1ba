/**
 * The verdict about a signature file, in a fixed order of steps: file, material, kind, trust and chain, signature, statement, names,
 * content. Nothing of the payload is read before its signature is verified, and the signature never chooses how it is judged. A verdict is not
 * a decision: `policy/` decides what it means.
 */

import type { JsonObject } from '../skill/json.ts';
import { type SignerIdentity, type SignerKind, signerText } from '../skill/signer-identity.ts';
import { type Bundle, readBundle } from './bundle.ts';
import type { ChainCheck, CheckedChain } from './certificate-chain.ts';
import { checkChain, validityFault } from './certificate-chain.ts';
import { type Coverage, coverageOf, type ServedFiles } from './coverage.ts';
import { verifyEnvelope } from './dsse.ts';
import { verifyKeyless } from './keyless.ts';
import { certificateSigner, keylessMatches, subjectMatches, type TrustedOf, type TrustedSigner } from './signer.ts';
import { readStatement } from './statement.ts';

export type SignatureStep =
  | 'file'
  | 'material'
  | 'kind'
  | 'trust'
  | 'chain'
  | 'signature'
  | 'statement'
  | 'names'
  | 'content';

/** A trusted signer that made a signature: the names of the configuration, and the identity. */
export interface Signer {
  readonly names: readonly string[];
  readonly identity: SignerIdentity;
  /** The signature counts only because it was seen before its certificate, or the trust in its signer, expired. */
  readonly expired: boolean;
  /** When the verdict must be made again, because a certificate or the trust in a signer expires. */
  readonly until?: Date;
}

export type SignatureVerdict =
  | { readonly state: 'unsigned' }
  /** A signature that this version does not understand. */
  | { readonly state: 'unsupported'; readonly step: SignatureStep; readonly reason: string }
  /** A broken or forged signature. */
  | { readonly state: 'invalid'; readonly step: SignatureStep; readonly reason: string; readonly check?: ChainCheck }
  /** Signed by somebody we do not trust. `claimed` is what the signature says, and nothing vouches for it. */
  | { readonly state: 'untrusted'; readonly step: 'kind' | 'trust'; readonly reason: string; readonly claimed?: string }
  /** `mismatch`: files changed or are missing. `partial`: files are served that are not signed. */
  | {
      readonly state: 'mismatch' | 'partial' | 'signed';
      readonly step: 'content';
      readonly signer: Signer;
      readonly coverage: Coverage;
    };

export interface SignedSkill extends ServedFiles {
  /** The bytes of `skill.oms.sig`; absent if there is none. */
  readonly signature?: Uint8Array;
}

export interface Trust {
  readonly signers: readonly TrustedSigner[];
  /** The time that certificates and keys are judged at. */
  readonly at: Date;
  /** When this content was first seen with this signature, if that may keep an expired or retired signer valid. */
  readonly firstSeen?: Date;
  /** The only accepted kind of signature, if a lock file or an approval knows it. */
  readonly kind?: SignerKind;
  /** The trusted root of Sigstore; default: the shipped one of the public services. */
  readonly sigstoreRoot?: JsonObject;
}

type Refusal = Exclude<SignatureVerdict, { readonly step: 'content' }>;

export interface ComparedContent {
  readonly state: 'mismatch' | 'partial' | 'signed';
  readonly coverage: Coverage;
}

export type Unreadable = {
  readonly state: 'invalid' | 'unsupported';
  readonly step: SignatureStep;
  readonly reason: string;
};

type Outcome = { readonly ok: true; readonly signer: Signer } | { readonly ok: false; readonly verdict: Refusal };

export async function verifySignature(skill: SignedSkill, trust: Trust): Promise<SignatureVerdict> {
  if (skill.signature === undefined) return { state: 'unsigned' };
  const reading = readBundle(skill.signature);
  if (!reading.ok) return refusal(reading);
  const { bundle } = reading;
  const { kind } = bundle.material;
  if (trust.kind !== undefined && trust.kind !== kind) {
    const reason = `it is signed by ${kindText[kind]}; ${kindText[trust.kind]} is expected`;
    return { state: 'untrusted', step: 'kind', reason };
  }
  const outcome = await signerOf(bundle, trust);
  if (!outcome.ok) return outcome.verdict;
  const compared = compareContent(bundle, skill);
  return 'coverage' in compared ? { ...compared, step: 'content', signer: outcome.signer } : compared;
}

/** Whether the signed files are the served ones. Reads the payload, so the signature comes first. */
export function compareContent({ envelope }: Bundle, skill: SignedSkill): Unreadable | ComparedContent {
  const statement = readStatement(envelope.payloadType, envelope.payload);
  if (!statement.ok) return refusal(statement);
  const coverage = coverageOf(statement.signed, skill);
  return { state: stateOf(coverage), coverage };
}

const kindText: Readonly<Record<SignerKind, string>> = {
  key: 'a key',
  certificate: 'a certificate',
  keyless: 'a Sigstore identity',
};

export function refusal({
  supported,
  step,
  reason,
}: {
  readonly supported: boolean;
  readonly step: SignatureStep;
  readonly reason: string;
}): Unreadable {
  return { state: supported ? 'invalid' : 'unsupported', step, reason };
}

/** Signed only if every served file is listed with its digest. */
function stateOf({ changed, missing, renamed, unsigned, ignored }: Coverage): 'mismatch' | 'partial' | 'signed' {
  if (changed.length + missing.length + renamed.length > 0) return 'mismatch';
  return unsigned.length + ignored.length > 0 ? 'partial' : 'signed';
}

function signerOf(bundle: Bundle, trust: Trust): Outcome | Promise<Outcome> {
  const { material } = bundle;
  if (material.kind === 'key') return keySigner(bundle, material.hint, trust);
  if (material.kind === 'certificate') return chainSigner(bundle, material.chain, trust);
  return keylessSigner(bundle, trust);
}

function keySigner({ envelope }: Bundle, hint: string, trust: Trust): Outcome {
  const candidates = ofKind(trust, 'key');
  // Every trusted key is tried: the hint is not signed.
  const matching = candidates.filter(({ key }) => key.curve !== 'Ed25519' && verifyEnvelope(envelope, key));
  const [first] = matching;
  if (first !== undefined) return accepted(matching, { kind: 'key', key: first.key.id }, trust);
  if (candidates.some(({ key }) => key.hint === hint)) return invalid('signature', 'its signature does not match');
  return untrusted('it is signed with a key that is not trusted here', hint === '' ? undefined : `key ${hint}`);
}

function chainSigner({ envelope }: Bundle, chain: readonly Uint8Array[], trust: Trust): Outcome {
  const candidates = ofKind(trust, 'certificate');
  const byRoot = candidates.map((signer) => ({ signer, checked: checkChain(chain, signer.roots) }));
  const led =
    byRoot.find(({ checked }) => checked.ok) ?? byRoot.find(({ checked }) => !checked.ok && checked.check !== 'C2');
  const checked: CheckedChain = led?.checked ?? checkChain(chain, []);
  if (!checked.ok) {
    if (checked.check === 'C2') return untrusted(checked.reason, checked.claimed);
    return invalid('chain', checked.reason, checked.check);
  }
  const fault = validityFault(checked, trust.at);
  const wasValid = trust.firstSeen !== undefined && validityFault(checked, trust.firstSeen) === undefined;
  if (fault !== undefined && !(wasValid && trust.at > checked.to)) return invalid('chain', fault, 'C6');
  if (!verifyEnvelope(envelope, checked.key)) return invalid('signature', 'its signature does not match');
  const identity = certificateSigner(checked.root, checked.subject);
  const matching = byRoot
    .filter((row) => row.checked.ok && subjectMatches(row.checked.subject, row.signer.subject))
    .map(({ signer }) => signer);
  if (matching.length === 0)
    return untrusted('its certificate has another subject than is trusted here', signerText(identity));
  return accepted(matching, identity, trust, { expired: fault !== undefined, until: checked.to });
}

async function keylessSigner({ json }: Bundle, trust: Trust): Promise<Outcome> {
  const candidates = ofKind(trust, 'keyless');
  if (candidates.length === 0) return untrusted('it is signed by a Sigstore identity, and none is trusted here');
  const reading = await verifyKeyless(json, trust.sigstoreRoot);
  if (!reading.ok) return { ok: false, verdict: refusal(reading) };
  const { signer: actual } = reading;
  const matching = candidates.filter((signer) => keylessMatches(signer, actual));
  const [first] = matching;
  if (first === undefined) {
    return untrusted('it is signed by an identity that is not trusted here', signerText(actual));
  }
  // The reader says that all refs of this pattern are one signer, for example all release tags.
  const isPattern = first.ref?.endsWith('*') === true;
  const identity = isPattern ? `${first.identity}@${first.ref}` : actual.identity;
  return accepted(matching, { ...actual, identity }, trust);
}

/** Leaves out signers that are revoked, or whose trust has ended. */
function accepted(
  matching: readonly TrustedSigner[],
  identity: SignerIdentity,
  { at, firstSeen }: Trust,
  { expired = false, until = undefined as Date | undefined } = {},
): Outcome {
  const usable: string[] = [];
  const ends: Date[] = until === undefined ? [] : [until];
  let late = expired;
  let reason = '';
  for (const { name, notAfter, revoked } of matching) {
    const seenBefore = (end: Date): boolean => firstSeen !== undefined && firstSeen < end;
    const retiresLater = revoked?.reason === 'retired' && at <= revoked.at;
    if (revoked !== undefined && !retiresLater && (revoked.reason === 'compromised' || !seenBefore(revoked.at))) {
      reason = `the signer "${name}" was revoked (${revoked.reason})`;
    } else if (notAfter !== undefined && at > notAfter && !seenBefore(notAfter)) {
      reason = `the signer "${name}" is trusted until ${notAfter.toISOString()}`;
    } else {
      late ||= notAfter !== undefined && at > notAfter;
      if (notAfter !== undefined) ends.push(notAfter);
      if (retiresLater) ends.push(revoked.at);
      usable.push(name);
    }
  }
  if (usable.length === 0) return untrusted(reason, signerText(identity));
  const next = ends.filter((end) => end >= at).sort((a, b) => a.getTime() - b.getTime())[0];
  const signer = { names: usable, identity, expired: late };
  return { ok: true, signer: next === undefined ? signer : { ...signer, until: next } };
}

function ofKind<Kind extends SignerKind>({ signers }: Trust, kind: Kind): readonly TrustedOf<Kind>[] {
  return signers.filter((signer): signer is TrustedOf<Kind> => signer.kind === kind);
}

function invalid(step: SignatureStep, reason: string, check?: ChainCheck): Outcome {
  return { ok: false, verdict: { state: 'invalid', step, reason, check } };
}

function untrusted(reason: string, claimed?: string): Outcome {
  const verdict = { state: 'untrusted', step: 'trust', reason } as const;
  return { ok: false, verdict: claimed === undefined ? verdict : { ...verdict, claimed } };
}
