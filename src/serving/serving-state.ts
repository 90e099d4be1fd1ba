/** The four states of a skill, and why it has the one it has. Approval is an attribute beside them. */

import type { ServingVerdict } from '../policy/serving-policy.ts';
import type { SkillEntry } from '../skill/entry.ts';
import type { Approval } from '../store/decisions/approval.ts';
import type { SkillDenial } from '../store/decisions/restrictions.ts';
import type { KnownContent } from './known-content.ts';
import type { JudgedSkill } from './serving-facts.ts';

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

/** What the authority decides about the skills of one origin; asked by the transform that carries it out. */

/** An approval of a skill whose files all have digests. */
export interface ApprovedSkill {
  readonly entry: SkillEntry & { readonly resources: Exclude<SkillEntry['resources'], 'dynamic'> };
  /** ISO 8601. */
  readonly at: Approval['at'];
}

export type OriginVerdict =
  | Exclude<ServingVerdict, { readonly effect: 'deny' }>
  | { readonly effect: 'none'; readonly why: Unserved };

/** A skill of an origin that is not served in the version that the origin has now. */
export interface UnservedSkill extends Unserved {
  readonly entry: SkillEntry;
}

export interface OriginDecisions {
  verdict(skill: JudgedSkill, known: KnownContent): OriginVerdict;
  /** Whether the `SKILL.md` must be read before a rule in force can be judged; not if another rule denies the skill anyway. */
  isUnread(skill: JudgedSkill, known: KnownContent): boolean;
  /** Whether any rule in force is about the content of files. */
  judgesContent(): boolean;
  /** Whether skills of a kind that nobody lists may be asked for; each is decided about when it is. */
  allowsKind(entry: SkillEntry): boolean;
  /** Whether a denial matches a folder, by its decoded path within the origin. */
  deniesFolder(path: string): boolean;
  approved(uri: string): ApprovedSkill | undefined;
  /** All of the origin. */
  allApproved(): readonly ApprovedSkill[];
  /** Bytes of an approved file. */
  bytes(digest: string): Promise<Uint8Array | undefined>;
  hasBytes(digest: string): Promise<boolean>;
  pin(digest: string, bytes: Uint8Array): Promise<void>;
  /** Gets what kept bytes from being stored, other than an origin that does not answer. Nobody waits for it, so nobody else reports it. */
  pinFailed(error: unknown): void;
  /** Gets after each look everything that is not served now. */
  unserved(skills: readonly UnservedSkill[]): void;
}

/** An origin whose skills are decided about, as the authority sees it. */
export interface DecidedOrigin {
  readonly label: string;
  /** Carries out what was decided since the last look. */
  refresh(): Promise<void>;
  /** Why the skill at a URI of the origin is not served; `undefined` if it is, `'unknown'` if the origin does not have it. */
  whyUnserved(uri: string): Unserved | 'unknown' | undefined;
  /** The entry that the origin has at a URI now, whatever is served there. */
  liveEntry(uri: string): SkillEntry | undefined;
  /** Whether a file, by its URI, lies in a skill that the origin has and that is not served. */
  isInUnserved(uri: string): boolean;
}
