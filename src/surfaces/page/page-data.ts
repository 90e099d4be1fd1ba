/**
 * Types of the answers below `/api/`. The page in `web/` is compiled against them, and docs/guides/use-the-page.md
 * describes them. Those about decisions are in `review-data.ts`. Text from skills is not escaped here; the page escapes
 * it. Server paths are included only for trusted readers.
 */
import type { Finding, FindingCounts } from '../../skill/finding.ts';
import type { SkillRequests } from '../../skill/runs-code.ts';
import type { AgentsGet, ApprovalData, SignatureData, StandingData } from './review-data.ts';

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
    /** Skills that are not served because of a problem. */
    readonly notServed: number;
  };
  /** Optional features of this server. */
  readonly features: {
    readonly runtimes: boolean;
    readonly templates: boolean;
    readonly review: boolean;
    /** True if a policy serves approved versions only, so that skills wait for a person. */
    readonly approval: boolean;
  };
  /** The environment variable for the token in commands and configurations; absent if the server needs no token. */
  readonly tokenEnv?: string;
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
  /** The person, as an identity provider names them. */
  readonly subject?: { readonly issuer: string; readonly id: string };
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
  /** Identity providers that people can sign in with. */
  readonly providers: readonly { readonly issuer: string; readonly name: string }[];
}

/** `POST /api/session/end`. */
export interface EndedInfo {
  readonly ended: boolean;
  /** The address at which the browser signs out at the identity provider. */
  readonly endSession?: string | undefined;
}

export interface SkillRow extends StandingData {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** The end of the description that says when to use it, such as "Use when asked to release." */
  readonly useWhen?: string;
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

/** Filters of the listing. */
export type FacetId =
  | 'not-served'
  | 'waiting'
  | 'denied'
  | 'disabled'
  | 'approved'
  | 'not-approved'
  | 'verified'
  | 'live'
  | 'scripts'
  | 'tools'
  | 'findings'
  | 'same-name'
  | 'unlisted';

export type SkillOrder = 'name' | 'updated' | 'size';

export interface ListedSkill extends SkillRow {
  /** ISO 8601, UTC: the newest change of a file, if the origin knows it. */
  readonly updated?: string;
  /** How many copies and versions of it this line stands for. */
  readonly similar?: number;
  /** True for a copy or version of the skill above. */
  readonly isSimilar?: true;
}

export interface SkillGroup {
  /** An origin, or the first segment of paths; empty for skills without one. */
  readonly name: string;
  readonly count: number;
}

/** `GET /api/skills?q=&is=&origin=&sort=&group=&open=&offset=&limit=` */
export interface SkillListing {
  /** One page of the lines. */
  readonly skills: readonly ListedSkill[];
  readonly offset: number;
  /** Number of lines with these filters. */
  readonly total: number;
  /** Number of skills with these filters, similar ones included. */
  readonly found: number;
  /** Number of skills without filters. */
  readonly all: number;
  /** For each filter, how many of the skills with this text and origin pass it. */
  readonly facets: Readonly<Record<FacetId, number>>;
  /** In the order of the lines; empty without `group`. */
  readonly groups: readonly SkillGroup[];
  /** With a text: the matches of the search, of which the best are listed, and whether it has read everything. */
  readonly search?: { readonly matches: number; readonly complete: boolean };
  /** On the first page: findings about no served skill, problems first; empty for untrusted readers. */
  readonly findings: readonly Finding[];
  readonly hiddenFindings: number;
  readonly origins: readonly string[];
}

/** `GET /api/findings?level=&q=&offset=&limit=` */
export interface FindingListing {
  /** One page, problems first. */
  readonly findings: readonly Finding[];
  readonly offset: number;
  /** Number of findings with these filters. */
  readonly total: number;
  /** All findings of the server, as `GET /api` and the terminal count them. */
  readonly counts: FindingCounts;
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
  readonly asks: SkillRequests;
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
  /** Absent if the server trusts no signers. */
  readonly signature?: SignatureData;
  /** ISO 8601, UTC: the newest change of a file, or when this version was first seen. */
  readonly updated?: string;
  readonly license?: string;
  /** A web address of the skill: from its own frontmatter, or for trusted readers that of its origin. */
  readonly source?: string;
  /** Set for a live skill of this server, and for a pinned one. */
  readonly pin?: PinData;
  /** Estimated tokens in a model context, at four characters each; absent if unknown. */
  readonly tokens?: { readonly catalog: number; readonly skillMd: number; readonly all: number };
}

/** Whether a live skill is served as a snapshot. */
export interface PinData {
  readonly state: 'live' | 'pinned';
  /** ISO 8601, UTC. */
  readonly pinnedAt?: string;
  /** Absent: until it is unpinned. */
  readonly expiresAt?: string;
  /** True if the live skill now has other content. */
  readonly changed?: boolean;
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
  /** Skills that the policy keeps from readers; `paths` does not contain them. For operators; absent if there are none. */
  readonly hidden?: number;
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
    /** True if it is about an origin that this server does not have. */
    readonly elsewhere?: true;
    /** The object of a record without a URI: "match tools/pdf-*", a trusted file, installed skills. */
    readonly about?: string;
  }[];
  readonly total: number;
  /** Folder of the state, which other servers may share; absent if the reader may not see it, or if it is in memory. */
  readonly state?: string;
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
  /** A link that opens the client with the server filled in. */
  readonly link?: string;
  /** Why there is nothing to paste. */
  readonly instead?: string;
}

/** Placeholder for the MCP address in configurations. */
export const addressPlaceholder = 'https://skillwire.invalid/mcp';

/** `GET /api/try/catalog` and `GET /api/try/load` */
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
      readonly type: 'catalog';
      readonly changed: readonly string[];
      readonly added: readonly string[];
      readonly removed: readonly string[];
    }
  | { readonly type: 'review' }
  | { readonly type: 'runtimes' };

/** On how many servers of a shared store a decision has taken effect. */
export interface ConfirmationData {
  /** True if every server that may be serving has applied it. */
  readonly done: boolean;
  /** Names of servers. */
  readonly confirmed: readonly string[];
  /** `silentMs`: milliseconds since the server was last heard. */
  readonly missing: readonly { readonly id: string; readonly silentMs: number }[];
  /** Why the servers could not be asked. */
  readonly failure?: string;
}
