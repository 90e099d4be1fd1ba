/** The paths and environment that a gateway needs to open origins on this machine. */
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ServingPlace } from '../gateway/served-source.ts';

export function servingPlace({ cwd, env, agents }: Pick<ServingPlace, 'cwd' | 'env' | 'agents'>): ServingPlace {
  const absolute = (path: string): string => resolve(cwd, path);
  return {
    cwd,
    env,
    agents,
    absolute,
    real: (path) => (existsSync(absolute(path)) ? realpathSync(absolute(path)) : absolute(path)),
  };
}
