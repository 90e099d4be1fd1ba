/** The user's state as the single store of this process. First use loads the modules of the store. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { SkillwireError } from '../errors.ts';
import { type OneStore, oneStore } from '../gateway/one-store.ts';
import { stateFolders } from '../store/embedded/state-folders.ts';
import { withStampedAudit } from '../store/stamped-audit.ts';
import type { Store } from '../store/store.ts';
import type { StateOptions, StateSurroundings } from './state-options.ts';

/** A server that uses the state while it runs. */
export interface StateServer {
  /** Its name in audit records. */
  readonly replica: string;
  /** Called once if another machine took the state folder. */
  readonly onLost: (error: SkillwireError) => void;
}

/**
 * @param warn gets one line for each damaged record
 * @param server claims the folder for this machine until the store is closed
 */
export function usersStore(
  options: StateOptions,
  surroundings: StateSurroundings,
  warn: (message: string) => unknown,
  server?: StateServer,
): OneStore {
  const { cwd, env } = surroundings;
  const own = options.state === undefined ? undefined : resolve(cwd, options.state);
  const { state } = stateFolders({ env, home: homedir(), platform: process.platform, state: own });
  return oneStore({
    exists: () => existsSync(join(state, 'state.jsonl')),
    async open() {
      const { openState } = await import('./open-state.ts');
      const store = await openState({ ...options, createCluster: server !== undefined }, surroundings, warn);
      return server === undefined ? store : ofServer(store, state, server);
    },
  });
}

async function ofServer(store: Store, folder: string, { replica, onLost }: StateServer): Promise<Store> {
  const stamped = withStampedAudit(store, (record) => ({ replica, ...record }));
  if (store.health().kind !== 'embedded') {
    const [{ defaultServerInfo }, { withDiscreetErrors }] = await Promise.all([
      import('../surfaces/mcp/server-options.ts'),
      import('../store/shared/discreet-store.ts'),
    ]);
    await store.members.join({ id: replica, version: defaultServerInfo.version });
    return withDiscreetErrors(stamped);
  }
  const { claimFolder } = await import('../store/embedded/machine-claim.ts');
  const claim = await claimFolder(folder, { onLost });
  return {
    ...stamped,
    async close() {
      await store.close();
      await claim.release();
    },
  };
}
