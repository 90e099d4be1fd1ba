/** The files that `skillwire trust` is about: a configuration, a lock file, or a lock file of the `skills` program. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { SkillwireError } from '../../errors.ts';
import { findConfiguration, readAgain } from '../../node/find-configuration.ts';
import { judgedConfiguration } from '../../node/judged-configuration.ts';
import { judgeLock } from '../../origins/judge-file.ts';
import type { JudgedFile } from '../../origins/judged-file.ts';
import { findProject, lockFileName } from '../../origins/project-folders.ts';
import type { KeyValueStore } from '../../store/store.ts';
import { lockedOrigins, parseLock } from '../../sync/install-lock.ts';
import { isForeignLockName, parseForeignLock } from '../../sync/skills-lock.ts';
import type { Cli } from '../cli.ts';

type Place = Pick<Cli, 'cwd' | 'env'>;

/** The nearest configuration and lock file that came with a folder. Empty if there is none. */
export async function filesHere({ cwd, env }: Place): Promise<readonly string[]> {
  const home = homedir();
  const found = await findConfiguration({ cwd, env, home, platform: process.platform });
  const lock = join(findProject(cwd, home), lockFileName);
  return [...(found?.from === 'folder' ? [found.file] : []), ...(existsSync(lock) ? [lock] : [])];
}

/** Reads a file and judges it as if it came with a folder, even if the user named it. */
export async function judgeNamed(
  named: string,
  state: Pick<KeyValueStore, 'get'>,
  { trustConfig }: { readonly trustConfig?: readonly string[] },
  { cwd }: Place,
): Promise<JudgedFile> {
  const file = resolve(cwd, named);
  if (!existsSync(file))
    throw new SkillwireError('CONFIG_NOT_FOUND', `There is no "${file}". Name a skillwire.json or a skillwire.lock.`, {
      data: { file },
    });
  const place = { file, home: homedir() };
  if (isForeignLockName(file)) {
    const { skills } = parseForeignLock(readFileSync(file, 'utf8'), file);
    return judgeLock(skills, place, state, { trustConfig });
  }
  if (basename(file) === lockFileName) {
    const lock = parseLock(readFileSync(file, 'utf8'), file);
    return judgeLock(lockedOrigins(lock), place, state, { trustConfig });
  }
  const found = await readAgain({ file, from: 'folder' }, { cwd });
  const judged = (await judgedConfiguration(found, state, { trustConfig })).judged;
  if (judged === 'own') throw new TypeError(`"${file}" was not judged`);
  return judged;
}
