/** The four states of a skill, each with a reason. Approval is an attribute beside them. */

import type { ServingVerdict } from '../policy/serving-policy.ts';
import type { SkillEntry } from '../skill/entry.ts';
import type { SignatureClaim } from '../skill/provenance.ts';
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
  readonly signature?: ShownVerdict;
}

/** The verdict about a signature, for people. */
export interface ShownVerdict extends SignatureClaim {
  /** State, step, signer and files, in one phrase. */
  readonly text: string;
}

export interface UnreadFiles {
  /** Its `SKILL.md`, and those inside it. */
  readonly text: boolean;
  /** The URI of its signature file. */
  readonly signature?: string | undefined;
}

export interface OriginDecisions {
  verdict(skill: JudgedSkill, known: KnownContent): OriginVerdict;
  /** The files that must be read to judge a rule; neither if another rule denies the skill anyway. */
  unread(skill: JudgedSkill, known: KnownContent): UnreadFiles;
  /** True if any rule in force concerns the content of files. */
  judgesContent(): boolean;
  /** True if any rule in force needs files to be read before a decision. */
  readsAhead(): boolean;
  /** Verifies the bytes of the signature file of a skill. */
  noteSignature(entry: SkillEntry, bytes: Uint8Array): Promise<void>;
  /** The verdict about its signature, for `_meta`; `undefined` if there is none. */
  signatureClaim(entry: SkillEntry): SignatureClaim | undefined;
  /** True if an approval also covers the current files: only the signature changed, the signer did not, and a rule accepts that. */
  coversResigned(approved: SkillEntry, current: SkillEntry): boolean;
  /** How the signer differs from the approved one, for people. */
  signerChange(current: SkillEntry): string | undefined;
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

/** How many skills of the origins are not served in their current version, by state. */
export interface UnservedCounts {
  readonly waiting: number;
  readonly denied: number;
  readonly disabled: number;
  /** Of all these, those that are not served in an earlier version either. */
  readonly absent: number;
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
  unservedCounts(): UnservedCounts;
  /** The skills that are not served in any version. */
  absent(): readonly UnservedSkill[];
  /** True if a file, by its URI, belongs to an unserved skill of the origin. */
  isInUnserved(uri: string): boolean;
}
