/** The user's state as the single store of this process. First use loads the modules of the store. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type OneStore, oneStore } from '../gateway/one-store.ts';
import { stateFolders } from '../store/embedded/state-folders.ts';
import type { StateOptions, StateSurroundings } from './open-state.ts';

/** @param warn gets one line for each damaged record */
export function usersStore(
  options: StateOptions,
  surroundings: StateSurroundings,
  warn: (message: string) => unknown,
): OneStore {
  const { cwd, env } = surroundings;
  const own = options.state === undefined ? undefined : resolve(cwd, options.state);
  const { state } = stateFolders({ env, home: homedir(), platform: process.platform, state: own });
  return oneStore({
    exists: () => existsSync(join(state, 'state.jsonl')),
    async open() {
      const { openState } = await import('./open-state.ts');
      return openState(options, surroundings, warn);
    },
  });
}
