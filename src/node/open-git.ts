/**
 * A Git repository as an origin of this machine: kept in the cache of the user, where processes that read the same one take turns. A
 * turn lasts as long as a fetch, so who waits is patient, and can be interrupted.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { limits } from '../limits.ts';
import { gitSource } from '../sources/git/git-source.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { nodeFileSystem } from '../store/embedded/file-system.ts';
import { lockFile } from '../store/embedded/lock-file.ts';
import { makeFolder } from '../store/embedded/private-folder.ts';
import { stateFolders } from './state-folders.ts';

export interface OpenGitOptions {
  readonly repository: string;
  readonly ref?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
}

export function openGit({ repository, ref, env, timeoutMs }: OpenGitOptions): SkillSource {
  const { cache } = stateFolders({ env, home: homedir(), platform: process.platform });
  return gitSource({
    repository,
    cacheFolder: join(cache, 'git'),
    env,
    exclusive,
    ...(ref === undefined ? {} : { ref }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

async function exclusive<T>(repository: string, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const folder = `${repository}.turns`;
  await makeFolder(nodeFileSystem, folder);
  const lock = lockFile(nodeFileSystem, folder, undefined, limits.git.turnMs);
  const taken = await lock.take(signal);
  try {
    await lock.sweep();
    return await work();
  } finally {
    await taken.release();
    await lock.end();
  }
}
