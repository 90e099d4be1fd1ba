/** The ports of the page: decisions, what a host would present, and origins. The page itself only knows a catalog, runtimes and requests. */

import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import type { SkillRequests } from '../../skill/runs-code.ts';
import type { AuditData, ConfirmationData, HostConfigData, PageOrigin, PinData, TrialText } from './page-data.ts';
import type { ApprovalData, ChangeData, QueueRow, SignatureData, StandingData, VersionData } from './review-data.ts';

/** The origins and their health. */
export interface PageOrigins {
  origins(snapshot: Snapshot): Promise<readonly PageOrigin[]>;
  /** The label under which decisions about the skill are stored. */
  labelOf(skill: SkillRecord): string;
  /** The URI of the skill at its origin; decisions are stored under it. Default: the served URI. */
  uriOf?(skill: SkillRecord): string;
  /** For example `folder`. */
  kindOf(label: string): string;
  /** A page about the origin for people; `undefined` if it has none. */
  webAddressOf?(label: string): string | undefined;
  /** The dialect of the origin. */
  dialectOf?(label: string): string | undefined;
}

export interface PageStanding extends StandingData {
  readonly approval?: ApprovalData;
}

/** A decision of a person about exactly the shown version. */
export interface VersionDecision {
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
  /** The person, as an identity provider names them. */
  readonly subject?: { readonly issuer: string; readonly id: string };
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
  /** True if a policy serves approved versions only. */
  asksApproval(): boolean;
  /** Calls back after the answers below changed, until the returned function is called. */
  subscribe(listener: () => void): () => void;
  /** The state of every skill of the snapshot. */
  standings(snapshot: Snapshot): Promise<(skill: SkillRecord) => PageStanding>;
  /** How many files differ from the approved version; `undefined` if no other version is approved. */
  changeSize(skill: SkillRecord): QueueRow['change'];
  /** The set digest of the files at the origin, as hosts and `skillwire waiting` compute it. */
  setDigest(skill: SkillRecord): Promise<string | undefined>;
  /** The verdict about its signature; `undefined` if no signers are trusted. */
  signature(skill: SkillRecord): SignatureData | undefined;
  traits(skill: SkillRecord): SkillTraits;
  /** From the entry and texts by URI. */
  asks(skill: SkillRecord, texts: ReadonlyMap<string, string>): SkillRequests;
  isScript(path: string, text?: string): boolean;
  /** @throws SkillwireError NOT_APPROVED if the skill changed since it was shown */
  approve(decision: VersionDecision): Promise<void>;
  /**
   * Verifies the version and stores its files. The returned function records the approval.
   *
   * @throws SkillwireError NOT_APPROVED if the skill changed since it was shown
   */
  prepareApproval(decision: VersionDecision): Promise<() => Promise<void>>;
  /** Earlier approvals stay valid. @throws SkillwireError NOT_APPROVED if the skill changed since it was shown */
  deny(decision: VersionDecision): Promise<void>;
  /** True if there was something to revoke. */
  revoke(skill: SkillRecord, who: ReasonedDecider): Promise<boolean>;
  /** A skill, or an origin by its label. */
  setEnabled(what: SkillRecord | string, enabled: boolean, who: Decider): Promise<void>;
  /** Waits for a moment until every server of a shared store has applied the last decision. `undefined` for one machine. */
  confirmation(): Promise<ConfirmationData | undefined>;
  /** Newest last. */
  versions(skill: SkillRecord): Promise<readonly VersionData[]>;
  /** @throws SkillwireError SKILL_NOT_FOUND for an unknown version */
  change(skill: SkillRecord, from: string, to: string): Promise<ChangeData>;
  /** Newest first. `skills` are the current ones; `only`: just records about them. */
  audit(most: number, about: { readonly skills: readonly SkillRecord[]; readonly only: boolean }): Promise<AuditData>;
}

/** Live skills of this server that can be served as a snapshot. */
export interface PagePins {
  /** `undefined` if the skill is not live here. */
  pinOf(skill: SkillRecord): PinData | undefined;
  /**
   * Serves the current content as a snapshot.
   * @param span how long, such as `30d`; absent: until it is unpinned
   * @returns files that could not be read
   */
  pin(
    skill: SkillRecord,
    span: string | undefined,
    who: ReasonedDecider,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** False if it was not pinned. */
  unpin(skill: SkillRecord, who: ReasonedDecider): Promise<boolean>;
}

/** Hits of the search that agents have, best first, by URI. */
export interface PageHits {
  readonly hits: readonly {
    readonly uri: string;
    readonly copies: readonly string[];
    readonly twins: readonly string[];
  }[];
  readonly total: number;
  /** False while texts are still being read. */
  readonly complete: boolean;
}

/** Searches what agents get; for trusted readers, also waiting skills. */
export type PageSearch = (
  query: string,
  options: { readonly trusted: boolean; readonly signal: AbortSignal },
) => Promise<PageHits>;

/** Exactly what a host presents to its model. */
export interface PageTrial {
  catalog(characters: number, shape: 'xml' | 'markdown', signal: AbortSignal): Promise<TrialText>;
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
