/**
 * Types of the answers below `/api/`. The page in `web/` is compiled against them, and docs/guides/use-the-page.md describes them. Text from skills is not
 * escaped here; the page escapes it. Server paths are included only for trusted readers.
 */
import type { Approved, ServingState } from '../../serving/serving-state.ts';
import type { Finding } from '../../skill/finding.ts';

export type { Approved, ServingState } from '../../serving/serving-state.ts';

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

/** `GET /api` */
export interface PageInfo {
  readonly name: 'skillwire';
  readonly version: string;
  readonly watched: boolean;
  readonly counts: {
    readonly skills: number;
    readonly listed: number;
    /** Skills that wait for approval. */
    readonly waiting: number;
    readonly problems: number;
    readonly warnings: number;
    readonly notes: number;
  };
  /** Optional features of this server. */
  readonly features: {
    readonly runtimes: boolean;
    readonly templates: boolean;
    readonly review: boolean;
  };
  readonly session: SessionInfo;
}

export interface SessionInfo {
  /** True if this reader may see server paths, the audit and versions. */
  readonly trusted: boolean;
  /** True if this reader may approve; then `csrf` must come with each change. */
  readonly mayApprove: boolean;
  readonly csrf?: string;
  /** Name of the signed-in person, if known. */
  readonly name?: string;
  /** Profile of the token: only its skills are shown. */
  readonly profile?: string;
  /** True if addresses and folders of the server are shown. */
  readonly operator?: boolean;
  /** How to sign in for approvals. */
  readonly signIn: 'link' | 'token' | 'none';
}

/** `GET /api` of a server with tokens, before sign-in. */
export interface LockedInfo {
  readonly name: 'skillwire';
  readonly locked: true;
}

/** The version that agents get: the shown one, an approved earlier one, or none. */
export type AgentsGet = 'this' | 'approved' | 'nothing';

export interface SkillRow extends StandingData {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly origin: string;
  readonly listed: boolean;
  /** True if every byte has a digest. */
  readonly verified: boolean;
  readonly files: number;
  readonly bytes: number;
  readonly scripts: number;
  readonly tools: number;
  readonly problems: number;
  readonly warnings: number;
  readonly notes: number;
  readonly agentsGet: AgentsGet;
  /** True if another skill has the same name. */
  readonly collides: boolean;
}

/** `GET /api/skills` */
export interface SkillListing {
  readonly skills: readonly SkillRow[];
  /** Findings about no served skill, problems first; empty for untrusted readers. */
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
  /** The entry that agents get. */
  readonly entry: unknown;
  readonly path: string;
  readonly files: readonly FileRow[];
  readonly findings: readonly Finding[];
  /** Binds a decision to the shown version. */
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
  /** Estimated tokens in a model context, at four characters each; absent if unknown. */
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
  /** Absent if the file is binary or too large. */
  readonly text?: string;
  readonly why?: 'binary' | 'too-large';
  /** Sanitized HTML; only for Markdown that is small enough. */
  readonly html?: string;
  /** Why there is no `html`. */
  readonly plain?: string;
  /** Phrases about invisible characters. */
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
  /** True for the current version. */
  readonly current: boolean;
  readonly approved: boolean;
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
  /** Folder, file or address; absent for untrusted readers. */
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
    /** The URI at the origin. */
    readonly uri?: string;
    /** The URI under which it is served, if it is. */
    readonly skill?: string;
    readonly by?: string;
    /** The name of the person. */
    readonly user?: string;
    readonly reason?: string;
    readonly set?: string;
  }[];
  readonly total: number;
}

/** `GET /api/hosts`. The address is `addressPlaceholder`, because only the browser knows the URL it used. */
export interface HostConfigData {
  readonly id: string;
  readonly title: string;
  readonly file: string;
  readonly text: string;
  /** A command that does the same, if the client has one. */
  readonly command?: string;
  /** Environment variables that the client needs, such as the token. */
  readonly variables?: readonly string[];
  /** Why there is nothing to paste. */
  readonly instead?: string;
}

/** Placeholder for the MCP address in configurations. */
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
