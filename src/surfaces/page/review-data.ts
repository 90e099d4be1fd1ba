/**
 * Types of the answers below `/api/` about decisions: a version of a skill, its difference from another, and the skills that wait for a
 * person. The others are in `page-data.ts`.
 */
import type { Approved, ServingState } from '../../serving/serving-state.ts';

/** The state of the shown version of a skill. */
export interface StandingData {
  readonly state: ServingState;
  readonly approved: Approved;
  /** Why it is not served. */
  readonly why?: {
    readonly reason: string;
    readonly by: 'person' | 'rule';
    /** ISO 8601, UTC. */
    readonly since?: string;
  };
}

export interface VersionData {
  readonly setDigest: string;
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly files: number;
  readonly bytes: number;
  /** True for the current version. */
  readonly current: boolean;
  /** True for the version that is approved now. */
  readonly approved: boolean;
  /** ISO 8601, UTC: when it was approved, also if another version is by now. */
  readonly approvedAt?: string;
  /** True for the version that agents get. */
  readonly served: boolean;
}

export interface DiffLineData {
  readonly kind: ' ' | '+' | '-';
  readonly text: string;
  readonly beforeLine?: number;
  readonly afterLine?: number;
}

export interface FileChangeData {
  readonly path: string;
  readonly script: boolean;
  readonly executable: boolean;
  readonly textKnown: boolean;
  readonly sizeBefore?: number;
  readonly sizeAfter?: number;
  readonly diff?: { readonly lines: readonly DiffLineData[]; readonly truncated: boolean };
}

/** `GET /api/diff?uri=&from=&to=` */
export interface ChangeData {
  readonly from: string;
  readonly to: string;
  /** Plain sentences, the riskiest first. */
  readonly summary: readonly string[];
  readonly added: readonly FileChangeData[];
  readonly removed: readonly FileChangeData[];
  readonly changed: readonly FileChangeData[];
  readonly frontmatter: readonly { readonly field: string; readonly before?: unknown; readonly after?: unknown }[];
  readonly newHosts: readonly string[];
  readonly allowedTools: { readonly added: readonly string[]; readonly removed: readonly string[] };
}

/** `GET /api/queue?q=&origin=&offset=&limit=` */
export interface QueueData {
  /** One page, changed skills first. */
  readonly waiting: readonly QueueRow[];
  readonly offset: number;
  /** Waiting skills with these filters, and without. */
  readonly total: number;
  readonly all: number;
  /** Approves the first of these skills at once: a digest over their versions, and their number. Absent if there are none. */
  readonly plan?: { readonly digest: string; readonly skills: number };
  /** How many skills of the plan have scripts. */
  readonly withScripts: number;
  readonly origins: readonly string[];
  /** The newest decisions. */
  readonly decided: readonly QueueRow[];
  readonly decidedTotal: number;
}

export interface QueueRow extends StandingData {
  readonly uri: string;
  readonly name: string;
  readonly origin: string;
  readonly agentsGet: AgentsGet;
  readonly setDigest?: string;
  readonly scripts: number;
  readonly tools: number;
  readonly files: number;
  readonly bytes: number;
  readonly approval?: ApprovalData;
  readonly signature?: SignatureData;
  /** Files that differ from the approved version; absent if none is known. */
  readonly change?: { readonly added: number; readonly removed: number; readonly changed: number };
}

/** `POST /api/approve-all` */
export interface PlanResult {
  readonly approved: number;
  /** Skills that could not be approved, with the reason. */
  readonly failed: readonly { readonly uri: string; readonly message: string }[];
}

export interface ApprovalData {
  readonly state: 'approved' | 'denied' | 'changed';
  readonly setDigest?: string;
  readonly by: string;
  readonly reason: string;
  readonly at: string;
  readonly execution: boolean;
  readonly allowedTools: boolean;
}

/** The version that agents get: the shown one, an approved earlier one, or none. */
export type AgentsGet = 'this' | 'approved' | 'nothing';

/** The verdict of this server about a signature. */
export interface SignatureData {
  /** For example `signed`, `untrusted` or `mismatch`. */
  readonly state: string;
  /** Signer, files and the failed step, in one phrase. */
  readonly text: string;
  /** The names that the configuration gives the signer. */
  readonly signer?: string;
  /** How the signer differs from the approved one. */
  readonly change?: string;
}
