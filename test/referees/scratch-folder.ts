/**
 * An environment without traces of the person or machine. A fresh folder is also the home, and only variables that a program needs to start
 * are set. No configuration, stored login or proxy reaches a referee.
 */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NEEDED = ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'PATHEXT', 'COMSPEC'];

export interface ScratchFolder {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
  remove(): Promise<void>;
}

export async function scratchFolder(): Promise<ScratchFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'skillwire-referees-')));
  const env: NodeJS.ProcessEnv = { HOME: path, USERPROFILE: path, NO_COLOR: '1' };
  for (const name of NEEDED) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return { path, env, remove: () => rm(path, { recursive: true, force: true }) };
}
