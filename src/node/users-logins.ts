/** The logins of the user, in the state folder beside the state. Exports of the state do not contain them. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadOnce } from '../async/load-once.ts';
import type { StoredLogins } from '../origins/stored-logins.ts';
import { stateFolders } from '../store/embedded/state-folders.ts';
import type { StateOptions, StateSurroundings } from './state-options.ts';

/** Loads the modules with the first call; every call returns the same logins. */
export function usersLogins({ state }: StateOptions, { cwd, env }: StateSurroundings): () => Promise<StoredLogins> {
  const logins = loadOnce(async () => {
    const [{ storedLogins }, { privateRecordFiles }] = await Promise.all([
      import('../origins/stored-logins.ts'),
      import('../store/embedded/private-record-files.ts'),
    ]);
    const own = state === undefined ? undefined : resolve(cwd, state);
    const folders = stateFolders({ env, home: homedir(), platform: process.platform, state: own });
    return storedLogins(privateRecordFiles(join(folders.state, 'credentials')));
  });
  return () => logins.get();
}
