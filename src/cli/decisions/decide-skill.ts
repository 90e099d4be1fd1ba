/** Reads a skill for a person's decision, and stores the decision. Commands that decide about one skill or many share it. */
import { definedFields } from '../../defined-fields.ts';
import { PolicyError, SkillwireError } from '../../errors.ts';
import { type Approval, auditTrail, createApprovals, type Grants } from '../../host/approve/approvals.ts';
import { signerOf } from '../../host/approve/signature-gate.ts';
import { hidesText, requestsOf } from '../../host/approve/skill-requests.ts';
import { approveVersion, denyVersion, isVersion } from '../../host/approve/version-decisions.ts';
import { contentKey } from '../../host/cache/content-cache.ts';
import type { CapturedEntry } from '../../host/load/capture.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import type { Cli } from '../cli.ts';
import type { CommandSession } from '../open-host.ts';
import { type Progress, startProgress } from '../progress.ts';
import { readFiles } from '../read-files.ts';
import type { ApprovalOffer } from '../render/approval-offer.ts';

/**
 * Everything needed for a decision, from the verified bytes of all files.
 *
 * @throws PolicyError if an approval cannot be stored; VerificationError if a file fails verification
 */
export async function makeOffer(
  { host, signal }: Pick<CommandSession, 'host' | 'signal'>,
  captured: CapturedEntry,
  grants: Grants,
  progress: Progress,
): Promise<ApprovalOffer> {
  if (!isVersion(captured)) throw cannotBeStored(captured);
  const { bytes, texts, failures } = await readFiles(host, captured, 'all', signal, progress);
  if (failures[0] !== undefined) throw failures[0];
  const { effect, reason, signature, signerChange } = await host.approvals.verdict(captured, texts);
  if (effect === 'deny') throw refused(captured, reason);
  const state = await host.approvals.state(captured);
  const change = state.state === 'changed' ? await host.approvals.change(captured, { fetch: true, signal }) : undefined;
  const seen = { requests: requestsOf(captured.entry, texts), hidden: hidesText(captured.entry, texts), bytes, texts };
  const signed = definedFields({ signature, signerChange });
  const offer = { captured, setDigest: captured.setDigest, grants, state, ...seen, ...signed };
  return change === undefined ? offer : { ...offer, change };
}

/** The offer of a skill by its address. */
export async function offerOf(
  session: Pick<CommandSession, 'host' | 'signal'>,
  address: { readonly label: string; readonly uri: string },
  grants: Grants,
  cli: Cli,
): Promise<ApprovalOffer> {
  const progress = startProgress(cli, `Reading ${displayText(address.uri)}`);
  try {
    const captured = await session.host.capture(address, { signal: session.signal });
    return await makeOffer(session, captured, grants, progress);
  } finally {
    progress.stop();
  }
}

/** Stores the reviewed files and the approval. */
export async function approveOffer(
  session: Pick<CommandSession, 'store' | 'configuration'>,
  offer: ApprovalOffer,
  reason: string,
  cli: Cli,
  { allowSignerChange = false }: { readonly allowSignerChange?: boolean | undefined } = {},
): Promise<Approval> {
  const { captured, grants, hidden, signature, signerChange } = offer;
  if (signerChange !== undefined && !allowSignerChange) throw otherSigner(captured, signerChange);
  if (!isVersion(captured)) throw cannotBeStored(captured);
  await storeFiles(session, offer, cli);
  const { approval } = await approveVersion(session.store, approvalsOf(session, cli), captured, {
    grants,
    reason,
    hiddenSeen: hidden,
    signer: signerOf(signature),
  });
  return approval;
}

/** Denies exactly the offered version. */
export async function denyOffer(
  session: Pick<CommandSession, 'store'>,
  { captured }: ApprovalOffer,
  reason: string,
  cli: Cli,
): Promise<void> {
  if (!isVersion(captured)) throw cannotBeStored(captured);
  await denyVersion(session.store, approvalsOf(session, cli), captured, reason);
}

/** True if the offered version already has these grants. */
export function isApproved({ state: { state, approval }, grants }: ApprovalOffer): boolean {
  if (state !== 'current' || approval === undefined) return false;
  return approval.grants.execution === grants.execution && approval.grants.allowedTools === grants.allowedTools;
}

function approvalsOf({ store }: Pick<CommandSession, 'store'>, { stderr }: Cli) {
  return createApprovals({
    state: store.state,
    audit: auditTrail(store.audit),
    warn: ({ message }) => stderr.write(`warning: ${displayText(message)}\n`),
  });
}

/**
 * Stores the reviewed files, so later changes can be shown against them and a server can keep serving them. The approval does not depend on
 * them.
 */
async function storeFiles(
  { store, configuration }: Pick<CommandSession, 'store' | 'configuration'>,
  { captured, bytes }: ApprovalOffer,
  cli: Cli,
): Promise<void> {
  if (captured.entry.resources === 'dynamic') return;
  const servesApproved = (await configuration())?.configuration.policy?.mode === 'approved-only';
  if (captured.local && !servesApproved) return;
  try {
    for (const { uri, digest, size } of captured.entry.resources) {
      const content = bytes.get(uri);
      if (content === undefined) continue;
      await store.blobs.put(digest, content);
      await store.index.set(contentKey(captured.label, uri), { digest, size });
    }
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    cli.stderr.write(`warning: Later changes will be shown without text: ${displayText(error.message)}\n`);
  }
}

function cannotBeStored({ label, entry, status }: CapturedEntry): PolicyError {
  const why = status === 'no-size' ? 'its origin promises no sizes' : 'its origin promises no digests';
  return new PolicyError(
    'NOT_APPROVED',
    `Cannot store an approval for ${quoteText(entry.frontmatter.name)}: ${why}. ` +
      'Pin it with "skillwire pin", or trust its origin in a policy.',
    { data: { origin: label, uri: entry.uri, status } },
  );
}

function refused({ label, entry }: CapturedEntry, reason: string): PolicyError {
  const message = `Cannot approve ${quoteText(entry.frontmatter.name)}: ${reason}.`;
  return new PolicyError('REFUSED_BY_POLICY', message, { data: { origin: label, uri: entry.uri } });
}

function otherSigner({ label, entry }: CapturedEntry, change: string): PolicyError {
  const name = quoteText(entry.frontmatter.name);
  const message = `Not approved: ${name}: ${change}. If that is right, use "skillwire approve" with --allow-signer-change.`;
  return new PolicyError('SIGNER_CHANGED', message, { data: { origin: label, uri: entry.uri } });
}

export function otherVersion({ label, entry }: CapturedEntry, given: string, setDigest: string): PolicyError {
  return new PolicyError(
    'NOT_APPROVED',
    `Not approved: ${quoteText(entry.frontmatter.name)} now has the set digest ${setDigest}, not ${given}. ` +
      'Review it with "skillwire diff" or "skillwire show".',
    { data: { origin: label, uri: entry.uri, setDigest, given } },
  );
}
