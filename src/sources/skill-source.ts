/**
 * The port that every origin of skills implements: a folder, memory, a site, another server, a running program. A source
 * lists entries and opens bytes. Digests come from the source; whoever is above checks them. Who asks goes through
 * unchanged in the context. An absent optional method says that the source cannot do that.
 */
import type { MaybePromise } from '../async/maybe-promise.ts';
import type { ErrorCode } from '../errors.ts';
import type { SkillEntry } from '../skill/entry.ts';
import type { Finding } from '../skill/finding.ts';

/** Who asks. Sources that answer everybody alike ignore it. */
export interface SourceContext {
  readonly principal?: Principal;
  /** What the asking MCP client declared, as it declared it. */
  readonly clientCapabilities?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** `open()` gives up above this many bytes, before it decodes them where that can be told. */
  readonly maxBytes?: number;
  /** Ask the origin itself; nothing that was kept from an earlier answer. */
  readonly fresh?: boolean;
}

/** The authenticated caller. `id` is unique for the one who authenticated it. */
export interface Principal {
  readonly id: string;
  readonly scopes?: readonly string[];
}

/** An entry as a source gives it, with facts for the server. */
export interface SourceSkill {
  readonly entry: SkillEntry;
  /** `false`: answered by URI, but not in the listing. */
  readonly listed: boolean;
  /** Other skill paths under which the files can be read, for example the name of the folder. Never listed. */
  readonly aliases?: readonly string[];
  /** Directories of the skill that hold no file, as paths below the skill. */
  readonly emptyDirectories?: readonly string[];
  /** Media types of files whose name does not tell it, by URI. */
  readonly mediaTypes?: Readonly<Record<string, string>>;
  /** How long the entry may be kept, and by whom; where the source knows better than its reader. */
  readonly ttlMs?: number;
  readonly cacheScope?: 'public' | 'private';
  readonly partial?: PartialManifest;
  /** Ids of the gateways that it came through, where its entry does not tell. */
  readonly via?: readonly string[];
  /** Digests of the texts that its files were made from, if an origin promises those and not the files. */
  readonly madeFrom?: readonly string[];
  /** Its files lie on this machine or in memory: opening them asks nobody, so they may be read ahead of need. */
  readonly atHand?: true;
}

/**
 * What is known about the files of a skill that cannot be verified as a whole, because its origin does not tell enough. Its
 * entry says `"dynamic"`; what is known here is checked all the same.
 */
export interface PartialManifest {
  /**
   * `no-size`: digests without sizes, as servers wrote before SEP-2640 was final. `no-digest`: names of files, and digests of
   * some of them at most, as the index of a site has them in v0.1 and drafts of SEP-2640 that of a server.
   */
  readonly reason: 'no-size' | 'no-digest';
  readonly files: readonly { readonly uri: string; readonly digest?: string; readonly size?: number }[];
  /** There may be files beside these: the origin promises some, but does not list all. */
  readonly more?: true;
}

/** An entry of a listing that cannot be used, with every reason. */
export interface RefusedEntry {
  /** As far as they could be read, unchecked. */
  readonly uri?: string;
  readonly name?: string;
  /** Phrases that name the field and the rule. */
  readonly faults: readonly string[];
  /** Of the error, where the entry was readable and its content could not be fetched or does not hold. */
  readonly code?: ErrorCode;
  /** Id of the requirement that is broken, where the source knows it. */
  readonly requirement?: string;
}

/** A part of a listing. */
export interface SourcePage {
  readonly skills: readonly SourceSkill[];
  readonly findings: readonly Finding[];
  readonly refused?: readonly RefusedEntry[];
  /** The form in which the origin told of them, where it has several; that of the last page counts. */
  readonly dialect?: string;
}

/** What an origin says about itself, and how it is spoken to. Nothing in it is proved. */
export interface SourceStatus {
  /** The revision in use, for example `2026-07-28`; absent where there is no such thing. */
  readonly protocolVersion?: string;
  /** The server's own name and version; for display only, never an identity. */
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly instructions?: string;
  /**
   * The form in which a site or a server publishes its skills: `well-known 0.2.0`, `skills-extension`, `fastmcp`. Absent where
   * it is not known yet.
   */
  readonly dialect?: string;
  /** Where the listing really is, after redirects. */
  readonly address?: string;
  /** The one state of the origin that everything comes from: the commit of a repository. */
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

/** Plain resource content: nothing about it is verified and reading it is not loading a skill. */
export interface PlainResource {
  readonly uri: string;
  readonly bytes: Uint8Array;
  readonly mimeType?: string;
}

/** The bytes of a file, with their digest if the source knows it. */
export interface SourceFile {
  readonly bytes: Uint8Array;
  /** Of exactly these bytes. Absent for dynamic skills. */
  readonly digest?: string;
  /** The text that the origin sent, if the file was made from it. */
  readonly madeFrom?: string;
}

/** Skills of one kind that are not listed, because nobody can say how many there are. */
export interface SkillTemplate {
  /** RFC 6570; what it expands to is the URI of a `SKILL.md`. */
  readonly uriTemplate: string;
  readonly name: string;
  readonly description: string;
}

/** What changed, as the new state of what is concerned. */
export interface SourceChange {
  readonly upserted: readonly SourceSkill[];
  /** URIs of skills that are gone. */
  readonly removed: readonly string[];
  /** All findings of the source as they are now. */
  readonly findings: readonly Finding[];
}

/** Where skills come from: it lists entries, gives one, and opens bytes. */
export interface SkillSource {
  /** For messages: the folder, the address, the label. */
  readonly name: string;
  /** All skills, in any order, in pages of the source's choice. */
  list(context: SourceContext): AsyncIterable<SourcePage>;
  /** The entry as it is now (not as it was listed), or undefined where no skill has this `SKILL.md` URI. */
  get(uri: string, context: SourceContext): Promise<SourceSkill | undefined>;
  /** The bytes of a file as they are now, or undefined where there is none. */
  open(uri: string, context: SourceContext): Promise<SourceFile | undefined>;
  /** The direct children of a directory, or undefined where there is none. Absent: the origin has no such call. */
  readDirectory?(uri: string, context: SourceContext): Promise<readonly DirectoryChild[] | undefined>;
  /** Kinds of skills that are answered by URI and never listed. */
  templates?(context: SourceContext): Promise<readonly SkillTemplate[]>;
  /** Any resource of the origin, skill or not, or undefined where there is none. */
  readResource?(uri: string, context: SourceContext): Promise<readonly PlainResource[] | undefined>;
  /** Connects where that is needed. Throws NOT_AUTHORIZED, UNREACHABLE, TIMED_OUT or BAD_ANSWER. */
  status?(context: SourceContext): Promise<SourceStatus>;
  /** True if the file still has the bytes with this digest, as far as can be told without reading it. */
  isCurrent?(uri: string, digest: string): MaybePromise<boolean>;
  /** False where changes are noticed only when something is read or listed. Default: whether there is a `watch`. */
  readonly watched?: boolean;
  /**
   * When what is listed (of one skill where a URI is given) is asked for again, in milliseconds since 1970: nobody should keep it
   * longer. Undefined where nothing is known.
   */
  freshUntil?(uri?: string): number | undefined;
  /** Calls back after each change that the source notices, until the returned function is called. */
  watch?(listener: (change: SourceChange) => void): () => void;
  close?(): Promise<void>;
}
