/**
 * Who decides about what is to be installed. An approval of exactly these bytes counts, and a rule, and a lock file that has them
 * already; about everything else somebody is asked, once, with everything in front of them. That files become executable is a
 * decision of its own, taken for the files as they are.
 */
import { PolicyError } from '../errors.ts';
import type { EntryVerdict } from '../host/approve/decide.ts';
import type { SkillChange } from '../host/approve/skill-change.ts';
import type { Host } from '../host/host.ts';
import type { CapturedEntry } from '../host/load/capture.ts';
import { quoteText } from '../skill/display-text.ts';
import type { BlobStore } from '../store/store.ts';
import type { FetchedSkill } from './fetch-skill.ts';
import {
  type LockedApproval,
  type LockedOrigin,
  type LockedSkill,
  lockedPlaceText,
  sameLockedPlace,
} from './install-lock.ts';
import type { InstallPlace } from './install-place.ts';
import { nodeSyncDisk, type SyncDisk } from './sync-disk.ts';

/** A skill that somebody has to decide about. */
export interface InstallOffer {
  readonly name: string;
  readonly skill: FetchedSkill;
  /** `first`: not installed yet. `changed`: other files than the installed ones. `other-origin`: from another place than those. */
  readonly why: 'first' | 'changed' | 'other-origin';
  /** Since what is installed. */
  readonly change?: SkillChange;
  /** Paths of files that the origin calls executable and that nobody accepted as such yet. */
  readonly executables: readonly string[];
  /** Text is hidden in it on purpose. */
  readonly hidden: boolean;
  /** What a rule says, where one spoke. */
  readonly verdict: EntryVerdict;
}

/** The answer to the offers of an installation. */
export interface InstallDecision {
  readonly allow: boolean;
  /** Files that the origin calls executable are made so. */
  readonly scripts?: boolean;
  readonly reason?: string;
}

/** Decides about all skills of an installation at once. */
export type DecideInstall = (offers: readonly InstallOffer[]) => Promise<InstallDecision>;

/** What is asked for, beside the skills. */
export interface DecisionOptions {
  readonly place: InstallPlace;
  readonly scripts?: boolean;
  readonly dryRun?: boolean;
  readonly decide?: DecideInstall | undefined;
  readonly store?: { readonly blobs: BlobStore };
  readonly disk?: SyncDisk;
  readonly signal?: AbortSignal;
}

/** A skill that may be installed. */
export interface Candidate {
  readonly held: CapturedEntry;
  readonly name: string;
  readonly before: LockedSkill | undefined;
  readonly origin: LockedOrigin;
  /** Undefined where everything is as it shall be. */
  readonly fetched: FetchedSkill | undefined;
}

/** It would take the place of a skill that came from somewhere else. */
export function isOtherOrigin({ before, origin, held }: Candidate): boolean {
  return before !== undefined && (!sameLockedPlace(before.origin, origin.origin) || before.uri !== held.entry.uri);
}

export interface Decided {
  readonly approval: LockedApproval;
  readonly scripts: boolean;
  /** Asked just now. */
  readonly asked: boolean;
  readonly hidden: boolean;
}

export async function decideAll(
  host: Host,
  candidates: readonly Candidate[],
  options: DecisionOptions,
): Promise<ReadonlyMap<Candidate, Decided>> {
  const decided = new Map<Candidate, Decided>();
  const open: { readonly one: Candidate; readonly offer: InstallOffer }[] = [];
  for (const one of candidates) {
    if (one.fetched === undefined) continue;
    const verdict = await host.approvals.verdict(one.held, one.fetched.texts);
    if (verdict.effect === 'deny') throw refusedByPolicy(one, verdict.reason);
    const offer = await offerOf(one, one.fetched, verdict, options);
    const approval = approvalBefore(one, verdict);
    const needsScripts = offer.executables.length > 0 && options.scripts === undefined;
    if (approval === undefined || needsScripts) open.push({ one, offer });
    else
      decided.set(one, {
        approval,
        scripts: acceptsScripts(one, offer, options.scripts),
        asked: false,
        hidden: offer.hidden,
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
    const given = { by: 'person', at: new Date().toISOString(), reason };
    decided.set(one, {
      approval: known ?? given,
      scripts: acceptsScripts(one, offer, options.scripts ?? scripts),
      asked: known === undefined,
      hidden: offer.hidden,
    });
  }
  return decided;
}

/** A dry run shows what would be asked about. */
function withoutDecision(
  decided: Map<Candidate, Decided>,
  open: readonly { readonly one: Candidate; readonly offer: InstallOffer }[],
): ReadonlyMap<Candidate, Decided> {
  const approval = { by: 'person', at: new Date().toISOString() };
  for (const { one, offer } of open) decided.set(one, { approval, scripts: false, asked: false, hidden: offer.hidden });
  return decided;
}

async function offerOf(
  one: Candidate,
  skill: FetchedSkill,
  verdict: EntryVerdict,
  { place, disk = nodeSyncDisk, store }: DecisionOptions,
): Promise<InstallOffer> {
  const { name, before } = one;
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
  };
}

/** What was refused is not asked about again as long as it stays the same; with anything new, all of it is. */
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

/** What allows these bytes already. */
function approvalBefore({ before, held, ...one }: Candidate, verdict: EntryVerdict): LockedApproval | undefined {
  if (before !== undefined && before.setDigest === held.setDigest && !isOtherOrigin({ before, held, ...one }))
    return before.approval;
  if (verdict.approval !== undefined) {
    const { by, at, reason } = verdict.approval;
    return { by, at, ...(reason === '' ? {} : { reason }) };
  }
  if (verdict.effect !== 'allow') return undefined;
  return { by: 'policy', at: new Date().toISOString(), reason: verdict.reason };
}

function refusedByPolicy({ name, held, origin }: Candidate, reason: string): PolicyError {
  const message = `cannot install ${quoteText(name)} from ${quoteText(lockedPlaceText(origin.origin))}: a policy refuses it: ${reason}`;
  return new PolicyError('REFUSED_BY_POLICY', message, {
    data: { origin: lockedPlaceText(origin.origin), uri: held.entry.uri },
  });
}

/** What nobody decided about, for programs. */
function needsApproval(offers: readonly InstallOffer[]): readonly object[] {
  return offers.map(({ name, skill, why, executables }) => ({
    name,
    origin: skill.held.label,
    uri: skill.held.entry.uri,
    setDigest: skill.setDigest,
    why,
    executables,
  }));
}

function nobodyDecided(offers: readonly InstallOffer[]): PolicyError {
  const message = `cannot install ${namesText(offers)}: nobody approved ${offers.length === 1 ? 'it' : 'them'}, and nobody can be asked`;
  return new PolicyError('NOT_APPROVED', message, { data: { needsApproval: needsApproval(offers) } });
}

function notAllowed(offers: readonly InstallOffer[], reason: string | undefined): PolicyError {
  const message = `${namesText(offers)} ${offers.length === 1 ? 'was' : 'were'} not approved${reason === undefined ? '' : `: ${reason}`}; nothing was installed`;
  return new PolicyError('NOT_APPROVED', message, { data: { needsApproval: needsApproval(offers) } });
}

function namesText(offers: readonly InstallOffer[]): string {
  const first = offers[0]?.name ?? '';
  return offers.length === 1 ? quoteText(first) : `${quoteText(first)} and ${offers.length - 1} more`;
}
