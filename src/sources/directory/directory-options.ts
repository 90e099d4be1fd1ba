/** Options of `directorySource()`, and their check. */
import { callback, checkArgument, checkOptions, count, either, flag, text } from '../../skill/checked-options.ts';
import { type DirectoryRoot, namedFolders } from './directory-root.ts';
import type { OnRead } from './file-facts.ts';

/** Options of `directorySource()`. */
export interface DirectoryOptions {
  /** If false, changes are noticed only when a file is read. Default true. */
  readonly watch?: boolean;
  /** Most folders to watch; above it, or above the limit of the system, the source polls. */
  readonly maxWatchers?: number;
  /**
   * The folder that caches scan results for the next start, or false for none. Default: the user's cache folder
   * (`SKILLWIRE_HOME`, else that of the system).
   */
  readonly cache?: boolean | string;
  /**
   * Receives the bytes that listing reads, for callers that need every file anyway. Files known to the cache are not
   * read.
   */
  readonly onRead?: OnRead;
}

const folderNames = either(text, namedFolders);

/** @throws SkillwireError USAGE */
export function checkDirectoryCall(
  folders: string | readonly (string | DirectoryRoot)[],
  options: DirectoryOptions,
): void {
  checkArgument('directorySource()', 'folders', folders, folderNames);
  checkOptions('directorySource()', options, {
    watch: flag,
    maxWatchers: count,
    cache: either(flag, text),
    onRead: callback(),
  });
}
