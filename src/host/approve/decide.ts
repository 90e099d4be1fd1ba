import type { SkillEntry } from '../../skill/entry.ts';
import type { SkillRequests } from '../../skill/runs-code.ts';
import type { Checked } from '../../skill/verify-bytes.ts';
import type { Approval, Grants } from '../../store/decisions/approval.ts';
import type { SkillAddress } from '../discover/discovered-skill.ts';
import type { JudgedSignature } from './signature-gate.ts';
import type { SkillChange } from './skill-change.ts';

/** Gets a decision from a person in the host's window or at a terminal, or from a program. */
export type Decide = (request: ApprovalRequest) => Promise<Decision>;

/** A request to approve: which skill, why, what it asks for, what changed. */
export interface ApprovalRequest {
  readonly kind: 'load' | 'cross-origin-read' | 'execution';
  /** Label of the skill to load, or of the acting skill. */
  readonly label: string;
  readonly local: boolean;
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly entry: SkillEntry;
  readonly why: 'first' | 'changed' | 'unverifiable' | 'cross-origin' | 'execution';
  readonly requests: SkillRequests;
  /** Since the approval that is no longer valid. */
  readonly change?: SkillChange;
  /** All acting remote skills. */
  readonly acting?: readonly SkillAddress[];
  /** For a cross-origin read: the resource and its origin. */
  readonly target?: SkillAddress;
  /** The command to execute. */
  readonly command?: string;
  readonly signal: AbortSignal;
  /** Fetches a file of the skill for review, `SKILL.md` by default. Verified if the entry has a digest. */
  inspect(file?: string): Promise<InspectedFile>;
  /** Fetches the changed files, so that the change includes their text. */
  changeWithText(): Promise<SkillChange | undefined>;
}

/** The answer to an `ApprovalRequest`. */
export interface Decision {
  readonly allow: boolean;
  readonly grants?: Partial<Grants>;
  /** `stored` by default if the skill can be verified; otherwise always for this process. */
  readonly remember?: 'stored' | 'process';
  readonly reason?: string;
}

/** A file for a person to review. */
export interface InspectedFile {
  readonly uri: string;
  readonly bytes: Uint8Array;
  /** The bytes match a promised digest. */
  readonly verified: boolean;
  /** The promises that were compared with the bytes. */
  readonly checked: Checked;
}

/** The decision of rules and approvals about an entry, before anybody is asked. */
export interface EntryVerdict {
  /** `approved`: exactly this content was approved. `allow`, `deny`: by a rule. `ask`: a person must decide. */
  readonly effect: 'approved' | 'allow' | 'deny' | 'ask';
  readonly reason: string;
  /** It contains deliberately hidden text. */
  readonly hidden: boolean;
  readonly approval?: Approval;
  /** Absent if the reader trusts no signers. */
  readonly signature?: JudgedSignature;
  /** How the signer differs from that of the approved version, for people. */
  readonly signerChange?: string;
}
