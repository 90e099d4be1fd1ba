/**
 * The port that every origin of skills implements: a folder, memory, a site, another server, a running program. A
 * source lists entries and opens bytes. Digests come from the source; callers verify them. The caller's identity passes
 * through unchanged in the context. A source without an optional method cannot do that.
 */
import type { MaybePromise } from '../async/maybe-promise.ts';
import { type Changes, derive } from '../derive.ts';
import type { ErrorCode } from '../errors.ts';
import { withMembers } from '../skill/checked-options.ts';
import type { SkillEntry } from '../skill/entry.ts';
import type { Finding } from '../skill/finding.ts';

/** The caller. Sources that answer every caller alike ignore it. */
export interface SourceContext {
  readonly principal?: Principal;
  /** The capabilities of the calling MCP client, exactly as it declared them. */
  readonly clientCapabilities?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** `open()` rejects above this many bytes, before decoding them if possible. */
  readonly maxBytes?: number;
  /** Query the origin itself, never a cache. */
  readonly fresh?: boolean;
}

/** The authenticated caller. `id` is unique within its issuer. */
export interface Principal {
  readonly id: string;
  readonly scopes?: readonly string[];
}

/** An entry from a source, with facts for the server. */
export interface SourceSkill {
  readonly entry: SkillEntry;
  /** If false, the skill is served by URI but not listed. */
  readonly listed: boolean;
  /** Other paths that serve the same files, such as the folder name. Never listed. */
  readonly aliases?: readonly string[];
  /** It is in a folder of an agent (`.claude/skills`), which servers publish only on request. */
  readonly inAgentFolder?: true;
  /** Directories of the skill without files, as paths below the skill. */
  readonly emptyDirectories?: readonly string[];
  /** Media types by URI, for files whose name does not imply one. */
  readonly mediaTypes?: Readonly<Record<string, string>>;
  /** How long, and by whom, the entry may be cached, if the source knows better than its reader. */
  readonly ttlMs?: number;
  readonly cacheScope?: 'public' | 'private';
  readonly partial?: PartialManifest;
  /** Ids of the gateways that it passed through, if its entry does not carry them. */
  readonly via?: readonly string[];
  /** Digests of the texts that its files were made from, if an origin promises those and not the files. */
  readonly madeFrom?: readonly string[];
  /** Its files are on this machine or in memory. Opening them needs no request, so they may be read ahead of need. */
  readonly isLocal?: true;
  /** The newest change of a file, in milliseconds since 1970, if the origin knows it. */
  readonly updatedMs?: number;
}

/**
 * The known files of a skill that cannot be verified as a whole, because its origin reveals too little. Its entry says
 * `"dynamic"`; known digests and sizes are still checked.
 */
export interface PartialManifest {
  /**
   * - `no-size`: digests without sizes, as servers wrote before SEP-2640 was final.
   * - `no-digest`: file names with few or no digests, as in a v0.1 site index and in drafts of SEP-2640.
   */
  readonly reason: 'no-size' | 'no-digest';
  readonly files: readonly { readonly uri: string; readonly digest?: string; readonly size?: number }[];
  /** The list may be incomplete: the origin promises some files, but does not list all. */
  readonly more?: true;
}

/** A listed entry that cannot be used, with every reason. */
export interface RefusedEntry {
  /** Unchecked, if readable. */
  readonly uri?: string;
  readonly name?: string;
  /** Phrases that name the field and the rule. */
  readonly faults: readonly string[];
  /** The error's code, if the entry was readable but its content could not be fetched or failed verification. */
  readonly code?: ErrorCode;
  /** Id of the violated requirement, if the source knows it. */
  readonly requirement?: string;
}

/** One page of a listing. */
export interface SourcePage {
  readonly skills: readonly SourceSkill[];
  readonly findings: readonly Finding[];
  readonly refused?: readonly RefusedEntry[];
  /** The dialect of the origin, if it has several. The last page decides. */
  readonly dialect?: string;
}

/** The declarations of an origin about itself, and how to reach it. None of it is proved. */
export interface SourceStatus {
  /** The protocol revision in use, such as `2026-07-28`; absent if there is none. */
  readonly protocolVersion?: string;
  /** The server's own name and version, for display only, never an identity. */
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly instructions?: string;
  /**
   * The dialect in which a site or server publishes its skills: `well-known 0.2.0`, `skills-extension`, `fastmcp`.
   * Absent while unknown.
   */
  readonly dialect?: string;
  /** The listing's address, after redirects. */
  readonly address?: string;
  /** The state of the origin that all content comes from, such as the commit of a repository. */
  readonly revision?: string;
  /** Whether the origin declares that it serves skills, and directories of them. */
  readonly skills: boolean;
  readonly directoryRead: boolean;
}

/** A direct child in a directory of an origin. */
export interface DirectoryChild {
  readonly uri: string;
  readonly name: string;
  readonly directory: boolean;
}

/** Plain resource content. It is not verified, and reading it does not load a skill. */
export interface PlainResource {
  readonly uri: string;
  readonly bytes: Uint8Array;
  readonly mimeType?: string;
}

/** The bytes of a file, with their digest if the source knows it. */
export interface SourceFile {
  readonly bytes: Uint8Array;
  /** The digest of exactly these bytes. Absent for dynamic skills. */
  readonly digest?: string;
  /** The text that the origin sent, if the file was made from it. */
  readonly madeFrom?: string;
}

/** A family of skills that is not listed, because their number is unknown. */
export interface SkillTemplate {
  /** RFC 6570. It expands to the URI of a `SKILL.md`. */
  readonly uriTemplate: string;
  readonly name: string;
  readonly description: string;
}

/** A change, as the new state of the affected skills. */
export interface SourceChange {
  readonly upserted: readonly SourceSkill[];
  /** URIs of removed skills. */
  readonly removed: readonly string[];
  /** All current findings of the source. */
  readonly findings: readonly Finding[];
}

/** A source of skills: lists entries, returns one, and opens bytes. */
export interface SkillSource {
  /** The folder, address or label, for messages. */
  readonly name: string;
  /** Yields all skills, in any order, in pages of the source's choice. */
  list(context: SourceContext): AsyncIterable<SourcePage>;
  /** The current entry (not the listed one); `undefined` if no skill has this `SKILL.md` URI. */
  get(uri: string, context: SourceContext): Promise<SourceSkill | undefined>;
  /** The current bytes of a file; `undefined` if there is no such file. */
  open(uri: string, context: SourceContext): Promise<SourceFile | undefined>;
  /** The direct children of a directory; `undefined` if there is none. Absent if the origin has no such call. */
  readDirectory?(uri: string, context: SourceContext): Promise<readonly DirectoryChild[] | undefined>;
  /** Families of skills that are served by URI and never listed. */
  templates?(context: SourceContext): Promise<readonly SkillTemplate[]>;
  /**
   * URIs that the origin's own search finds, best first; they need not be listed. `undefined` if it offers no search.
   */
  search?(query: string, limit: number, context: SourceContext): Promise<readonly string[] | undefined>;
  /** Any resource of the origin, skill or not; `undefined` if there is none. */
  readResource?(uri: string, context: SourceContext): Promise<readonly PlainResource[] | undefined>;
  /** Connects if needed. Throws NOT_AUTHORIZED, UNREACHABLE, TIMED_OUT or BAD_ANSWER. */
  status?(context: SourceContext): Promise<SourceStatus>;
  /** True if the file still has the bytes with this digest, as far as is known without reading it. */
  isCurrent?(uri: string, digest: string): MaybePromise<boolean>;
  /** False if changes are noticed only on reading or listing. Default: whether there is a `watch`. */
  readonly watched?: boolean;
  /**
   * When the listing, or one skill of it, must be requested again, in milliseconds since 1970. `undefined` if unknown.
   */
  freshUntil?(uri?: string): number | undefined;
  /** Calls the listener after each change that the source notices, until the returned function is called. */
  watch?(listener: (change: SourceChange) => void): () => void;
  close?(): Promise<void>;
}

export const skillSource = withMembers<SkillSource>(
  'a source, such as directorySource("./skills")',
  'list',
  'get',
  'open',
);

/**
 * Makes a source from a source. Decorators must decide about every member of the port.
 *
 * @param source the source, or a function that returns the current one
 */
export function deriveSource(source: SkillSource | (() => SkillSource), changes: Changes<SkillSource>): SkillSource {
  return derive(typeof source === 'function' ? source : () => source, changes);
}
