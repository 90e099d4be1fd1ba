/**
 * Decides whether an entry may be loaded. The order is: a rule that denies, an approval of exactly this content, a rule
 * that allows, trust in a local folder, the `decide` callback. Each decision is in the audit with its reason. An
 * approval of other content is invalidated first, so that the request can show what changed (SEP-2640: H-60 to H-64).
 */
import { definedFields } from '../../defined-fields.ts';
import { PolicyError } from '../../errors.ts';
import { decideByPolicy, type PolicyVerdict } from '../../policy/policy.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { SkillRequests } from '../../skill/runs-code.ts';
import { signerChangeText } from '../../skill/signer-change.ts';
import type { SignerIdentity } from '../../skill/signer-identity.ts';
import { noGrants } from '../../store/decisions/approval.ts';
import type { HostOrigin } from '../discover/origins.ts';
import type { HostCore } from '../host-core.ts';
import type { CapturedEntry } from '../load/capture.ts';
import { inspectFile } from '../load/inspect.ts';
import type { ApprovalStanding, ApprovedEntry } from './approvals.ts';
import { ask, requestFor } from './ask.ts';
import type { ApprovalRequest, Decide, EntryVerdict } from './decide.ts';
import { changeBetween, knownTexts } from './known-texts.ts';
import { type JudgedSignature, signerOf } from './signature-gate.ts';
import { hidesText, type KnownTexts, requestsOf } from './skill-requests.ts';

export interface ApproveLoadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Known once `SKILL.md` is fetched; hidden text must be approved too (sec:U-1). */
  readonly texts?: KnownTexts;
}

/** @throws PolicyError REFUSED_BY_POLICY, NOT_APPROVED */
export async function approveLoad(
  core: HostCore,
  origin: HostOrigin,
  captured: CapturedEntry,
  { signal, texts }: ApproveLoadOptions,
): Promise<ApprovedEntry> {
  const { approvals, options } = core;
  const hidden = hidesText(captured.entry, texts);
  const verdict = verdictOf(core, captured, hidden, texts);
  if (verdict.effect === 'deny') {
    await approvals.refuse(captured, 'policy', verdict.reason);
    const message = `Cannot load ${named(captured)}: denied by a policy (${verdict.reason}).`;
    throw new PolicyError('REFUSED_BY_POLICY', message, { data: addressOf(captured) });
  }
  const signature = await judgeSignature(core, captured, texts, signal);
  if (signature?.refusal !== undefined) {
    await approvals.refuse(captured, 'policy', signature.refusal);
    const message = `Cannot load ${named(captured)}: ${signature.refusal}.`;
    throw new PolicyError('REFUSED_BY_POLICY', message, { data: addressOf(captured) });
  }
  const standing = await approvals.standing(captured);
  if (standing.state === 'current' && (!hidden || standing.approved.approval.hiddenSeen)) return standing.approved;
  if (standing.state === 'changed') await approvals.supersede(captured);
  if (verdict.effect === 'allow') return approvals.derive(captured, 'policy', verdict.reason, verdict.grants, hidden);
  const trusted = captured.local && options.trustLocal !== false && verdict.rule === undefined && !hidden;
  if (trusted) return approvals.derive(captured, 'local', 'a folder of the user', noGrants, false);
  const key = JSON.stringify([captured.label, captured.entry.uri, captured.fingerprint, hidden]);
  return core.questions.run(key, signal, (own) =>
    askAbout(core, { origin, captured, standing, hidden, texts, signal: own, decide: options.decide }),
  );
}

interface LoadQuestion {
  readonly origin: HostOrigin;
  readonly captured: CapturedEntry;
  readonly standing: ApprovalStanding;
  readonly hidden: boolean;
  readonly texts: KnownTexts | undefined;
  readonly signal: AbortSignal;
  readonly decide: Decide | undefined;
}

async function askAbout(core: HostCore, question: LoadQuestion): Promise<ApprovedEntry> {
  const { origin, captured, standing, hidden, texts, signal, decide } = question;
  const before = standing.state === 'changed' ? standing.approval.entry : undefined;
  if (decide === undefined) {
    await core.approvals.refuse(captured, 'program', 'not approved, and nobody can be asked');
    throw await notApproved(core, question, 'nobody approved it; approve it first');
  }
  const { resources } = captured.entry;
  const request = await requestFor(
    core,
    {
      origin,
      captured,
      kind: 'load',
      why: whyOf(captured, standing),
      texts: texts ?? (await knownTexts(core.cache, origin, resources === 'dynamic' ? [] : resources)),
      before,
    },
    signal,
  );
  const decision = await ask(decide, request);
  const reason = decision.reason ?? (decision.allow ? 'allowed when asked' : 'refused when asked');
  if (decision.allow !== true) {
    await core.approvals.refuse(captured, 'person', reason);
    throw await notApproved(core, question, reason);
  }
  const signer = signerOf(await judgeSignature(core, captured, texts, signal));
  return core.approvals.grant(captured, {
    signer,
    grants: {
      execution: decision.grants?.execution === true,
      allowedTools: decision.grants?.allowedTools === true,
    },
    by: 'person',
    reason,
    remember: decision.remember ?? 'stored',
    hiddenSeen: hidden,
  });
}

function whyOf(captured: CapturedEntry, standing: ApprovalStanding): ApprovalRequest['why'] {
  if (captured.status !== 'verifiable') return 'unverifiable';
  return standing.state === 'changed' ? 'changed' : 'first';
}

const nothingRequested: Pick<SkillRequests, 'scripts' | 'executionFields' | 'shellInText' | 'allowedTools'> = {
  scripts: [],
  executionFields: [],
  shellInText: [],
  allowedTools: [],
};

export function verdictOf(
  core: HostCore,
  captured: CapturedEntry,
  hiddenText: boolean,
  texts: KnownTexts | undefined,
): PolicyVerdict {
  const { policy = [] } = core.options;
  // Without rules, the requests of a skill are not needed.
  const asks = policy.length === 0 ? nothingRequested : requestsOf(captured.entry, texts);
  return decideByPolicy(policy, {
    origin: captured.label,
    uri: captured.entry.uri,
    digest: captured.setDigest,
    contentDigest: captured.contentDigest,
    hasScripts: asks.scripts.length + asks.executionFields.length + asks.shellInText.length > 0,
    requestsTools: asks.allowedTools.length > 0,
    dynamic: captured.status === 'dynamic' || captured.status === 'no-digest',
    noSize: captured.status === 'no-size',
    hiddenText,
    local: captured.local,
  });
}

async function notApproved(
  core: HostCore,
  { origin, captured, standing }: LoadQuestion,
  why: string,
): Promise<PolicyError> {
  const changed = standing.state === 'changed';
  const state = changed ? ' since it changed' : '';
  const change = changed ? await changeBetween(core.cache, origin, standing.approval.entry, captured.entry) : undefined;
  return new PolicyError('NOT_APPROVED', `Cannot load ${named(captured)}: it is not approved${state} (${why}).`, {
    data: { ...addressOf(captured), changed, change },
  });
}

const addressOf = ({ label, entry }: CapturedEntry): { readonly label: string; readonly uri: string } => ({
  label,
  uri: entry.uri,
});
const named = ({ label, entry }: CapturedEntry): string => `${quoteText(entry.uri)} of ${quoteText(label)}`;

/**
 * The decision of rules and approvals about an entry, before anybody is asked. For installing whole skills, which needs
 * an approval even for a local folder; trust in local folders does not count here.
 */
export async function entryVerdict(core: HostCore, captured: CapturedEntry, texts?: KnownTexts): Promise<EntryVerdict> {
  const hidden = hidesText(captured.entry, texts);
  const { effect, reason } = verdictOf(core, captured, hidden, texts);
  if (effect === 'deny') {
    await core.approvals.refuse(captured, 'policy', reason);
    return { effect, reason, hidden };
  }
  const signature = await judgeSignature(core, captured, texts);
  if (signature?.refusal !== undefined) {
    await core.approvals.refuse(captured, 'policy', signature.refusal);
    return { effect: 'deny', reason: signature.refusal, hidden, signature };
  }
  const standing = await core.approvals.standing(captured);
  const before = standing.state === 'changed' ? standing.approval.signer : undefined;
  const facts = {
    hidden,
    signature,
    ...definedFields({ signerChange: before === undefined ? undefined : signerDifference(before, signature) }),
  };
  if (standing.state === 'current') {
    const { approval } = standing.approved;
    if (!hidden || approval.hiddenSeen) return { effect: 'approved', reason: approval.reason, approval, ...facts };
  }
  return { effect, reason, ...facts };
}

/** The verdict about the signature; reads at most one file. */
export async function judgeSignature(
  core: HostCore,
  captured: CapturedEntry,
  texts?: KnownTexts,
  signal?: AbortSignal,
): Promise<JudgedSignature | undefined> {
  return core.options.signatures?.judge(captured, async (uri) => {
    const { resources } = captured.entry;
    const promised = resources === 'dynamic' ? undefined : resources.find((file) => file.uri === uri);
    const known = texts?.get(uri);
    const bytes = known === undefined ? undefined : new TextEncoder().encode(known);
    // Decoding may have dropped a byte-order mark.
    if (bytes !== undefined && (await sha256Digest(bytes)) === promised?.digest) return bytes;
    return (await inspectFile(core, core.origins.require(captured.label), captured, uri, signal)).bytes;
  });
}

/** How the signer differs from an earlier one; a version that cannot be judged counts as unsigned. */
export function signerDifference(before: SignerIdentity, now: JudgedSignature | undefined): string | undefined {
  return signerChangeText(before, now?.verdict ?? { state: 'not verified, because no signers are trusted here' });
}
