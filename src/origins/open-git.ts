/**
 * A Git repository as an origin on this machine: stored in the user's cache, where processes that read the same one take turns. A turn
 * lasts as long as a fetch, so the wait is long and can be aborted.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { limits } from '../limits.ts';
import { isLoopbackHost } from '../outbound/address-rules.ts';
import { type GitSourceOptions, gitSource } from '../sources/git/git-source.ts';
import { listRefs, type RemoteRef } from '../sources/git/list-refs.ts';
import { repositoryAddress } from '../sources/git/repository-route.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { nodeFileSystem } from '../store/embedded/file-system.ts';
import { lockFile } from '../store/embedded/lock-file.ts';
import { makeFolder } from '../store/embedded/private-folder.ts';
import { stateFolders } from '../store/embedded/state-folders.ts';

export interface OpenGitOptions
  extends Pick<
    GitSourceOptions,
    'repository' | 'ref' | 'path' | 'env' | 'timeoutMs' | 'credentials' | 'agentFolders' | 'publish'
  > {
  /** Whether the repository's host may be this machine or in a private network. Default true: the user named it. */
  readonly privateHost?: boolean;
}

export function openGit(options: OpenGitOptions): SkillSource {
  return gitSource(onThisMachine(options));
}

/** The branches and tags of a repository that the user named. */
export function refsOf(repository: string, signal?: AbortSignal): Promise<readonly RemoteRef[]> {
  return listRefs(onThisMachine({ repository, env: process.env }), signal);
}

function onThisMachine({ env, privateHost = true, ...options }: OpenGitOptions): GitSourceOptions {
  const { cache } = stateFolders({ env, home: homedir(), platform: process.platform });
  const address = repositoryAddress(options.repository);
  const host = address === undefined || address.kind === 'local' ? undefined : address.host;
  return {
    ...options,
    cacheFolder: join(cache, 'git'),
    env,
    exclusive,
    addresses: {
      ...(host === undefined || !privateHost ? {} : { trustedHost: host }),
      // The user allowed an `http:` address of another machine, or it would not have been parsed.
      insecureHttp: address?.kind === 'http' && address.url.protocol === 'http:' && !isLoopbackHost(address.host),
    },
  };
}

async function exclusive<T>(repository: string, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const folder = `${repository}.turns`;
  await makeFolder(nodeFileSystem, folder);
  const lock = lockFile(nodeFileSystem, folder, undefined, limits.git.turnMs);
  const handle = await lock.take(signal);
  try {
    await lock.sweep();
    return await work();
  } finally {
    await handle.release();
    await lock.end();
  }
}
