/** The ports of the page: decisions, what a host would present, and origins. The page itself only knows a catalog, runtimes and requests. */
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import type {
  ApprovalData,
  AuditData,
  ChangeData,
  HostConfigData,
  PageOrigin,
  SkillAsksData,
  StandingData,
  TrialText,
  VersionData,
} from './page-data.ts';

/** The origins and their health. */
export interface PageOrigins {
  origins(snapshot: Snapshot): Promise<readonly PageOrigin[]>;
  /** The label under which decisions about the skill are stored. */
  labelOf(skill: SkillRecord): string;
  /** The URI of the skill at its origin; decisions are stored under it. Default: the served URI. */
  uriOf?(skill: SkillRecord): string;
  /** For example `folder`. */
  kindOf(label: string): string;
  /** The dialect of the origin. */
  dialectOf?(label: string): string | undefined;
}

export interface PageStanding extends StandingData {
  readonly approval?: ApprovalData;
}

/** A decision of a person about exactly the shown version. */
export interface Decision {
  readonly skill: SkillRecord;
  readonly setDigest: string;
  readonly reason: string;
  readonly execution: boolean;
  readonly allowedTools: boolean;
  readonly who: Decider;
}

/** The person who decides, for the audit. Without a name, the system user of the server is recorded. */
export interface Decider {
  readonly name?: string;
}

export interface ReasonedDecider extends Decider {
  readonly reason: string;
}

/** Traits for a listing, from the entry alone. */
export interface SkillTraits {
  readonly scripts: number;
  readonly tools: number;
}

/** Decisions about the skills of this server, and their versions. */
export interface PageReview {
  /** Changes whenever an answer below changes. */
  stamp(): Promise<string>;
  /** Calls back after the answers below changed, until the returned function is called. */
  subscribe(listener: () => void): () => void;
  /** The state of every skill of the snapshot. */
  standings(snapshot: Snapshot): Promise<(skill: SkillRecord) => PageStanding>;
  /** The set digest of the files at the origin, as hosts and `skillwire waiting` compute it. */
  setDigest(skill: SkillRecord): Promise<string | undefined>;
  traits(skill: SkillRecord): SkillTraits;
  /** From the entry and texts by URI. */
  asks(skill: SkillRecord, texts: ReadonlyMap<string, string>): SkillAsksData;
  isScript(path: string, text?: string): boolean;
  /** @throws SkillwireError NOT_APPROVED if the skill changed since it was shown */
  approve(decision: Decision): Promise<void>;
  /** Earlier approvals stay valid. @throws SkillwireError NOT_APPROVED if the skill changed since it was shown */
  deny(decision: Decision): Promise<void>;
  /** True if there was something to revoke. */
  revoke(skill: SkillRecord, who: ReasonedDecider): Promise<boolean>;
  /** A skill, or an origin by its label. */
  setEnabled(what: SkillRecord | string, enabled: boolean, who: Decider): Promise<void>;
  /** Newest last. */
  versions(skill: SkillRecord): Promise<readonly VersionData[]>;
  /** @throws SkillwireError SKILL_NOT_FOUND for an unknown version */
  change(skill: SkillRecord, from: string, to: string): Promise<ChangeData>;
  /** Newest first. `skills` are the current ones; `only`: just records about them. */
  audit(most: number, skills: readonly SkillRecord[], only: boolean): Promise<AuditData>;
}

/** Exactly what a host presents to its model. */
export interface PageTrial {
  catalogue(characters: number, shape: 'xml' | 'markdown', signal: AbortSignal): Promise<TrialText>;
  load(uri: string, signal: AbortSignal): Promise<TrialText>;
  /** The configuration of each client for an MCP server at `address`. */
  hosts(address: string): readonly HostConfigData[];
}

export interface RenderedMarkdown {
  readonly html?: string;
  /** Why there is no HTML. */
  readonly plain?: string;
}

/** Renders Markdown to inert HTML. `base` is the URI of the file, for relative links. */
export type RenderMarkdown = (markdown: string, base: string, signal: AbortSignal) => Promise<RenderedMarkdown>;
