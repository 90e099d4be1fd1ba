/** The folder for cache files of the user: `SKILLWIRE_HOME`, else the cache folder of the system. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export interface CacheBase {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: string;
}

/** The folder of the digest cache. */
export function cacheFolder(
  place: CacheBase = { env: process.env, home: homedir(), platform: process.platform },
): string {
  const { env } = place;
  const own = env.SKILLWIRE_HOME ?? '';
  if (own !== '') return resolve(own, 'cache', 'digests');
  return join(systemFolder(place), 'digests');
}

function systemFolder({ env, home, platform }: CacheBase): string {
  const xdg = env.XDG_CACHE_HOME ?? '';
  if (isAbsolute(xdg)) return join(xdg, 'skillwire');
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'skillwire', 'Cache');
  return platform === 'darwin' ? join(home, 'Library', 'Caches', 'skillwire') : join(home, '.cache', 'skillwire');
}
