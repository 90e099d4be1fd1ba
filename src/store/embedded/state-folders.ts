/**
 * The folders of the user's state and cache: in `SKILLWIRE_HOME`, else in the XDG folders, else in the platform's
 * default folders. The state must not be lost; the cache may be deleted at any time. Neither is in a folder that agents
 * search for skills.
 */
import { isAbsolute, join, resolve } from 'node:path';

export interface StateFolderOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: string;
  /** A folder for both state and cache, from `--state`; takes precedence over `SKILLWIRE_HOME`. */
  readonly state?: string | undefined;
}

export interface StateFolders {
  readonly state: string;
  readonly cache: string;
}

export function stateFolders({ env, home, platform, state: chosen }: StateFolderOptions): StateFolders {
  const own = chosen ?? env.SKILLWIRE_HOME ?? '';
  if (own !== '') return { state: resolve(own, 'state'), cache: resolve(own, 'cache') };
  const usual = platformFolders(env, home, platform);
  // By the XDG rules, a relative path is invalid and ignored.
  const xdg = (name: string): string | undefined => (isAbsolute(env[name] ?? '') ? env[name] : undefined);
  const [state, cache] = [xdg('XDG_STATE_HOME'), xdg('XDG_CACHE_HOME')];
  return {
    state: state === undefined ? usual.state : join(state, 'skillwire'),
    cache: cache === undefined ? usual.cache : join(cache, 'skillwire'),
  };
}

function platformFolders(env: StateFolderOptions['env'], home: string, platform: string): StateFolders {
  if (platform === 'win32') {
    const local = env.LOCALAPPDATA ?? join(home, 'AppData', 'Local');
    return { state: join(local, 'skillwire', 'state'), cache: join(local, 'skillwire', 'cache') };
  }
  if (platform === 'darwin') {
    const library = join(home, 'Library');
    return {
      state: join(library, 'Application Support', 'skillwire', 'state'),
      cache: join(library, 'Caches', 'skillwire'),
    };
  }
  return { state: join(home, '.local', 'state', 'skillwire'), cache: join(home, '.cache', 'skillwire') };
}
