/** The paths and environment that a gateway needs to open origins on this machine. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ServingMachine } from '../gateway/served-source.ts';
import { readTrustFile } from './trust-file.ts';

export function servingMachine({
  cwd,
  env,
  agents,
  logins,
}: Pick<ServingMachine, 'cwd' | 'env' | 'agents' | 'logins'>): ServingMachine {
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
