/**
 * The public interface of the reading side. Skills go through a chain of types: `DiscoveredSkill`, `CapturedEntry`,
 * `ApprovedEntry`, `VerifiedSkill`, `ModelText`. The compiler enforces the order: only `verify.ts` creates a
 * `VerifiedSkill`, and only that can be presented to a model. The identity of a skill is the label of its origin and
 * its URI, never its name or what a server calls itself.
 */

import type { ErrorCode } from '../errors.ts';
import type { PolicyRule } from '../policy/policy.ts';
import type { Finding } from '../skill/finding.ts';
import type { PlainResource, RefusedEntry, SourceStatus } from '../sources/skill-source.ts';
import type { Store } from '../store/store.ts';
import type { Approval, ApprovedEntry, Grants } from './approve/approvals.ts';
import type { Decide, EntryVerdict, InspectedFile } from './approve/decide.ts';
import type { JudgedSignature, SignatureGate } from './approve/signature-gate.ts';
import type { SkillChange } from './approve/skill-change.ts';
import type { KnownTexts } from './approve/skill-requests.ts';
import type { HostCache } from './cache/cache-upkeep.ts';
import type { Collision, DiscoveredSkill, SkillAddress } from './discover/discovered-skill.ts';
import type { HostOrigin } from './discover/origins.ts';
import type { CapturedEntry } from './load/capture.ts';
import type { LoadedSkill } from './load/loaded-skill.ts';
import type { CatalogText, CatalogTextOptions } from './present/catalog-text.ts';
import type { HostWarning } from './warnings.ts';

export type { EntryVerdict, InspectedFile } from './approve/decide.ts';
export type { CachedFile, HostCache } from './cache/cache-upkeep.ts';
export type { Collision, DiscoveredSkill, SkillAddress } from './discover/discovered-skill.ts';
export type { HostOrigin } from './discover/origins.ts';
export type { HostWarning } from './warnings.ts';

/** Options of `createHost()`. */
export interface HostOptions {
  readonly origins?: readonly HostOrigin[];
  readonly store: Store;
  /** Called if no rule of the policy decides. Without it, skills that are not approved are not loaded. */
  readonly decide?: Decide;
  /** The first rule that matches decides. Local folders are trusted after all rules, unless `trustLocal` is false. */
  readonly policy?: readonly PolicyRule[];
  readonly trustLocal?: boolean;
  /** Judges signatures by trusted signers. Without it, signatures are not looked at. */
  readonly signatures?: SignatureGate;
  /** Size of the content cache, not counting what approvals refer to. */
  readonly cacheBytes?: number;
  /** Deadline of each call to an origin. */
  readonly timeoutMs?: number;
  /**
   * If true, a skill with a stored approval and a cached `SKILL.md` loads while its origin is unreachable, as it was
   * approved. Default false.
   */
  readonly offline?: boolean;
  /** Called once for each warning: a cache that cannot be written, a blob that no longer matches its digest. */
  readonly onWarning?: (warning: HostWarning) => void;
}

/** How an origin answered. Only `ready`, `empty`, `all-refused` and `partial` are listings. */
export type OriginState =
  | 'ready'
  | 'empty'
  | 'all-refused'
  | 'partial'
  | 'no-skills-extension'
  | 'no-index'
  | 'not-authorized'
  | 'unreachable'
  | 'failed'
  | 'disabled';

/** How an origin answered, and which entries of its listing are unusable. */
export interface OriginReport {
  readonly label: string;
  readonly local: boolean;
  readonly name: string;
  readonly state: OriginState;
  /** For people; empty if the state is `ready`. */
  readonly message: string;
  /** The code of the error, if there was one. */
  readonly code?: ErrorCode;
  readonly status?: SourceStatus;
  readonly skills: number;
  readonly refused: readonly RefusedEntry[];
  readonly findings: readonly Finding[];
}

/** The listings of all origins: skills, a report for each origin, and shared names. */
export interface Discovery {
  readonly skills: readonly DiscoveredSkill[];
  readonly origins: readonly OriginReport[];
  readonly collisions: readonly Collision[];
}

/** The signal that cancels a call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** How an approval is recorded. */
export interface ApproveOptions {
  /** Default `person`. */
  readonly by?: 'person' | 'program';
  /** Default `stored`. */
  readonly remember?: 'stored' | 'process';
  readonly hiddenSeen?: boolean;
}

/** Whether a captured entry is approved, was approved with other content, or neither. */
export interface ApprovalState {
  /** `current`: this content is approved. `changed`: other content was approved. */
  readonly state: 'current' | 'changed' | 'none' | 'unverifiable';
  readonly approval?: Approval;
  readonly change?: SkillChange;
}

/** The origins of a host, by label. */
export interface HostOrigins {
  list(): readonly HostOrigin[];
  get(label: string): HostOrigin | undefined;
  /** @throws SkillwireError USAGE if another origin has the label */
  add(origin: HostOrigin): void;
  /** Removes its skills from the catalog, closes its windows, and deletes its cached content and approvals. */
  remove(label: string): Promise<void>;
  /** Disables or enables every skill of the origin, for all hosts that share the state. */
  setEnabled(label: string, enabled: boolean): Promise<void>;
}

/** Approvals of skills. An approval is bound to all files and digests of the approved entry. */
export interface HostApprovals {
  list(): Promise<readonly Approval[]>;
  state(captured: CapturedEntry): Promise<ApprovalState>;
  /** The change since the approval, with text if both sides are known. `undefined` if nothing changed. */
  change(
    captured: CapturedEntry,
    options?: CallOptions & { readonly fetch?: boolean },
  ): Promise<SkillChange | undefined>;
  /** The decision of rules and approvals about an entry, without asking. `texts` are the known texts of its files. */
  verdict(captured: CapturedEntry, texts?: KnownTexts): Promise<EntryVerdict>;
  /**
   * Records a decision made elsewhere, by a person at a terminal or a page. An entry that cannot be verified is
   * approved for this process only. `hiddenSeen`: the person was shown that the text has tag or bidirectional
   * characters.
   */
  grant(captured: CapturedEntry, grants: Grants, reason: string, options?: ApproveOptions): Promise<ApprovedEntry>;
  /** The verdict of the reader's signers and rules; `undefined` if there are none. `texts` as in `verdict()`. */
  signature(captured: CapturedEntry, texts?: KnownTexts): Promise<JudgedSignature | undefined>;
  /** False if there was no approval. */
  revoke(skill: SkillAddress, reason: string): Promise<boolean>;
}

/** Skills that a model acts on: loaded and not released. */
export interface HostActing {
  /** Oldest first; includes skills that can no longer be read, because their text is still in a context. */
  list(): readonly LoadedSkill[];
  /**
   * Call it before anything is executed for a model. Each acting remote skill without an execution grant needs an
   * approval that names it and the command (H-48 to H-50). @throws PolicyError NOT_APPROVED
   */
  allowExecution(command: string, options?: CallOptions): Promise<void>;
}

/** Discovers, captures, approves, verifies and presents skills of several origins. */
export interface Host {
  readonly origins: HostOrigins;
  readonly approvals: HostApprovals;
  readonly acting: HostActing;
  readonly cache: HostCache;

  /**
   * Queries all enabled origins, or those with the `labels`. Reads only listings, never a file. Never throws for a
   * failing origin; see its report.
   */
  discover(
    options?: CallOptions & { readonly fresh?: boolean; readonly labels?: readonly string[] },
  ): Promise<Discovery>;
  /** A URI, a full path, a unique name, or `label:` before any of these. @throws AMBIGUOUS_SKILL, SKILL_NOT_FOUND */
  find(reference: string, options?: CallOptions): Promise<DiscoveredSkill>;
  /** The current entry of the origin, also for unlisted skills. */
  capture(skill: SkillAddress, options?: CallOptions): Promise<CapturedEntry>;
  /** Disables or enables one skill, for all hosts that share the state. */
  setEnabled(skill: SkillAddress, enabled: boolean): Promise<void>;

  /**
   * Verified bytes for a person: needs no approval, opens no window, never goes to a model. `file` is a path inside the
   * skill or a URI; default `SKILL.md`. A captured entry is not requested again, and several files of a folder are read
   * in one call.
   */
  inspect(skill: SkillAddress | CapturedEntry, file?: string, options?: CallOptions): Promise<InspectedFile>;
  inspect(
    skill: SkillAddress | CapturedEntry,
    files: readonly string[],
    options?: CallOptions,
  ): Promise<readonly InspectedFile[]>;
  /**
   * Captures the entry, gets it approved, fetches and verifies `SKILL.md`, and opens the acting window. An entry that
   * has not expired (`ttlMs`) is not requested again, unless `fresh` is set.
   *
   * @throws PolicyError NOT_APPROVED, REFUSED_BY_POLICY, SKILL_DISABLED; VerificationError
   */
  load(reference: string | SkillAddress, options?: CallOptions & { readonly fresh?: boolean }): Promise<LoadedSkill>;
  /**
   * The `SKILL.md` of a listed skill if it is on this machine, in a folder or cached. For searching many skills:
   * nothing is requested, fetched or cached. `undefined` also if it no longer has the listed digest.
   */
  peek(skill: DiscoveredSkill, options?: CallOptions): Promise<Uint8Array | undefined>;
  /**
   * A plain resource; never a load, whatever it contains (H-26). While skills act, a read on another origin needs
   * approval (H-53).
   */
  readResource(label: string, uri: string, options?: CallOptions): Promise<readonly PlainResource[]>;

  /** The catalog for a model: enabled skills only, each with its origin, within a budget. */
  catalogText(options?: CatalogTextOptions & CallOptions): Promise<CatalogText>;

  close(): Promise<void>;
}
