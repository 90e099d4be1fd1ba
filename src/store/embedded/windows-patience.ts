/**
 * Windows refuses to rename over, or to remove, a file that is read-only or that a virus scanner holds open. Both pass: the mark
 * is taken off, and the call is tried again for a bounded time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../limits.ts';
import { codeOf, type FileSystem } from './file-system.ts';

const passing: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY']);

export function withWindowsPatience(files: FileSystem): FileSystem {
  const patiently = async (target: string, call: () => Promise<void>): Promise<void> => {
    const end = performance.now() + limits.store.renameMs;
    for (let pause = 10; ; pause = Math.min(pause * 2, 200)) {
      try {
        return await call();
      } catch (error) {
        if (!passing.has(codeOf(error)) || performance.now() + pause > end) throw error;
      }
      await makeWritable(target);
      await sleep(pause);
    }
  };
  const makeWritable = async (path: string): Promise<void> => {
    try {
      if ((await files.lstat(path)).kind === 'file') await files.chmod(path, 0o666);
    } catch (error) {
      const code = codeOf(error);
      if (code !== 'ENOENT' && !passing.has(code)) throw error;
    }
  };
  return {
    ...files,
    rename: (from, to) => patiently(to, () => files.rename(from, to)),
    unlink: (path) => patiently(path, () => files.unlink(path)),
  };
}
