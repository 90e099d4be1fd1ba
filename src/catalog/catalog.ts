/**
 * A catalog turns a source into truth: it holds the current snapshot, renews it when the source changes, and hands out
 * file bytes only if they have the digest that the snapshot names. A file that was edited meanwhile is not an error: the
 * skill is taken anew from its source, and new entry and new bytes appear together.
 */
import type { MaybePromise } from '../async/maybe-promise.ts';
import type { SkillTemplate, SourceContext } from '../sources/skill-source.ts';
import type { FileRecord, SkillRecord, Snapshot } from './snapshot.ts';

/** A file of the current snapshot with its bytes. */
export interface FileContent {
  readonly file: FileRecord;
  readonly bytes: Uint8Array;
}

/** One new snapshot and how it differs from the one before. URIs are canonical. */
export interface CatalogChange {
  readonly snapshot: Snapshot;
  readonly previous: Snapshot;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** Files that were added, removed or have other bytes. */
  readonly files: readonly string[];
}

/** Who waits. The signal is read only if there is something to wait for. */
export interface Waiting {
  readonly signal?: AbortSignal | undefined;
}

export interface ReadContext extends SourceContext {
  /**
   * Read only if that needs nobody's answer: the bytes were read before, or lie on this machine. Never asks an origin and caches
   * nothing; every other file is FILE_NOT_FOUND, those of dynamic skills among them.
   */
  readonly atHand?: true;
}

/**
 * The skills of a source as immutable snapshots, and the bytes that a snapshot names. `snapshot()` and `read()` give, or throw, at
 * once if nothing has to be waited for.
 */
export interface Catalog {
  /** True where changes of the source arrive by themselves. */
  readonly watched: boolean;
  /** The current snapshot; the first call loads it. */
  snapshot(waiting?: Waiting): MaybePromise<Snapshot>;
  /** Reads the whole source anew. */
  refresh(waiting?: Waiting): Promise<Snapshot>;
  /** The skill with this URI: of the snapshot, else asked of the source (a source need not list all it serves). */
  find(uri: string, context: SourceContext): Promise<SkillRecord | undefined>;
  /** Kinds of skills that are answered by URI and never listed; undefined where the source never has any. */
  templates(context: SourceContext): Promise<readonly SkillTemplate[] | undefined>;
  /** The bytes of a file, as the snapshot names them. */
  read(uri: string, context: ReadContext): MaybePromise<FileContent>;
  /** Calls back with each `SKILL.md` whose bytes were handed out and verified, until the returned function is called. @internal */
  subscribeReads(listener: (content: FileContent) => void): () => void;
  /**
   * When the source is asked again for what is listed, or for one skill, in milliseconds since 1970; undefined if that is unknown.
   *
   * @internal
   */
  freshUntil?(uri?: string): number | undefined;
  /** Calls back after each new snapshot until the returned function is called. */
  subscribe(listener: (change: CatalogChange) => void): () => void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
