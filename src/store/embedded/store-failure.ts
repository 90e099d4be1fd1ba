/**
 * Describes disk failures so that a person can fix them. Every failed call becomes STATE_UNUSABLE with the path, the
 * code of the system and a remedy.
 */
import { codeOf, SkillwireError, systemAdvice } from '../../errors.ts';
import { displayText } from '../../skill/display-text.ts';
import type { FileSystem, OpenFile } from './file-system.ts';

const advice: Readonly<Record<string, string>> = {
  ...systemAdvice,
  EROFS: 'the file system is read-only; choose another folder with SKILLWIRE_HOME',
  EACCES: 'permission denied; make the folder writable for you, or choose another with SKILLWIRE_HOME',
  EPERM: 'the operation is not permitted; use a folder that you own, or choose another with SKILLWIRE_HOME',
  ELOOP: 'found a symbolic link instead of a file; remove it',
  EISDIR: 'found a folder instead of a file; move it away',
  ENOTDIR: 'found a file instead of a folder; move it away',
};

/** @param action the action that failed, for example `write the state` */
export function storeFailure(action: string, error: unknown): unknown {
  const code = codeOf(error);
  if (error instanceof SkillwireError || code === undefined) return error;
  const path = (error as NodeJS.ErrnoException).path;
  const where = path === undefined ? '' : ` at ${quotePath(path)}`;
  return new SkillwireError(
    'STATE_UNUSABLE',
    `cannot ${action}${where}: ${advice[code] ?? 'the call failed'} (${code})`,
    {
      data: { errno: code, ...(path !== undefined && { path }) },
      cause: error,
    },
  );
}

/** Runs a step of the store and converts its errors with `storeFailure()`. */
export async function named<T>(action: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw storeFailure(action, error);
  }
}

export function unusable(message: string, path: string): SkillwireError {
  return new SkillwireError('STATE_UNUSABLE', message, { data: { path } });
}

/** Paths are shown in full: their end identifies the file. */
export function quotePath(path: string): string {
  return `"${displayText(path)}"`;
}

function withPath(error: unknown, path: string): unknown {
  if (codeOf(error) !== undefined) (error as NodeJS.ErrnoException).path = path;
  return error;
}

/** The same file system, with the path in every failure, also in those of open files. */
export function withPaths(files: FileSystem): FileSystem {
  const withPathOf = async <T>(path: string, call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      throw withPath(error, path);
    }
  };
  return {
    open: async (path, purpose, mode) => {
      const file = await withPathOf(path, () => files.open(path, purpose, mode));
      const named: OpenFile = {
        stat: () => withPathOf(path, () => file.stat()),
        read: (into, position) => withPathOf(path, () => file.read(into, position)),
        write: (bytes, position) => withPathOf(path, () => file.write(bytes, position)),
        truncate: (size) => withPathOf(path, () => file.truncate(size)),
        sync: () => withPathOf(path, () => file.sync()),
        close: () => withPathOf(path, () => file.close()),
      };
      return named;
    },
    stat: (path) => withPathOf(path, () => files.stat(path)),
    lstat: (path) => withPathOf(path, () => files.lstat(path)),
    // After a failure the caller reads as usual, which fails with the path.
    stampNow: (path) => files.stampNow(path),
    isThere: (path) => withPathOf(path, () => files.isThere(path)),
    realpath: (path) => withPathOf(path, () => files.realpath(path)),
    mkdir: (path, mode) => withPathOf(path, () => files.mkdir(path, mode)),
    chmod: (path, mode) => withPathOf(path, () => files.chmod(path, mode)),
    rename: (from, to) => withPathOf(to, () => files.rename(from, to)),
    link: (from, to) => withPathOf(to, () => files.link(from, to)),
    unlink: (path) => withPathOf(path, () => files.unlink(path)),
    async *names(path) {
      try {
        yield* files.names(path);
      } catch (error) {
        throw withPath(error, path);
      }
    },
    touch: (path, atMs) => withPathOf(path, () => files.touch(path, atMs)),
    syncFolder: (path) => withPathOf(path, () => files.syncFolder(path)),
  };
}

/** Stored data that differs from what was written. It never counts, and it is always reported. */

export interface Corruption {
  readonly file: string;
  /** The line of a journal, from 1. */
  readonly line?: number;
  readonly reason: string;
  /** The path of the copy of the damaged file. */
  readonly copy?: string;
}

export type CorruptionListener = (found: Corruption) => void;

/** The default listener. */
export function warnOfCorruption({ file, line, reason, copy }: Corruption): void {
  const place = line === undefined ? `"${file}"` : `"${file}", line ${line}`;
  process.emitWarning(`${place}: ${reason}${copy === undefined ? '' : ` (kept as "${copy}")`}`, 'SkillwireWarning');
}
