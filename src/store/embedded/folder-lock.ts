/**
 * Allows one writer at a time in a folder, across all processes. Callers in one process queue and share a lock for a
 * short turn, then let other processes take theirs.
 */
import { join } from 'node:path';
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { FileSystem } from './file-system.ts';
import { type LockFile, type LockGuard, type LockHandle, lockFile } from './lock-file.ts';
import { makeFolder } from './private-folder.ts';
import { temporaryName } from './replace-file.ts';
import { quotePath } from './store-failure.ts';

interface Waiting {
  run(guard: LockGuard): Promise<void>;
  refuse(error: unknown): void;
}

export function folderLock(files: FileSystem, folder: string) {
  const lock: LockFile = lockFile(files, folder);
  const queue: Waiting[] = [];
  let turns: Promise<void> | undefined;
  let swept = false;

  const take = async (): Promise<LockHandle> => {
    await makeFolder(files, folder);
    const handle = await lock.take();
    try {
      if (!swept) await sweep();
      swept = true;
    } catch (error) {
      await handle.release();
      throw error;
    }
    return handle;
  };

  /** Temporary files are written only under the lock, so every one that a new holder finds is a leftover. */
  const sweep = async (): Promise<void> => {
    for await (const name of files.names(folder)) if (temporaryName.test(name)) await files.unlink(join(folder, name));
    await lock.sweep();
  };

  const takeTurns = async (): Promise<void> => {
    while (queue.length > 0) {
      let handle: LockHandle;
      try {
        handle = await take();
      } catch (error) {
        for (const waiting of queue.splice(0)) waiting.refuse(error);
        return;
      }
      const end = performance.now() + limits.store.lockTurnMs;
      do {
        await queue.shift()?.run(handle);
        // A caller that writes again right after its last write keeps the turn.
        if (queue.length === 0) await immediate();
      } while (queue.length > 0 && performance.now() < end);
      const others = queue.length > 0;
      await handle.release();
      if (others) await sleep(Math.random() * limits.store.lockPauseMs);
    }
  };

  const start = (): void => {
    turns ??= takeTurns().finally(() => {
      turns = undefined;
      if (queue.length > 0) start();
    });
  };

  return {
    /** Runs the work while nobody else writes in the folder. Creates the folder if it is missing. */
    run<T>(work: (guard: LockGuard) => Promise<T>): Promise<T> {
      if (queue.length >= limits.store.waiting) {
        return Promise.reject(
          new SkillwireError(
            'STATE_LOCKED',
            `Cannot write in ${quotePath(folder)}: ${limits.store.waiting} writes of this process are waiting already. Await some of them first.`,
            { data: { path: folder } },
          ),
        );
      }
      return new Promise<T>((resolve, reject) => {
        queue.push({ run: (guard) => work(guard).then(resolve, reject), refuse: reject });
        start();
      });
    },
    /** Waits until all work has finished. */
    async end(): Promise<void> {
      while (turns !== undefined) await turns;
      await lock.end();
    },
  };
}

export type FolderLock = ReturnType<typeof folderLock>;
