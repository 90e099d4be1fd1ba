/**
 * What the page needs of others, as ports: the state of reviews, what a host would see, and where skills come from. The page itself
 * knows a catalog, runtimes and plain requests only.
 */
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

/** Where skills come from and how that goes. */
export interface PageOrigins {
  origins(snapshot: Snapshot): Promise<readonly PageOrigin[]>;
  /** The label under which decisions about the skill are kept. */
  labelOf(skill: SkillRecord): string;
  /** What the origin itself calls the skill; decisions are kept under that. Default: as it is served. */
  uriOf?(skill: SkillRecord): string;
  /** For example `folder`. */
  kindOf(label: string): string;
  /** How the origin says what it has, where there are several ways. */
  dialectOf?(label: string): string | undefined;
}

export interface PageStanding extends StandingData {
  readonly approval?: ApprovalData;
}

/** A decision of a person, about exactly what was shown. */
export interface Decision {
  readonly skill: SkillRecord;
  readonly setDigest: string;
  readonly reason: string;
  readonly execution: boolean;
  readonly allowedTools: boolean;
  readonly who: Decider;
}

/** The name of who decides, for the audit; absent where the system's name of whoever runs the server stands for it. */
export interface Decider {
  readonly name?: string;
}

export interface ReasonedDecider extends Decider {
  readonly reason: string;
}

/** Traits that a listing shows; both from the entry alone. */
export interface SkillTraits {
  readonly scripts: number;
  readonly tools: number;
}

/** Decisions about the skills of this server, and what was seen of them. */
export interface PageReview {
  /** Changes whenever any answer below would be another one. */
  stamp(): Promise<string>;
  /** Calls back after the answers below changed, until the returned function is called. */
  subscribe(listener: () => void): () => void;
  /** How every skill of the snapshot stands. */
  standings(snapshot: Snapshot): Promise<(skill: SkillRecord) => PageStanding>;
  /** Of the files as the origin has them, as hosts and `skillwire waiting` compute it. */
  setDigest(skill: SkillRecord): Promise<string | undefined>;
  traits(skill: SkillRecord): SkillTraits;
  /** From the entry and the texts that are given, by URI. */
  asks(skill: SkillRecord, texts: ReadonlyMap<string, string>): SkillAsksData;
  isScript(path: string, text?: string): boolean;
  /** @throws SkillwireError NOT_APPROVED where the skill is no longer what was shown */
  approve(decision: Decision): Promise<void>;
  /** What was approved before stays approved. @throws SkillwireError NOT_APPROVED where the skill is no longer what was shown */
  deny(decision: Decision): Promise<void>;
  /** True if there was something to take back. */
  revoke(skill: SkillRecord, who: ReasonedDecider): Promise<boolean>;
  /** A skill, or an origin by its label. */
  setEnabled(what: SkillRecord | string, enabled: boolean, who: Decider): Promise<void>;
  /** Newest last. */
  versions(skill: SkillRecord): Promise<readonly VersionData[]>;
  /** @throws SkillwireError SKILL_NOT_FOUND for a version that was not seen */
  change(skill: SkillRecord, from: string, to: string): Promise<ChangeData>;
  /** Newest first. `skills` are those that there are now; `only`: nothing but what is about them. */
  audit(most: number, skills: readonly SkillRecord[], only: boolean): Promise<AuditData>;
}

/** Exactly what a host hands to its model. */
export interface PageTrial {
  catalogue(characters: number, shape: 'xml' | 'markdown', signal: AbortSignal): Promise<TrialText>;
  load(uri: string, signal: AbortSignal): Promise<TrialText>;
  /** The configuration of each host for an MCP server at `address`. */
  hosts(address: string): readonly HostConfigData[];
}

export interface RenderedMarkdown {
  readonly html?: string;
  /** Why there is none, in words. */
  readonly plain?: string;
}

/** Renders Markdown of a file to HTML that can do nothing. `base` is the URI of the file, against which links are resolved. */
export type RenderMarkdown = (markdown: string, base: string, signal: AbortSignal) => Promise<RenderedMarkdown>;
