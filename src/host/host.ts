/**
 * The reading side as its users see it. Skills go through one chain of types, `DiscoveredSkill`, `HeldEntry`, `ApprovedEntry`,
 * `VerifiedSkill`, `ModelText`, and the compiler keeps the order: only `verify.ts` makes a `VerifiedSkill`, and only that can be
 * presented to a model. Identity is the pair of the label that the host gave to an origin and the URI; never the name and
 * never what a server calls itself.
 */

import type { ErrorCode } from '../errors.ts';
import type { PolicyRule } from '../policy/policy.ts';
import type { SkillResource } from '../skill/entry.ts';
import type { Finding } from '../skill/finding.ts';
import type { PlainResource, RefusedEntry, SourceStatus } from '../sources/skill-source.ts';
import type { Store } from '../store/store.ts';
import type { Approval, ApprovedEntry, Grants } from './approvals.ts';
import type { HostCache } from './cache-upkeep.ts';
import type { Decide, EntryVerdict, InspectedFile } from './decide.ts';
import type { Collision, DiscoveredSkill, SkillAddress } from './discovered-skill.ts';
import type { HeldEntry } from './hold.ts';
import type { LoadedSkill } from './loaded-skill.ts';
import type { HostOrigin } from './origins.ts';
import type { CatalogText, CatalogTextOptions } from './present/catalog-text.ts';
import type { KnownTexts } from './skill-asks.ts';
import type { SkillChange } from './skill-change.ts';
import type { HostWarning } from './warnings.ts';

export type { CachedFile, HostCache } from './cache-upkeep.ts';
export type { EntryVerdict, InspectedFile } from './decide.ts';
export type { Collision, DiscoveredSkill, SkillAddress } from './discovered-skill.ts';
export type { HostOrigin } from './origins.ts';
export type { HostWarning } from './warnings.ts';

export interface HostOptions {
  readonly origins?: readonly HostOrigin[];
  readonly store: Store;
  /** Asked where no rule of the policy decides. Without it, what is not approved is not loaded. */
  readonly decide?: Decide;
  /** The first rule that matches decides. Local folders are trusted after all of them, unless `trustLocal` is false. */
  readonly policy?: readonly PolicyRule[];
  readonly trustLocal?: boolean;
  /** Bytes of the content cache; what approvals refer to is not counted out. */
  readonly cacheBytes?: number;
  /** Deadline of each call to an origin. */
  readonly timeoutMs?: number;
  /**
   * True: a skill that is approved as stored, and whose `SKILL.md` is cached, loads while its origin cannot be reached. It is
   * held as it was approved. Default false.
   */
  readonly offline?: boolean;
  /** Told once each: a cache that cannot be written, a blob that no longer has its digest. */
  readonly onWarning?: (warning: HostWarning) => void;
}

/** How an origin answered. `empty` is an answer; the others before `ready` are not. */
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

export interface OriginReport {
  readonly label: string;
  readonly local: boolean;
  readonly name: string;
  readonly state: OriginState;
  /** In words, for people; empty where the state is `ready`. */
  readonly message: string;
  /** Of the error, where there was one. */
  readonly code?: ErrorCode;
  readonly status?: SourceStatus;
  readonly skills: number;
  readonly refused: readonly RefusedEntry[];
  readonly findings: readonly Finding[];
}

export interface Discovery {
  readonly skills: readonly DiscoveredSkill[];
  readonly origins: readonly OriginReport[];
  readonly collisions: readonly Collision[];
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface ApproveOptions {
  /** Default `person`. */
  readonly by?: 'person' | 'program';
  /** Default `stored`. */
  readonly remember?: 'stored' | 'process';
  readonly hiddenSeen?: boolean;
}

export interface ApprovalState {
  /** `current`: approved as it is now. `changed`: an approval exists, for other content. */
  readonly state: 'current' | 'changed' | 'none' | 'unverifiable';
  readonly approval?: Approval;
  readonly change?: SkillChange;
}

export interface Host {
  readonly cache: HostCache;

  addOrigin(origin: HostOrigin): void;
  /** Ends it: its skills leave the catalogue at once, open windows on it close, its cached content and approvals are removed. */
  removeOrigin(label: string): Promise<void>;
  origins(): readonly HostOrigin[];

  /** Asks all enabled origins, or those with the `labels`. Reads listings only, never a file. Never throws for an origin that fails: see its report. */
  discover(
    options?: CallOptions & { readonly fresh?: boolean; readonly labels?: readonly string[] },
  ): Promise<Discovery>;
  /** A URI, a full path, a unique name, or `label:` before any of these. @throws AMBIGUOUS_SKILL, SKILL_NOT_FOUND */
  find(reference: string, options?: CallOptions): Promise<DiscoveredSkill>;

  /** The entry as its origin gives it now; works for skills that no listing shows. */
  hold(skill: SkillAddress, options?: CallOptions): Promise<HeldEntry>;
  approvalOf(held: HeldEntry): Promise<ApprovalState>;
  /** What changed since the approval, with text where both sides are known. */
  changeOf(held: HeldEntry, options?: CallOptions & { readonly fetch?: boolean }): Promise<SkillChange | undefined>;
  /**
   * A decision that was taken elsewhere, by a person at a terminal or a page. What cannot be verified is approved for this
   * process only. `hiddenSeen`: the person was shown that the text holds tag or bidirectional characters.
   */
  approve(held: HeldEntry, grants: Grants, reason: string, options?: ApproveOptions): Promise<ApprovedEntry>;
  revoke(skill: SkillAddress, reason: string): Promise<boolean>;
  approvals(): Promise<readonly Approval[]>;
  /** `uri` absent: the whole origin. */
  setEnabled(label: string, uri: string | undefined, enabled: boolean): Promise<void>;

  /**
   * Holds, has it approved, fetches and verifies `SKILL.md`, opens the acting window. An entry that the origin gave a moment ago, and
   * that is good for longer by its own word (`ttlMs`), is held without asking again; `fresh` asks.
   * @throws PolicyError NOT_APPROVED, REFUSED_BY_POLICY, SKILL_DISABLED; VerificationError
   */
  load(reference: string | SkillAddress, options?: CallOptions & { readonly fresh?: boolean }): Promise<LoadedSkill>;
  /** What was loaded and not released, oldest first; also what can no longer be read, because its text is still in a context. */
  actingOn(): readonly LoadedSkill[];
  /**
   * To be called before anything is executed for a model. While remote skills act, each that has no execution grant is asked
   * about, naming it and the command (H-48 to H-50). @throws PolicyError NOT_APPROVED
   */
  allowExecution(command: string, options?: CallOptions): Promise<void>;
  /** Verified bytes for a person's eyes: needs no approval, opens no window, never goes to a model. */
  inspect(skill: SkillAddress, file: string | undefined, options?: CallOptions): Promise<InspectedFile>;
  /** As `inspect`, of an entry that is held already: its origin is not asked for it again. */
  inspectHeld(held: HeldEntry, file: string | undefined, options?: CallOptions): Promise<InspectedFile>;
  /** The same of several files that its entry promises, in their order; a folder is asked for them in one call. */
  inspectListed(
    held: HeldEntry,
    files: readonly SkillResource[],
    options?: CallOptions,
  ): Promise<readonly Uint8Array[]>;
  /** What rules and approvals say about an entry, without asking anybody; `texts` are those of its files that are known. */
  verdictOn(held: HeldEntry, texts?: KnownTexts): Promise<EntryVerdict>;
  /** A plain resource: not a load, whatever it holds (H-26). While skills act, a read on another origin needs approval (H-53). */
  readResource(label: string, uri: string, options?: CallOptions): Promise<readonly PlainResource[]>;

  /** The catalogue for a model: enabled skills only, each with its origin, within a budget. */
  catalogText(options?: CatalogTextOptions & CallOptions): Promise<CatalogText>;

  close(): Promise<void>;
}
