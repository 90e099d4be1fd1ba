/**
 * What rules and approvals say about an entry before anybody is asked: for those who take a whole skill to another place, where an
 * approval is wanted also for a folder of the user. Trust in local folders does not count here.
 */

import type { HostCore } from '../host-core.ts';
import type { CapturedEntry } from '../load/capture.ts';
import { verdictOf } from './approve-load.ts';
import type { EntryVerdict } from './decide.ts';
import { hidesText, type KnownTexts } from './skill-asks.ts';

export async function entryVerdict(core: HostCore, captured: CapturedEntry, texts?: KnownTexts): Promise<EntryVerdict> {
  const hidden = hidesText(captured.entry, texts);
  const { effect, reason } = verdictOf(core, captured, hidden, texts);
  if (effect === 'deny') {
    await core.approvals.refuse(captured, 'policy', reason);
    return { effect, reason, hidden };
  }
  const standing = await core.approvals.standing(captured);
  if (standing.state === 'current') {
    const { approval } = standing.approved;
    if (!hidden || approval.hiddenSeen) return { effect: 'approved', reason: approval.reason, hidden, approval };
  }
  return { effect, reason, hidden };
}
