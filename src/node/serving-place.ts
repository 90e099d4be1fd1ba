/** The paths and environment that a gateway needs to open origins on this machine. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ServingPlace } from '../gateway/served-source.ts';
import { readTrustFile } from './trust-file.ts';

export function servingPlace({
  cwd,
  env,
  agents,
  logins,
}: Pick<ServingPlace, 'cwd' | 'env' | 'agents' | 'logins'>): ServingPlace {
  const absolute = (path: string): string => resolve(cwd, path);
  return {
    cwd,
    env,
    agents,
    logins,
    absolute,
    trustPath: (path, { file, base = cwd }) => resolve(file === undefined ? base : dirname(file), path),
    trustFile: readTrustFile,
    real: (path) => (existsSync(absolute(path)) ? realpathSync(absolute(path)) : absolute(path)),
  };
}
