/** The four states of a skill, and why it has the one it has. Approval is an attribute beside them. */
import type { Approval } from '../store/decisions/approval.ts';
import type { SkillDenial } from '../store/decisions/skill-denial.ts';

/** `waiting`: for a person's approval. `denied`: by a person or a rule. `disabled`: by a person, itself or with its origin. */
export type ServingState = 'served' | 'waiting' | 'denied' | 'disabled';

/** Why the version that an origin has now is not served. */
export interface Unserved {
  readonly state: Exclude<ServingState, 'served'>;
  /** For operators. */
  readonly reason: string;
  readonly by: 'person' | 'rule';
  /** ISO 8601; absent if nobody wrote it down. */
  readonly since?: string;
  /** Of what waits: never approved, or approved with other files. */
  readonly change?: 'new' | 'changed';
}

/** `changed`: with other files than it has now. `unverifiable`: it has no digests that an approval could be bound to. */
export type Approved = 'yes' | 'changed' | 'no' | 'unverifiable';

/** How a skill stands, as its origin has it now. */
export interface Standing {
  readonly state: ServingState;
  /** Absent if it is served. */
  readonly why?: Omit<Unserved, 'state'>;
  readonly approved: Approved;
  /** In force, or for other files. */
  readonly approval?: Approval;
  /** A person's denial of exactly this version. */
  readonly denial?: SkillDenial;
}

export function unservedText({ state, reason }: Pick<Unserved, 'state' | 'reason'>): string {
  return state === 'waiting' ? 'is waiting for approval' : `is ${state}: ${reason}`;
}
