/**
 * Decisions of a person about one version of a skill, for commands and the page. A denial is bound to the set of files, like an
 * approval; the later decision counts. Earlier approvals of other versions stay valid.
 */
import { type SkillDenial, skillDenialKey } from '../../store/decisions/restrictions.ts';
import type { Store } from '../../store/store.ts';
import { decisionTime } from '../../store/tombstones.ts';
import type { CapturedEntry } from '../load/capture.ts';
import type { Approvals, ApprovedEntry, Granted } from './approvals.ts';

/** An entry to which a decision can be bound. */
export type Version = CapturedEntry & { readonly setDigest: string };

/** Stores an approval, and lifts a denial of the skill. */
export async function approveVersion(
  { state }: Pick<Store, 'state'>,
  approvals: Pick<Approvals, 'grant'>,
  captured: Version,
  granted: Pick<Granted, 'grants' | 'reason' | 'hiddenSeen' | 'signer'>,
): Promise<ApprovedEntry> {
  const approved = await approvals.grant(captured, { ...granted, by: 'person', remember: 'stored' });
  await state.delete(skillDenialKey({ label: captured.label, uri: captured.entry.uri }));
  return approved;
}

/** Stores a denial, and revokes an approval of the same version. */
export async function denyVersion(
  { state }: Pick<Store, 'state'>,
  approvals: Pick<Approvals, 'deny' | 'revoke' | 'standing'>,
  captured: Version,
  reason: string,
): Promise<void> {
  const address = { label: captured.label, uri: captured.entry.uri };
  const key = skillDenialKey(address);
  const { setDigest, contentDigest: content } = captured;
  const denial: SkillDenial = {
    setDigest,
    reason,
    at: await decisionTime(state, key),
    content,
  };
  await approvals.deny(captured, reason, { key, at: denial.at });
  await state.set(key, { ...denial });
  if ((await approvals.standing(captured)).state === 'current') await approvals.revoke(address, reason);
}

/** True if every file has a digest. */
export function isVersion(captured: CapturedEntry): captured is Version {
  return captured.setDigest !== undefined;
}
