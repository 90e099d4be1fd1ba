/**
 * What the routes below `/api/` answer, as types alone: the page in `web/` is compiled against them, and docs/guides/use-the-page.md describes
 * them. Texts that come from skills are given as they are; whoever shows them escapes them. Nothing here names a file of the
 * server unless the reader is trusted with it.
 */
import type { Approved, ServingState } from '../../serving/serving-state.ts';
import type { Finding } from '../../skill/finding.ts';

export type { Approved, ServingState } from '../../serving/serving-state.ts';

/** How the version of a skill that is shown stands. */
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

/** `GET /api` */
export interface PageInfo {
  readonly name: 'skillwire';
  readonly version: string;
  readonly watched: boolean;
  readonly counts: {
    readonly skills: number;
    readonly listed: number;
    /** What agents do not get as it is, until somebody approves it. */
    readonly waiting: number;
    readonly problems: number;
    readonly warnings: number;
    readonly notes: number;
  };
  /** What this server can answer besides the catalogue. */
  readonly features: {
    readonly runtimes: boolean;
    readonly templates: boolean;
    readonly review: boolean;
  };
  readonly session: SessionInfo;
}

export interface SessionInfo {
  /** Whether this reader may see files of the server, the audit and versions. */
  readonly trusted: boolean;
  /** Whether this reader may approve; then `csrf` has to come with each change. */
  readonly mayApprove: boolean;
  readonly csrf?: string;
  /** Of who signed in, where that is known. */
  readonly name?: string;
  /** Of who signed in with a token: only its skills are shown. */
  readonly profile?: string;
  /** Whether addresses and folders of the server are shown. */
  readonly operator?: boolean;
  /** How one may get to approve. */
  readonly signIn: 'link' | 'token' | 'none';
}

/** `GET /api` of a server that asks for tokens, before one was given. */
export interface LockedInfo {
  readonly name: 'skillwire';
  readonly locked: true;
}

/** What agents get: the version that is shown, one that was approved before, or nothing. */
export type AgentsGet = 'this' | 'approved' | 'nothing';

export interface SkillRow extends StandingData {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly origin: string;
  readonly listed: boolean;
  /** Every byte can be checked against a digest. */
  readonly verified: boolean;
  readonly files: number;
  readonly bytes: number;
  readonly scripts: number;
  readonly tools: number;
  readonly problems: number;
  readonly warnings: number;
  readonly notes: number;
  readonly agentsGet: AgentsGet;
  /** Other skills have the same name. */
  readonly collides: boolean;
}

/** `GET /api/skills` */
export interface SkillListing {
  readonly skills: readonly SkillRow[];
  /** Those that concern no served skill, problems first; empty for readers who may not see files of the server. */
  readonly findings: readonly Finding[];
  readonly hiddenFindings: number;
  readonly origins: readonly string[];
}

export interface FileRow {
  readonly path: string;
  readonly uri: string;
  readonly mediaType: string;
  readonly size?: number;
  readonly digest?: string;
  readonly executable: boolean;
  readonly script: boolean;
}

/** `GET /api/skill?uri=` */
export interface SkillDetail {
  readonly row: SkillRow;
  /** The entry as agents get it. */
  readonly entry: unknown;
  readonly path: string;
  readonly files: readonly FileRow[];
  readonly findings: readonly Finding[];
  /** Binds a decision to what was shown. */
  readonly setDigest?: string;
  readonly asks: SkillAsksData;
  readonly aliases: readonly string[];
  readonly collisions: readonly { readonly uri: string; readonly origin: string }[];
  readonly provenance: {
    readonly origin: string;
    readonly kind: string;
    readonly dialect?: string;
    readonly firstSeen?: string;
    readonly lastSeen?: string;
    readonly versions: number;
  };
  readonly approval?: ApprovalData;
  /** What is loaded into a context, at four characters to a token; absent where it is not known beforehand. */
  readonly tokens?: { readonly catalogue: number; readonly skillMd: number; readonly all: number };
}

export interface SkillAsksData {
  readonly scripts: readonly string[];
  readonly executionFields: readonly string[];
  readonly shellInText: readonly string[];
  readonly allowedTools: readonly string[];
  readonly hosts: readonly string[];
  readonly nested: readonly string[];
  readonly hidden: readonly string[];
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

/** `GET /api/text?uri=` */
export interface FileText {
  readonly uri: string;
  readonly path: string;
  readonly mediaType: string;
  /** Absent where the bytes are no text, or there are too many of them. */
  readonly text?: string;
  readonly why?: 'binary' | 'too-large';
  /** Sanitised; only of Markdown that is small enough. */
  readonly html?: string;
  /** Why there is no `html`, in words. */
  readonly plain?: string;
  /** Phrases: how many characters that nobody sees. */
  readonly hidden: readonly string[];
  readonly size: number;
  readonly digest?: string;
  readonly lines: number;
}

export interface VersionData {
  readonly setDigest: string;
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly files: number;
  readonly bytes: number;
  /** What is shown now. */
  readonly current: boolean;
  readonly approved: boolean;
  /** What agents get. */
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

/** `GET /api/queue` */
export interface QueueData {
  readonly waiting: readonly QueueRow[];
  readonly decided: readonly QueueRow[];
}

export interface QueueRow extends StandingData {
  readonly uri: string;
  readonly name: string;
  readonly origin: string;
  readonly agentsGet: AgentsGet;
  readonly setDigest?: string;
  readonly scripts: number;
  readonly tools: number;
  readonly approval?: ApprovalData;
}

/** `GET /api/origins` */
export interface PageOrigin {
  readonly label: string;
  /** For example `folder`, `archive`, `site`, `mcp`, `runtimes`. */
  readonly kind: string;
  /** Where it is; absent for readers who may not know. */
  readonly place?: string;
  readonly state: 'ready' | 'empty' | 'problems' | 'stale' | 'unreachable' | 'not-authorized' | 'failed';
  /** ISO 8601, UTC. */
  readonly since?: string;
  readonly skills: number;
  readonly problems: number;
  readonly warnings: number;
  readonly enabled: boolean;
  readonly error?: { readonly message: string; readonly remedy: string; readonly at?: string };
}

/** `GET /api/runtimes` */
export interface RuntimeData {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly version?: string;
  readonly platform?: string;
  readonly transport: string;
  readonly connectedAt: string;
  readonly lastSeenAt: string;
  readonly paths: readonly { readonly path: string; readonly type: string; readonly description?: string }[];
}

export interface RuntimeAnswer {
  readonly ok: boolean;
  readonly text: string;
  readonly ms: number;
}

/** `GET /api/templates` */
export interface TemplateData {
  readonly uriTemplate: string;
  readonly name: string;
  readonly description: string;
  readonly variables: readonly string[];
}

/** `GET /api/audit` */
export interface AuditData {
  readonly records: readonly {
    readonly at: string;
    readonly action: string;
    readonly label?: string;
    /** As the origin calls it. */
    readonly uri?: string;
    /** Under which URI it is served, where it is. */
    readonly skill?: string;
    readonly by?: string;
    /** The name of the person. */
    readonly user?: string;
    readonly reason?: string;
    readonly set?: string;
  }[];
  readonly total: number;
}

/** `GET /api/hosts`: the address stands as `addressPlaceholder`, since only the browser knows how it got here. */
export interface HostConfigData {
  readonly id: string;
  readonly title: string;
  readonly file: string;
  readonly text: string;
  /** The one command that does the same, where the host has one. */
  readonly command?: string;
  /** Environment variables that the host needs: the token of the server. */
  readonly variables?: readonly string[];
  /** Why there is nothing to paste. */
  readonly instead?: string;
}

/** Stands in configurations for the address of the MCP endpoint. */
export const addressPlaceholder = 'https://skillwire.invalid/mcp';

/** `GET /api/try/catalogue` and `GET /api/try/load` */
export interface TrialText {
  readonly text: string;
  readonly characters: number;
  readonly tokens: number;
  readonly shown?: number;
  readonly leftOut?: readonly { readonly name: string; readonly uri: string }[];
  readonly isError: boolean;
}

/** Server-sent events of `GET /api/events`. */
export type PageEvent =
  | { readonly type: 'hello' }
  | {
      readonly type: 'catalogue';
      readonly changed: readonly string[];
      readonly added: readonly string[];
      readonly removed: readonly string[];
    }
  | { readonly type: 'review' }
  | { readonly type: 'runtimes' };
