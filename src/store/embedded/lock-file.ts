/**
 * A lock between processes, made only of files. Taking it is one atomic step: a complete claim file is linked to the
 * name `lock`, so the lock always names its holder. The lock is never refreshed. It is stale if its holder is dead.
 *
 * Only the holder of the file `lock.over-T` removes a stale lock with token T. That file is taken in the same way, and
 * its holder first checks again that the lock still has T. So only one of several processes removes a stale lock, and
 * none removes the lock of the next holder. If a process dies during a takeover, others take over its `lock.over-T` in
 * the same way.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { displayText } from '../../skill/display-text.ts';
import { type FileSystem, isAbsent, lstatIfThere, openIfThere, readInto, unlinkIfThere } from './file-system.ts';
import { decodeHolder, encodeHolder, holderState, type LockHolder, newHolder } from './lock-holder.ts';
import { writeAll } from './replace-file.ts';
import { quotePath } from './store-failure.ts';

export interface LockGuard {
  /**
   * Call right before a write becomes visible. @throws STATE_LOCKED if another process has taken the lock after a long
   * hold
   */
  confirm(): Promise<void>;
}

export interface LockHandle extends LockGuard {
  release(): Promise<void>;
}

/** Codes of file systems without hard links. */
const noLinks: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Longer than any description of a holder. */
const holderBytes = 4096;

/** After this time another process may consider the holder dead, so the holder checks the lock before it acts. */
const longHoldMs = limits.store.unknownHolderMs / 2;

/**
 * @param now milliseconds of a monotonic clock
 * @param waitMs how long to wait for another process
 */
export function lockFile(
  files: FileSystem,
  folder: string,
  now: () => number = () => performance.now(),
  waitMs: number = limits.store.lockWaitMs,
) {
  const lockPath = join(folder, 'lock');
  const claimPath = (token: string): string => `${lockPath}.claim-${token}`;
  const rightPath = (token: string): string => `${lockPath}.over-${token}`;
  /** When this process first saw each holder whose state is unknown. */
  const seen = new Map<string, number>();
  /** The lock that could not be released, and own files that could not be removed. Both are retried later. */
  let notReleased: string | undefined;
  const notRemoved = new Set<string>();

  /** Removes a file that only this process uses. A failure does not undo the work that used the file. */
  const drop = async (path: string): Promise<void> => {
    try {
      await unlinkIfThere(files, path);
      notRemoved.delete(path);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      notRemoved.add(path);
    }
  };

  const writeHolder = async (path: string, holder: LockHolder): Promise<void> => {
    const file = await files.open(path, 'creating');
    try {
      try {
        await writeAll(file, encodeHolder(holder), 0);
      } finally {
        await file.close();
      }
    } catch (error) {
      await drop(path);
      throw error;
    }
  };

  const readHolder = async (path: string): Promise<LockHolder | undefined> => {
    const file = await openIfThere(files, path, 'reading');
    if (file === undefined) return undefined;
    try {
      const bytes = new Uint8Array(holderBytes);
      return decodeHolder(bytes.subarray(0, await readInto(file, bytes, 0)));
    } finally {
      await file.close();
    }
  };

  /** Returns `true` to exactly one of several concurrent callers. */
  const createExclusive = async (path: string, own: LockHolder): Promise<boolean> => {
    try {
      await files.link(claimPath(own.token), path);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      if (!noLinks.has(codeOf(error))) throw error;
    }
    try {
      await writeHolder(path, own);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  };

  const isStale = (holder: LockHolder): boolean => {
    if (holder.token === notReleased) return true;
    const state = holderState(holder);
    if (state !== 'unknown') return state === 'dead';
    const since = seen.get(holder.token) ?? now();
    seen.set(holder.token, since);
    return now() - since > limits.store.unknownHolderMs;
  };

  const removeStale = async (path: string, token: string, own: LockHolder, depth: number): Promise<void> => {
    const right = rightPath(token);
    if (!(await takeRight(right, own, depth))) return;
    try {
      if ((await readHolder(path))?.token === token) await files.unlink(path);
    } finally {
      await drop(right);
    }
  };

  const takeRight = async (right: string, own: LockHolder, depth: number): Promise<boolean> => {
    if (await createExclusive(right, own)) return true;
    const other = await readHolder(right);
    if (other === undefined || depth >= limits.store.takeovers || !isStale(other)) return false;
    await removeStale(right, other.token, own, depth + 1);
    return createExclusive(right, own);
  };

  const claimed = async <T>(work: (own: LockHolder) => Promise<T>): Promise<T> => {
    const own = newHolder();
    await writeHolder(claimPath(own.token), own);
    try {
      return await work(own);
    } finally {
      await drop(claimPath(own.token));
    }
  };

  const waitForLock = async (own: LockHolder, signal: AbortSignal | undefined): Promise<void> => {
    const end = now() + waitMs;
    seen.clear();
    for (let longest = 2; ; longest = Math.min(longest * 2, limits.store.lockPauseMs)) {
      if (await createExclusive(lockPath, own)) return;
      const holder = await readHolder(lockPath);
      // A file system that loses the answer to a link call reports our own link as already existing.
      if (holder?.token === own.token) return;
      if (holder !== undefined && isStale(holder)) await removeStale(lockPath, holder.token, own, 0);
      if (now() > end) throw locked(lockPath, holder, waitMs);
      signal?.throwIfAborted();
      await sleep(Math.random() * longest);
    }
  };

  return {
    /** Waits for its turn. @throws STATE_LOCKED naming the holder, or the reason of the signal */
    async take(signal?: AbortSignal): Promise<LockHandle> {
      for (const path of notRemoved) await drop(path);
      const own = await claimed(async (claim) => {
        await waitForLock(claim, signal);
        return claim;
      });
      notReleased = undefined;
      const since = now();
      const isLong = (): boolean => now() - since > longHoldMs;
      return {
        async confirm() {
          if (isLong() && (await readHolder(lockPath))?.token !== own.token) throw lost(lockPath);
        },
        async release() {
          try {
            if (isLong()) await claimed((claim) => removeStale(lockPath, own.token, claim, 0));
            else await files.unlink(lockPath);
          } catch (error) {
            // The work under the lock stays valid. The next take or `end()` releases the lock, or another process once
            // this one has ended.
            if (!isAbsent(error)) notReleased = own.token;
          }
        },
      };
    },

    /** Releases a lock whose release failed before. */
    async end(): Promise<void> {
      const token = notReleased;
      if (token !== undefined) await claimed((own) => removeStale(lockPath, token, own, 0));
      notReleased = undefined;
      for (const path of notRemoved) await drop(path);
    },

    /** Removes the files that dead processes left. Requires the lock. */
    async sweep(): Promise<void> {
      for await (const name of files.names(folder)) {
        if (!/^lock\.(claim|over)-[0-9a-f]{24}$/.test(name)) continue;
        const path = join(folder, name);
        const holder = await readHolder(path);
        if (holder === undefined || !(await isLeftover(path, holder))) continue;
        if (name.startsWith('lock.claim-')) await unlinkIfThere(files, path);
        else await claimed((own) => removeStale(path, holder.token, own, 0));
      }
    },
  };

  async function isLeftover(path: string, holder: LockHolder): Promise<boolean> {
    const state = holderState(holder);
    if (state !== 'unknown') return state === 'dead';
    const facts = await lstatIfThere(files, path);
    // The process ended while it was writing this claim, so the claim names no holder.
    const patience = holder.pid === 0 ? limits.store.unknownHolderMs : limits.store.leftoverMs;
    return facts !== undefined && Date.now() - facts.mtimeMs > patience;
  }
}

export type LockFile = ReturnType<typeof lockFile>;

function locked(path: string, holder: LockHolder | undefined, waitMs: number): SkillwireError {
  const who =
    holder === undefined || holder.pid === 0
      ? 'an unknown process'
      : `process ${holder.pid} on "${displayText(holder.hostName)}"`;
  return new SkillwireError(
    'STATE_LOCKED',
    `Cannot take the lock ${quotePath(path)}: ${who} has had it for more than ${waitMs / 1000} seconds. Stop that process, or remove the file if it no longer runs.`,
    { data: { path, ...(holder !== undefined && { pid: holder.pid, host: holder.hostName }) } },
  );
}

function lost(path: string): SkillwireError {
  return new SkillwireError(
    'STATE_LOCKED',
    `Nothing was written: another process took over the lock ${quotePath(path)} after a long wait. Try again.`,
    { data: { path } },
  );
}
