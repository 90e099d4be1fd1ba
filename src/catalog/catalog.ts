/**
 * A catalog keeps the current snapshot of a source and renews it when the source changes. It returns only bytes with a digest of the
 * snapshot. A file that was edited meanwhile is not an error. The skill is read again, and the new entry and new bytes appear together.
 */
import type { MaybePromise } from '../async/maybe-promise.ts';
import { type Changes, derive } from '../derive.ts';
import { SkillwireError } from '../errors.ts';
import type { SkillTemplate, SourceContext } from '../sources/skill-source.ts';
import type { FileRecord, SkillRecord, Snapshot } from './snapshot.ts';

/** A file of the current snapshot with its bytes. */
export interface FileContent {
  readonly file: FileRecord;
  readonly bytes: Uint8Array;
}

/** A new snapshot, and how it differs from the previous one. URIs are canonical. */
export interface CatalogChange {
  readonly snapshot: Snapshot;
  readonly previous: Snapshot;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** Files that were added, removed or changed. */
  readonly files: readonly string[];
}

/** The caller that waits. The signal is read only if something must be awaited. */
export interface Waiting {
  readonly signal?: AbortSignal | undefined;
}

export interface ReadContext extends SourceContext {
  /**
   * Read only bytes that were read before or are on this machine. Never queries an origin and caches nothing; any other
   * file is FILE_NOT_FOUND, including those of dynamic skills.
   */
  readonly localOnly?: true;
}

/**
 * The skills of a source as immutable snapshots, and the bytes that a snapshot names. `snapshot()` and `read()` return
 * or throw synchronously if nothing must be awaited.
 */
export interface Catalog {
  /** True if the source reports its changes. */
  readonly watched: boolean;
  /** The current snapshot; the first call loads it. */
  snapshot(waiting?: Waiting): MaybePromise<Snapshot>;
  /** Reads the whole source again. */
  refresh(waiting?: Waiting): Promise<Snapshot>;
  /** The skill with this URI, from the snapshot or else from the source, which may serve unlisted skills. */
  find(uri: string, context: SourceContext): Promise<SkillRecord | undefined>;
  /** Kinds of skills that are served by URI and never listed; `undefined` if the source has none. */
  templates(context: SourceContext): Promise<readonly SkillTemplate[] | undefined>;
  /** The bytes of a file, with the digest of the snapshot. */
  read(uri: string, context: ReadContext): MaybePromise<FileContent>;
  /**
   * Calls back with each `SKILL.md` whose verified bytes were returned, until the returned function is called.
   * @internal
   */
  subscribeReads(listener: (content: FileContent) => void): () => void;
  /**
   * When the source is next queried for its listing, or for one skill, in milliseconds since 1970; `undefined` if
   * unknown.
   *
   * @internal
   */
  freshUntil?(uri?: string): number | undefined;
  /** Calls back after each new snapshot until the returned function is called. */
  subscribe(listener: (change: CatalogChange) => void): () => void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A file that is not served: the same words for every reason, so that they reveal nothing. */
export function fileNotFound(uri: string): SkillwireError {
  return new SkillwireError(
    'FILE_NOT_FOUND',
    `Cannot read "${uri}": no served skill has this file. List the skills to see their files.`,
    {
      data: { uri },
    },
  );
}

/** A file that was replaced during every attempt. */
export function unstable(uri: string): SkillwireError {
  return new SkillwireError('UNSTABLE', `Cannot read "${uri}": it changes faster than it can be read. Try again.`, {
    data: { uri },
  });
}

/** Creates a catalog from a catalog; the decorator says what happens to every member. */
export function deriveCatalog(catalog: Catalog, changes: Omit<Changes<Catalog>, typeof Symbol.asyncDispose>): Catalog {
  const derived: Catalog = derive(() => catalog, { ...changes, [Symbol.asyncDispose]: () => derived.close() });
  return derived;
}
