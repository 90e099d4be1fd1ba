/** The state of a listed skill: whether its current version is approved. Compares stored approvals; contacts nobody. */
import type { Verified } from '../../dialects/dialect-skill.ts';
import type { Approval } from '../../host/approve/approvals.ts';
import type { DiscoveredSkill, SkillAddress } from '../../host/discover/discovered-skill.ts';
import { movedSet } from '../../skill/former-uris.ts';
import { sameSet, setOf } from '../../skill/skill-set.ts';

/**
 * `local`: in a folder of the user, which needs no approval. `changed`: approved with other content. `unverifiable`: the origin promises no
 * digests, so no approval can be stored.
 */
export type SkillState = 'approved' | 'changed' | 'not-approved' | 'unverifiable' | 'disabled' | 'local';

export const stateWords: Readonly<Record<SkillState, string>> = {
  approved: 'approved',
  changed: 'changed',
  'not-approved': 'not approved',
  unverifiable: 'unverifiable',
  disabled: 'disabled',
  local: 'local',
};

type Stored = Pick<Approval, 'label' | 'uri' | 'set'>;

/** @param before skills whose approval ended because they changed */
export function skillStates(
  approvals: readonly Stored[],
  before: readonly SkillAddress[],
): (skill: DiscoveredSkill) => SkillState {
  const identity = ({ label, uri }: SkillAddress): string => JSON.stringify([label, uri]);
  const approved = new Map(approvals.map((approval) => [identity(approval), approval]));
  const superseded = new Set(before.map(identity));
  return (skill) => {
    const { label, uri, formerUris = [] } = skill;
    const addresses = [uri, ...formerUris].map((one) => identity({ label, uri: one }));
    const [key] = addresses.filter((one) => approved.has(one));
    return stateOf(
      skill,
      approved.get(key ?? ''),
      addresses.some((one) => superseded.has(one)),
    );
  };
}

function stateOf(skill: DiscoveredSkill, approval: Stored | undefined, superseded: boolean): SkillState {
  if (!skill.enabled) return 'disabled';
  const set = setOf(skill.entry);
  if (approval?.set !== undefined)
    return set !== undefined && sameSet(movedSet(approval.set, approval.uri, skill.uri), set) ? 'approved' : 'changed';
  if (superseded) return 'changed';
  if (skill.local) return 'local';
  return skill.verifiable ? 'not-approved' : 'unverifiable';
}

/** How much of a skill can be verified against what its origin promises. */
export function howVerified({ entry, partial }: Pick<DiscoveredSkill, 'entry' | 'partial'>): Verified {
  if (entry.resources !== 'dynamic' || partial?.reason === 'no-size') return 'full';
  const skillMd = partial?.files.find(({ uri }) => uri === entry.uri);
  return skillMd?.digest === undefined ? 'none' : 'skill-md-only';
}
