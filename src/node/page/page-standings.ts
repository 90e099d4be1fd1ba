/** How the skills of a snapshot stand, in the words of the page's data. A skill that contains one that is not served is not served either. */
import { carriers } from '../../catalog/nested-records.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import type { Serving } from '../../serving/serving.ts';
import { type Standing, unservedText } from '../../serving/serving-state.ts';
import type { AddressOf } from '../../serving/skill-address.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { Approval } from '../../store/decisions/approval.ts';
import type { SkillDenial } from '../../store/decisions/skill-denial.ts';
import type { ApprovalData } from '../../surfaces/page/page-data.ts';
import type { PageStanding } from '../../surfaces/page/page-ports.ts';

export function pageStandings(
  snapshot: Snapshot,
  serving: Pick<Serving, 'standing' | 'restricts'>,
  addressOf: AddressOf<SkillRecord>,
): (skill: SkillRecord) => PageStanding {
  const known = new Map<SkillRecord, Standing>();
  const own = (skill: SkillRecord): Standing => {
    const found = known.get(skill) ?? serving.standing(addressOf(skill), skill.source);
    known.set(skill, found);
    return found;
  };
  const outer = serving.restricts()
    ? carriers(snapshot.skills, (skill) => own(skill).state === 'served')
    : new Map<SkillRecord, SkillRecord>();
  return (skill) => {
    const { state, why, approved, approval, denial } = own(skill);
    const decided = denial === undefined ? approval && approvalData(approval, approved) : deniedData(denial);
    const shown = { approved, approval: decided };
    const inner = outer.get(skill);
    if (inner === undefined) return { state, ...shown, why: why === undefined ? undefined : whyData(why) };
    const cause = own(inner);
    // Only a skill that is not served has a carrier.
    if (cause.state === 'served' || cause.why === undefined) return { state: 'served', ...shown };
    const text = unservedText({ state: cause.state, reason: cause.why.reason });
    const reason = `it contains ${quoteText(inner.entry.uri)}, which ${text}`;
    return { state: cause.state, ...shown, why: { ...whyData(cause.why), reason } };
  };
}

function whyData({ reason, by, since }: NonNullable<Standing['why']>) {
  return { reason, by, since };
}

function deniedData({ setDigest, reason, at }: SkillDenial): ApprovalData {
  return { state: 'denied', setDigest, by: 'person', reason, at, execution: false, allowedTools: false };
}

function approvalData({ setDigest, by, reason, at, grants }: Approval, approved: Standing['approved']): ApprovalData {
  const state = approved === 'yes' ? 'approved' : 'changed';
  return { state, setDigest, by, reason, at, ...grants };
}
