/**
 * Judges one version of a skill: by the rules of the configuration, the decisions of people, and its signature. It reads the current rules
 * with each question, so an answer never mixes two states.
 */
import type { ServingRules, ServingVerdict } from '../policy/serving-policy.ts';
import type { SignatureFacts } from '../policy/signature-rules.ts';
import type { SignatureBook } from '../signing/signature-book.ts';
import type { SignatureVerdict } from '../signing/verify-signature.ts';
import type { SkillEntry } from '../skill/entry.ts';
import { signerChangeText } from '../skill/signer-change.ts';
import { sameSigner } from '../skill/signer-identity.ts';
import { sameSet, setOf } from '../skill/skill-set.ts';
import type { DecisionAddress } from '../store/decisions/approval.ts';
import type { Decisions } from '../store/decisions/decisions.ts';
import { contentDigestOf, type servingFacts, setDigestOf } from './serving-facts.ts';
import type { OriginVerdict, ShownVerdict, Standing, Unserved } from './serving-state.ts';
import type { AddressedSkill } from './skill-address.ts';

/** Verdicts about signatures, and their form for rules. */
export interface ServedSignatures {
  readonly book: SignatureBook;
  facts(verdict: SignatureVerdict): SignatureFacts;
}

/** The rules and decisions that count now. */
export interface CurrentRules {
  readonly decisions: Decisions;
  /** Of the policy and of people's denials. */
  readonly rules: ServingRules;
}

export interface JudgmentOptions {
  readonly signatures: ServedSignatures | undefined;
  readonly digest: (bytes: Uint8Array) => string;
}

export function createJudgment({ signatures, digest }: JudgmentOptions, current: () => CurrentRules) {
  const book = signatures?.book;

  /** A person's decision about this version, regardless of rules. */
  function personsWord(label: string, entry: SkillEntry): Unserved | undefined {
    const address = { label, uri: entry.uri };
    const off = current().decisions.disabled(address);
    if (off !== undefined) {
      const reason = off.uri === undefined ? 'its origin is disabled' : 'it is disabled';
      return { state: 'disabled', reason, by: 'person', ...since(off.at) };
    }
    const denial = denialOf(address, entry);
    if (denial === undefined) return undefined;
    const reason = denial.reason === '' ? 'a person denied this version' : denial.reason;
    return { state: 'denied', reason, by: 'person', since: denial.at };
  }

  function denialOf(address: DecisionAddress, entry: SkillEntry) {
    const denial = current().decisions.denial(address);
    if (denial === undefined || denial.setDigest === setDigestOf(entry, digest)) return denial;
    // Signing a version again does not make it another one.
    return denial.content !== undefined && denial.content === contentDigestOf(entry, digest) ? denial : undefined;
  }

  /** Without trusted signers, every signature is untrusted. */
  function signature(entry: SkillEntry): SignatureFacts | undefined {
    if (signatures === undefined) return unsigned;
    const verdict = signatures.book.verdict(entry);
    return verdict === undefined ? undefined : signatures.facts(verdict);
  }

  /** The verdict for people; `undefined` until the signature was read, and if no signers are trusted. */
  function shownVerdict(entry: SkillEntry): ShownVerdict | undefined {
    const facts = book?.hasSigners() === true ? signature(entry) : undefined;
    if (facts === undefined) return undefined;
    const { state, signers, text } = facts;
    return { state, text, ...(signers.length === 0 ? {} : { signer: signers.join(', ') }) };
  }

  /** How the current signer differs from the approved one; `'unread'` until its signature was read. */
  function signerChange(label: string, entry: SkillEntry): string | undefined {
    if (book === undefined) return undefined;
    const approved = current().decisions.approval({ label, uri: entry.uri })?.signer;
    if (approved === undefined) return undefined;
    const verdict = book.verdict(entry);
    return verdict === undefined ? 'its signature cannot be read' : signerChangeText(approved, verdict);
  }

  /**
   * The one evaluation.
   * @param about the skill at the URI where it is served
   */
  function judge(label: string, entry: SkillEntry, about: ReturnType<typeof servingFacts>): OriginVerdict {
    const { rules } = current();
    const decided = rules.decide(about);
    const unread = (): ServingVerdict | undefined =>
      (rules.judgesContent ? rules.unread(about) : undefined) ??
      (rules.judgesSignatures ? rules.unreadSignature(about) : undefined);
    const verdict = decided.effect === 'deny' ? decided : (unread() ?? decided);
    if (verdict.effect === 'deny') {
      const { reason, denial } = verdict;
      return { effect: 'none', why: { state: 'denied', reason, by: denial?.by ?? 'rule', ...since(denial?.at) } };
    }
    const why = personsWord(label, entry);
    if (why !== undefined) return { effect: 'none', why };
    // Somebody else's version needs a new approval, whatever the mode.
    return verdict.effect === 'serve' && signerChange(label, entry) !== undefined ? { effect: 'approval' } : verdict;
  }

  function approvedOf({ label, entry }: AddressedSkill): Pick<Standing, 'approved' | 'approval' | 'denial'> {
    const { decisions } = current();
    const address = { label, uri: entry.uri };
    const denial = denialOf(address, entry);
    const denied = denial === undefined ? {} : { denial };
    const set = setOf(entry);
    if (set === undefined) return { approved: 'unverifiable', ...denied };
    const approval = decisions.approval(address);
    if (approval !== undefined) {
      const same = approval.set !== undefined && sameSet(approval.set, set);
      return { approved: same ? 'yes' : 'changed', approval, ...denied };
    }
    const before = decisions.wasApproved(address) || (denial === undefined && decisions.denial(address) !== undefined);
    return { approved: before ? 'changed' : 'no', ...denied };
  }

  /** An approved signer is compared with the signer of the current version. */
  function isPinned(label: string, { uri }: SkillEntry): boolean {
    return current().decisions.approval({ label, uri })?.signer !== undefined;
  }

  function isResigned(approved: SkillEntry, current: SkillEntry): boolean {
    const [before, now] = [book?.verdict(approved), book?.verdict(current)];
    if (before?.state !== 'signed' || now?.state !== 'signed') return false;
    if (!sameSigner(before.signer.identity, now.signer.identity)) return false;
    return contentDigestOf(approved, digest) === contentDigestOf(current, digest);
  }

  return { denialOf, signature, shownVerdict, signerChange, judge, approvedOf, isPinned, isResigned };
}

export type Judgment = ReturnType<typeof createJudgment>;

const unsigned: SignatureFacts = {
  state: 'untrusted',
  signers: [],
  unserved: false,
  expired: false,
  text: 'no signer is trusted here',
};

const since = (at: string | undefined): { readonly since?: string } => ({ since: at });
