/**
 * Handles a file that differs from the captured entry or is not in it. The entry is requested again exactly once
 * (SEP-2640: H-31, H-42). If the set differs, the skill changed: its approval is no longer valid and it must be loaded
 * and approved again. If the set is the same, the bytes are wrong. No bytes are returned in either case.
 */
import { PolicyError, SkillwireError, VerificationError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { ApprovedEntry } from '../approve/approvals.ts';
import { changeBetween } from '../approve/known-texts.ts';
import type { HostOrigin } from '../discover/origins.ts';
import { captureFrom, type HostCore } from '../host-core.ts';
import type { CapturedEntry } from './capture.ts';

/** Always throws: NOT_APPROVED with `data.changed`, SKILL_NOT_FOUND, or the failure itself. */
export async function afterMismatch(
  core: HostCore,
  origin: HostOrigin,
  { captured }: ApprovedEntry,
  failure: VerificationError,
  signal: AbortSignal | undefined,
): Promise<never> {
  const { label } = origin;
  const { uri } = captured.entry;
  const now = await askAgain(core, origin, uri, failure, signal);
  if (now.fingerprint === captured.fingerprint) throw failure;
  await core.approvals.supersede(now);
  const change = await changeBetween(core.cache, origin, captured.entry, now.entry);
  throw new PolicyError(
    'NOT_APPROVED',
    `${quoteText(uri)} of ${quoteText(label)} changed and needs approval. Load it again.`,
    { data: { label, uri, changed: true, change }, cause: failure },
  );
}

async function askAgain(
  core: HostCore,
  origin: HostOrigin,
  uri: string,
  failure: VerificationError,
  signal: AbortSignal | undefined,
): Promise<CapturedEntry> {
  try {
    return await captureFrom(core, origin, uri, signal);
  } catch (error) {
    if (!(error instanceof SkillwireError) || error.code === 'INTERRUPTED') throw error;
    if (error.code === 'SKILL_NOT_FOUND')
      throw new SkillwireError(error.code, error.message, { data: error.data, cause: failure });
    const message = `${failure.message} Requesting the entry again failed: ${error.message}`;
    throw new VerificationError(failure.reason, message, { data: failure.data, cause: error });
  }
}
