/** The four states of a skill, each with a reason. Approval is an attribute beside them. */

import type { ServingVerdict } from '../policy/serving-policy.ts';
import type { SkillEntry } from '../skill/entry.ts';
import type { Approval } from '../store/decisions/approval.ts';
import type { SkillDenial } from '../store/decisions/restrictions.ts';
import type { KnownContent } from './known-content.ts';
import type { JudgedSkill } from './serving-facts.ts';

/**
 * `waiting`: for a person's approval. `denied`: by a person or a rule. `disabled`: by a person, the skill or its whole
 * origin.
 */
export type ServingState = 'served' | 'waiting' | 'denied' | 'disabled';

/** Why the current version at the origin is not served. */
export interface Unserved {
  readonly state: Exclude<ServingState, 'served'>;
  /** The reason, for operators. */
  readonly reason: string;
  readonly by: 'person' | 'rule';
  /** ISO 8601; absent if nobody recorded it. */
  readonly since?: string;
  /** For waiting skills: never approved, or approved with other files. */
  readonly change?: 'new' | 'changed';
}

/**
 * `changed`: with other files than the current ones. `unverifiable`: it has no digests to which an approval could be
 * bound.
 */
export type Approved = 'yes' | 'changed' | 'no' | 'unverifiable';

/** The state of a skill, in the current version of its origin. */
export interface Standing {
  readonly state: ServingState;
  /** Absent if it is served. */
  readonly why?: Omit<Unserved, 'state'>;
  readonly approved: Approved;
  /** The approval, for these or for other files. */
  readonly approval?: Approval;
  /** A person's denial of exactly this version. */
  readonly denial?: SkillDenial;
}

export function unservedText({ state, reason }: Pick<Unserved, 'state' | 'reason'>): string {
  return state === 'waiting' ? 'is waiting for approval' : `is ${state}: ${reason}`;
}

/** The authority's decisions about the skills of one origin, for the transform that carries them out. */

/** An approval of a skill whose files all have digests. */
export interface ApprovedSkill {
  readonly entry: SkillEntry & { readonly resources: Exclude<SkillEntry['resources'], 'dynamic'> };
  /** ISO 8601. */
  readonly at: Approval['at'];
}

export type OriginVerdict =
  | Exclude<ServingVerdict, { readonly effect: 'deny' }>
  | { readonly effect: 'none'; readonly why: Unserved };

/** A skill whose current version at the origin is not served. */
export interface UnservedSkill extends Unserved {
  readonly entry: SkillEntry;
}

export interface OriginDecisions {
  verdict(skill: JudgedSkill, known: KnownContent): OriginVerdict;
  /** True if the `SKILL.md` must be read to judge a rule; false if another rule denies the skill anyway. */
  isUnread(skill: JudgedSkill, known: KnownContent): boolean;
  /** True if any rule in force concerns the content of files. */
  judgesContent(): boolean;
  /** True if unlisted skills of this kind may be requested; each is decided at the request. */
  allowsKind(entry: SkillEntry): boolean;
  /** True if a denial matches a folder, by its decoded path within the origin. */
  deniesFolder(path: string): boolean;
  approved(uri: string): ApprovedSkill | undefined;
  /** All approved skills of the origin. */
  allApproved(): readonly ApprovedSkill[];
  /** Bytes of an approved file. */
  bytes(digest: string): Promise<Uint8Array | undefined>;
  hasBytes(digest: string): Promise<boolean>;
  pin(digest: string, bytes: Uint8Array): Promise<void>;
  /**
   * Receives errors of storing bytes, except those of an origin that does not answer. No caller waits for the storing,
   * so nothing else reports them.
   */
  pinFailed(error: unknown): void;
  /** Receives all unserved skills after each check. */
  unserved(skills: readonly UnservedSkill[]): void;
}

/** The authority's view of an origin whose skills it decides about. */
export interface DecidedOrigin {
  readonly label: string;
  /** Carries out the decisions since the last check. */
  refresh(): Promise<void>;
  /**
   * Why the skill at a URI of the origin is not served; `undefined` if it is served, `'unknown'` if the origin does not
   * have it.
   */
  whyUnserved(uri: string): Unserved | 'unknown' | undefined;
  /** The current entry of the origin at a URI, whether it is served or not. */
  liveEntry(uri: string): SkillEntry | undefined;
  /** True if a file, by its URI, belongs to an unserved skill of the origin. */
  isInUnserved(uri: string): boolean;
}
