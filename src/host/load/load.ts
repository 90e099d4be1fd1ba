/**
 * Loads one skill: captures its entry, gets it approved, only then fetches `SKILL.md`, checks it against the approved
 * entry, and opens the window. A person approves what was captured when they were asked. If the origin changes
 * meanwhile, the file no longer matches and `mismatch.ts` applies.
 */
import { SkillwireError, VerificationError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { type ActingWindow, approvedReader, openWindow } from '../approve/acting-window.ts';
import type { ApprovedEntry } from '../approve/approvals.ts';
import { approveLoad } from '../approve/approve-load.ts';
import { hidesText, requestsOf } from '../approve/skill-requests.ts';
import type { SkillAddress } from '../discover/discovered-skill.ts';
import type { HostOrigin } from '../discover/origins.ts';
import { captureFrom, type HostCore } from '../host-core.ts';
import { type CapturedEntry, captureEntry } from './capture.ts';
import { afterMismatch } from './mismatch.ts';
import {
  refuseLargeSkillMd,
  type UnverifiedFile,
  type UnverifiedSkill,
  unverifiedSkillOf,
  type VerifiedFile,
  type VerifiedSkill,
  verifySkill,
} from './verify.ts';

export interface LoadOptions {
  readonly id: string;
  readonly signal?: AbortSignal | undefined;
  /** Query the origin even if the cached entry has not expired. */
  readonly fresh?: boolean;
  readonly onRelease: () => void;
}

export async function loadSkill(core: HostCore, address: SkillAddress, options: LoadOptions): Promise<ActingWindow> {
  const { signal, fresh = false } = options;
  const origin = core.origins.require(address.label);
  await core.enablement.require(address);
  const cached = fresh ? undefined : core.entries.find(origin, address.uri);
  const captured = cached ?? (await captureForLoad(core, origin, address.uri, signal));
  const { formerUris } = captured;
  const current = { label: address.label, uri: captured.entry.uri, formerUris };
  await core.enablement.require(current);
  refuseLargeSkillMd(current.uri, sizeOfMain(captured));
  const approved = await approveLoad(core, origin, captured, { signal });
  const reader = approvedReader(core, origin, approved);
  const file = await reader.read(captured.entry.uri, skillFileName, signal);
  const skill = await verified(core, origin, approved, file, signal);
  const agreed = await approveText(core, origin, approved, skill, signal);
  const shown = agreed === approved ? skill : await verified(core, origin, agreed, file, signal);
  // The skill may have been disabled, or its origin removed, while a person decided or the origin answered.
  await core.enablement.require(current);
  if (!core.origins.isCurrent(origin))
    throw new SkillwireError(
      'CLOSED',
      `Cannot load ${quoteText(address.uri)}: the origin ${quoteText(address.label)} was removed.`,
    );
  const { by, reason, grants } = agreed.approval;
  await core.audit({
    action: 'load',
    label: current.label,
    uri: current.uri,
    by,
    reason,
    data: { set: captured.fingerprint, execution: grants.execution, allowedTools: grants.allowedTools },
  });
  return openWindow(core, { ...options, origin, approved: agreed, skill: shown, reader });
}

/** The entry from its origin; if that is unreachable and `offline` is set, the approved one. */
async function captureForLoad(
  core: HostCore,
  origin: HostOrigin,
  uri: string,
  signal: AbortSignal | undefined,
): Promise<CapturedEntry> {
  try {
    return await captureFrom(core, origin, uri, signal);
  } catch (error) {
    const away = error instanceof SkillwireError && (error.code === 'UNREACHABLE' || error.code === 'TIMED_OUT');
    if (!away || core.options.offline !== true) throw error;
    const captured = await capturedAsApproved(core, origin, uri);
    if (captured === undefined) throw error;
    return captured;
  }
}

async function capturedAsApproved(core: HostCore, origin: HostOrigin, uri: string): Promise<CapturedEntry | undefined> {
  const approval = (await core.approvals.list()).find((known) => known.label === origin.label && known.uri === uri);
  if (approval?.lasting !== true || approval.entry.resources === 'dynamic') return undefined;
  const main = approval.entry.resources.find((file) => file.uri === uri);
  if (main === undefined || (await core.cache.cached(origin.label, main)) === undefined) return undefined;
  return captureEntry(origin, uri, { entry: approval.entry });
}

function sizeOfMain({ entry }: CapturedEntry): number {
  if (entry.resources === 'dynamic') return 0;
  return entry.resources.find(({ uri }) => uri === entry.uri)?.size ?? 0;
}

async function verified(
  core: HostCore,
  origin: HostOrigin,
  approved: ApprovedEntry,
  file: VerifiedFile | UnverifiedFile,
  signal: AbortSignal | undefined,
): Promise<VerifiedSkill | UnverifiedSkill> {
  try {
    return file.verified ? verifySkill(approved, file) : unverifiedSkillOf(approved, file);
  } catch (error) {
    if (error instanceof VerificationError && error.reason === 'frontmatter')
      return afterMismatch(core, origin, approved, error, signal);
    throw error;
  }
}

/** The policy and the person also decide on what only the text shows: hidden characters, command expansions. */
async function approveText(
  core: HostCore,
  origin: HostOrigin,
  approved: ApprovedEntry,
  { entry, text }: VerifiedSkill | UnverifiedSkill,
  signal: AbortSignal | undefined,
): Promise<ApprovedEntry> {
  const texts = new Map([[entry.uri, text]]);
  const ruled = (core.options.policy ?? []).length > 0;
  const commands = ruled && requestsOf(entry, texts).shellInText.length > 0;
  if (!commands && !hidesText(entry, texts)) return approved;
  return approveLoad(core, origin, approved.captured, { signal, texts });
}
