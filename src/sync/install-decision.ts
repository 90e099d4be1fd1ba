/**
 * Decides what may be installed. An approval of exactly these bytes is enough, and so is a rule, or a lock file that already has them. For
 * everything else a person is asked once, for all skills together. Executable files need a decision of their own, bound to their digests.
 */
import { inParallel } from '../async/in-parallel.ts';
import { PolicyError } from '../errors.ts';
import { signerDifference } from '../host/approve/approve-load.ts';
import type { EntryVerdict } from '../host/approve/decide.ts';
import { signerOf } from '../host/approve/signature-gate.ts';
import type { SkillChange } from '../host/approve/skill-change.ts';
import type { Host } from '../host/host.ts';
import type { CapturedEntry } from '../host/load/capture.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import type { SignerIdentity } from '../skill/signer-identity.ts';
import type { BlobStore } from '../store/store.ts';
import type { FetchedSkill } from './fetch-skill.ts';
import {
  type LockedApproval,
  type LockedOrigin,
  type LockedSkill,
  lockedLocationText,
  sameLockedLocation,
} from './install-lock.ts';
import type { InstallPlace } from './install-place.ts';
import { nodeSyncDisk, type SyncDisk } from './sync-disk.ts';

/** A skill that needs a decision. */
export interface InstallOffer {
  readonly name: string;
  readonly skill: FetchedSkill;
  /** `first`: not installed yet. `changed`: other files. `other-origin`: from another origin than the installed one. */
  readonly why: 'first' | 'changed' | 'other-origin';
  /** Changes since the installed version. */
  readonly change?: SkillChange;
  /** Paths of executable files that have not been accepted yet. */
  readonly executables: readonly string[];
  /** It contains deliberately hidden text. */
  readonly hidden: boolean;
  /** Whether the signer of the installed version signed it, too. Absent: nobody judged it. */
  readonly signer?: 'same' | 'changed';
  /** A recall names its content. */
  readonly recalled?: boolean;
  /** The verdict of the rules. */
  readonly verdict: EntryVerdict;
  /** How the signer differs from that of the installed or approved version, for people. */
  readonly signerChange?: string;
}

/** The answer to the offers of an installation. */
export interface InstallDecision {
  readonly allow: boolean;
  /** Make the origin's executable files executable. */
  readonly scripts?: boolean;
  readonly reason?: string;
}

/** Decides about all skills of an installation at once. */
export type DecideInstall = (offers: readonly InstallOffer[]) => Promise<InstallDecision>;

/** Options of an installation that concern decisions. */
export interface DecisionOptions {
  readonly place: InstallPlace;
  readonly scripts?: boolean;
  readonly allowSignerChange?: boolean;
  readonly dryRun?: boolean;
  readonly decide?: DecideInstall | undefined;
  readonly store?: { readonly blobs: BlobStore };
  readonly disk?: SyncDisk;
  readonly signal?: AbortSignal;
}

/** A skill that may be installed. */
export interface Candidate {
  readonly captured: CapturedEntry;
  readonly name: string;
  readonly before: LockedSkill | undefined;
  readonly origin: LockedOrigin;
  /** `undefined` if nothing has to change. */
  readonly fetched: FetchedSkill | undefined;
}

/** It would replace a skill from another origin. */
export function isOtherOrigin({ before, origin, captured }: Candidate): boolean {
  return (
    before !== undefined && (!sameLockedLocation(before.origin, origin.origin) || before.uri !== captured.entry.uri)
  );
}

export interface Decided {
  readonly approval: LockedApproval;
  readonly scripts: boolean;
  /** A person was asked in this run. */
  readonly byPerson: boolean;
  readonly hidden: boolean;
  readonly signer?: SignerIdentity | undefined;
  readonly signerChange?: string | undefined;
}

export async function decideAll(
  host: Host,
  candidates: readonly Candidate[],
  options: DecisionOptions,
): Promise<ReadonlyMap<Candidate, Decided>> {
  const decided = new Map<Candidate, Decided>();
  const open: { readonly one: Candidate; readonly offer: InstallOffer }[] = [];
  // Verdicts are cached, and what they record is written once for many skills.
  await inParallel(candidates, limits.signing.parallelVerdicts, async ({ captured, fetched }) => {
    if (fetched !== undefined) await host.approvals.signature(captured, fetched.texts);
  });
  for (const one of candidates) {
    if (one.fetched === undefined) continue;
    const verdict = await host.approvals.verdict(one.captured, one.fetched.texts);
    if (verdict.effect === 'deny') throw refusedByPolicy(one, verdict.reason);
    const offer = await offerOf(one, one.fetched, verdict, options);
    if (offer.signerChange !== undefined && options.allowSignerChange !== true)
      throw otherSigner(one, offer.signerChange);
    const approval = approvalBefore(one, verdict);
    const needsScripts = offer.executables.length > 0 && options.scripts === undefined;
    if (approval === undefined || needsScripts) open.push({ one, offer });
    else
      decided.set(one, {
        approval,
        scripts: acceptsScripts(one, offer, options.scripts),
        byPerson: false,
        hidden: offer.hidden,
        ...signedFacts(offer),
      });
  }
  if (open.length === 0) return decided;
  if (options.dryRun === true && options.decide === undefined) return withoutDecision(decided, open);
  if (options.decide === undefined) throw nobodyDecided(open.map(({ offer }) => offer));
  const { allow, scripts, reason } = await options.decide(open.map(({ offer }) => offer));
  options.signal?.throwIfAborted();
  if (!allow)
    throw notAllowed(
      open.map(({ offer }) => offer),
      reason,
    );
  for (const { one, offer } of open) {
    const known = approvalBefore(one, offer.verdict);
    decided.set(one, {
      approval: known ?? { by: 'person', at: new Date().toISOString(), reason },
      scripts: acceptsScripts(one, offer, options.scripts ?? scripts),
      byPerson: known === undefined,
      hidden: offer.hidden,
      ...signedFacts(offer),
    });
  }
  return decided;
}

/** A dry run shows the open decisions. */
function withoutDecision(
  decided: Map<Candidate, Decided>,
  open: readonly { readonly one: Candidate; readonly offer: InstallOffer }[],
): ReadonlyMap<Candidate, Decided> {
  const approval = { by: 'person', at: new Date().toISOString() };
  for (const { one, offer } of open)
    decided.set(one, { approval, scripts: false, byPerson: false, hidden: offer.hidden, ...signedFacts(offer) });
  return decided;
}

async function offerOf(
  one: Candidate,
  skill: FetchedSkill,
  verdict: EntryVerdict,
  { place, disk = nodeSyncDisk, store }: DecisionOptions,
): Promise<InstallOffer> {
  const { name, before } = one;
  const signerChange = changedSigner(one, skill, verdict);
  const changed = before !== undefined && before.setDigest !== skill.setDigest;
  const change = changed
    ? await (await import('./change-since.ts')).changeSince({ disk, place, blobs: store?.blobs }, name, before, skill)
    : undefined;
  return {
    name,
    skill,
    why: before === undefined ? 'first' : isOtherOrigin(one) ? 'other-origin' : 'changed',
    change,
    executables: undecidedScripts(before, skill),
    hidden: verdict.hidden,
    verdict,
    ...(signerChange === undefined ? {} : { signerChange, signer: 'changed' as const }),
  };
}

/** Against the lock file, else against the approval. Exactly the installed bytes keep their signer. */
function changedSigner({ before }: Candidate, skill: FetchedSkill, verdict: EntryVerdict): string | undefined {
  if (before?.setDigest === skill.setDigest) return undefined;
  return before?.signer === undefined ? verdict.signerChange : signerDifference(before.signer, verdict.signature);
}

function signedFacts({ verdict, signerChange: change }: InstallOffer): Pick<Decided, 'signer' | 'signerChange'> {
  return { signer: signerOf(verdict.signature), signerChange: change };
}

function otherSigner({ name, captured, origin }: Candidate, change: string): PolicyError {
  const from = lockedLocationText(origin.origin);
  const message = `Cannot install ${quoteText(name)} from ${quoteText(from)}: ${change}. If that is right, use --allow-signer-change.`;
  return new PolicyError('SIGNER_CHANGED', message, { data: { origin: from, uri: captured.entry.uri, name } });
}

/** Refused scripts are not asked about again while they stay the same. If one is new, all are. */
function undecidedScripts(before: LockedSkill | undefined, { files }: FetchedSkill): readonly string[] {
  const executable = files.filter((file) => file.executable === true);
  const fresh = executable.filter(({ path, digest }) => {
    const file = before?.files[path];
    return file?.executable !== true || file.digest !== digest;
  });
  const open = before?.scripts === true || fresh.length === 0 ? fresh : executable;
  return open.map(({ path }) => path);
}

function acceptsScripts(
  { before }: Candidate,
  { executables, skill }: InstallOffer,
  said: boolean | undefined,
): boolean {
  if (said !== undefined) return said;
  const some = skill.files.some((file) => file.executable === true);
  return some && executables.length === 0 && before?.scripts === true;
}

/** An existing approval of these bytes. */
function approvalBefore({ before, captured, ...one }: Candidate, verdict: EntryVerdict): LockedApproval | undefined {
  if (before !== undefined && before.setDigest === captured.setDigest && !isOtherOrigin({ before, captured, ...one }))
    return before.approval;
  if (verdict.approval !== undefined) {
    const { by, at, reason } = verdict.approval;
    return { by, at, ...(reason === '' ? {} : { reason }) };
  }
  if (verdict.effect !== 'allow') return undefined;
  return { by: 'policy', at: new Date().toISOString(), reason: verdict.reason };
}

function refusedByPolicy({ name, captured, origin }: Candidate, reason: string): PolicyError {
  const message = `Cannot install ${quoteText(name)} from ${quoteText(lockedLocationText(origin.origin))}: the policy denies it: ${reason}`;
  return new PolicyError('REFUSED_BY_POLICY', message, {
    data: { origin: lockedLocationText(origin.origin), uri: captured.entry.uri },
  });
}

/** The open decisions, for programs. */
function needsApproval(offers: readonly InstallOffer[]): readonly object[] {
  return offers.map(({ name, skill, why, executables }) => ({
    name,
    origin: skill.captured.label,
    uri: skill.captured.entry.uri,
    setDigest: skill.setDigest,
    why,
    executables,
  }));
}

function nobodyDecided(offers: readonly InstallOffer[]): PolicyError {
  const message = `Cannot install ${namesText(offers)}: not approved, and there is nobody to ask. Approve them first.`;
  return new PolicyError('NOT_APPROVED', message, { data: { needsApproval: needsApproval(offers) } });
}

function notAllowed(offers: readonly InstallOffer[], reason: string | undefined): PolicyError {
  const why = reason === undefined ? '' : `: ${reason}`;
  const message = `${namesText(offers)} ${offers.length === 1 ? 'was' : 'were'} not approved${why}. Nothing was installed.`;
  return new PolicyError('NOT_APPROVED', message, { data: { needsApproval: needsApproval(offers) } });
}

function namesText(offers: readonly InstallOffer[]): string {
  const first = offers[0]?.name ?? '';
  return offers.length === 1 ? quoteText(first) : `${quoteText(first)} and ${offers.length - 1} more`;
}
