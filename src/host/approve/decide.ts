import type { SkillEntry } from '../../skill/entry.ts';
import type { Checked } from '../../skill/verify-bytes.ts';
import type { Approval, Grants } from '../../store/decisions/approval.ts';
import type { SkillAddress } from '../discover/discovered-skill.ts';
import type { SkillAsks } from './skill-asks.ts';
import type { SkillChange } from './skill-change.ts';

/** Asks for a decision: a person in the host's window or at a terminal, or a program. */
export type Decide = (request: ApprovalRequest) => Promise<Decision>;

/** A question to the person who decides: which skill, why, what it asks for, what changed. */
export interface ApprovalRequest {
  readonly kind: 'load' | 'cross-origin-read' | 'execution';
  /** Of the skill that is to be loaded, or that acts. */
  readonly label: string;
  readonly local: boolean;
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly entry: SkillEntry;
  readonly why: 'first' | 'changed' | 'unverifiable' | 'cross-origin' | 'execution';
  readonly asks: SkillAsks;
  /** Since the approval that no longer counts. */
  readonly change?: SkillChange;
  /** All remote skills that act now. */
  readonly acting?: readonly SkillAddress[];
  /** Of a cross-origin read: what is to be read, and where. */
  readonly target?: SkillAddress;
  /** What is to be executed. */
  readonly command?: string;
  readonly signal: AbortSignal;
  /** Fetches what the one who decides wants to see: a file of the skill, `SKILL.md` by default. Verified where that can be. */
  inspect(file?: string): Promise<InspectedFile>;
  /** Fetches the changed files, so that the change has their text. */
  changeWithText(): Promise<SkillChange | undefined>;
}

/** The answer to an `ApprovalRequest`. */
export interface Decision {
  readonly allow: boolean;
  readonly grants?: Partial<Grants>;
  /** `stored` by default where the skill can be verified; otherwise it is always for this process. */
  readonly remember?: 'stored' | 'process';
  readonly reason?: string;
}

/** A file for a person to look at. */
export interface InspectedFile {
  readonly uri: string;
  readonly bytes: Uint8Array;
  /** Their digest was promised, and matches. */
  readonly verified: boolean;
  /** What was promised of the bytes and compared with them. */
  readonly checked: Checked;
}

/** What rules and approvals say about an entry before anybody is asked. */
export interface EntryVerdict {
  /** `approved`: exactly this content was approved. `allow`, `deny`: by a rule. `ask`: a person has to decide. */
  readonly effect: 'approved' | 'allow' | 'deny' | 'ask';
  readonly reason: string;
  /** Text in it is hidden on purpose. */
  readonly hidden: boolean;
  readonly approval?: Approval;
}
