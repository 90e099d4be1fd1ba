/** Lists the branches and tags of a repository, by the same rules as a fetch. */
import { mkdir } from 'node:fs/promises';
import { SkillwireError } from '../../errors.ts';
import type { GitSourceOptions } from './git-source.ts';
import { repositoryRoutes } from './repository-route.ts';
import { type GitAccess, runGit } from './run-git.ts';

export interface RemoteRef {
  readonly kind: 'branch' | 'tag';
  readonly name: string;
}

export async function listRefs(
  options: Pick<GitSourceOptions, 'repository' | 'cacheFolder' | 'env' | 'credentials' | 'addresses' | 'timeoutMs'>,
  signal?: AbortSignal,
): Promise<readonly RemoteRef[]> {
  const { repository, cacheFolder, env, credentials = 'user', addresses = {}, timeoutMs } = options;
  await mkdir(cacheFolder, { recursive: true, mode: 0o700 });
  const git = async (args: readonly string[], access: GitAccess): Promise<string> => {
    const run = { args, access, env, cwd: cacheFolder, shown: repository, signal };
    return new TextDecoder().decode(await runGit(timeoutMs === undefined ? run : { ...run, timeoutMs })).trim();
  };
  const routes = repositoryRoutes({
    repository,
    credentials,
    addresses,
    env,
    git: async (args, access) => {
      try {
        return await git(args, access);
      } catch (error) {
        if (error instanceof SkillwireError && error.data['exit'] === 1) return undefined;
        throw error;
      }
    },
  });
  try {
    const named = await routes.named(signal);
    const list = (where: string, access: GitAccess): Promise<string> =>
      git(['ls-remote', '--quiet', '--heads', '--tags', '--refs', where], access);
    try {
      return refsIn(await list(named.repository, named.access));
    } catch (error) {
      if (!(error instanceof SkillwireError) || error.data['redirected'] !== true) throw error;
      const moved = await named.redirected(signal);
      return refsIn(await list(moved.repository, moved.access));
    }
  } finally {
    routes.close();
  }
}

function refsIn(listing: string): readonly RemoteRef[] {
  return listing.split('\n').flatMap((line): RemoteRef[] => {
    const [, kind, name = ''] = /^[0-9a-f]+\trefs\/(heads|tags)\/(.+)$/.exec(line) ?? [];
    return kind === undefined ? [] : [{ kind: kind === 'heads' ? 'branch' : 'tag', name }];
  });
}
