/**
 * Finds and reads `skillwire.json`: the one named with `--config`, else the nearest one from the working folder upwards within the project,
 * else the user's own. A file that is there but cannot be read or understood is an error, never passed over for the next one. Whose word
 * a file is depends on how it was found: one that came with a folder is data until the user trusts it.
 */
import { open, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { SkillwireError } from '../errors.ts';
import type { Configuration } from '../gateway/configuration.ts';
import { limits } from '../limits.ts';
import { foldersUpwards } from '../origins/project-folders.ts';
import { isUsersFile } from '../origins/users-file.ts';
import { shownPath } from './shown-path.ts';

export interface FoundConfiguration {
  /** Absolute path. */
  readonly file: string;
  readonly configuration: Configuration;
  /** `user`: named by the user or among the user's own files. `folder`: came with a folder. */
  readonly from: 'user' | 'folder';
}

export interface ConfigurationPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: string;
}

/**
 * The configuration in force, or undefined if there is none.
 *
 * @param named by the user, whose word it is
 * @param project named for a program that was told to serve it, and data as if it had been found
 */
export async function findConfiguration(
  place: ConfigurationPlace,
  named?: string,
  project?: string,
): Promise<FoundConfiguration | undefined> {
  if (named !== undefined) {
    const file = await existing(named, place, '--config');
    return read(file, place.cwd, isUsersFile(file, place.platform) ? 'user' : 'folder');
  }
  if (project !== undefined) return read(await existing(project, place, '--project-config'), place.cwd, 'folder');
  const own = userConfigurationFile(place);
  for (const folder of foldersUpwards(place.cwd, place.home)) {
    const file = join(folder, configurationFileName);
    if (file !== own && (await lookUp(file)) === 'there') return read(file, place.cwd, 'folder');
  }
  if ((await lookUp(own)) !== 'there') return undefined;
  // On Windows the folder of the user's own files is protected as a whole.
  const users = place.platform === 'win32' || isUsersFile(own, place.platform);
  return read(own, place.cwd, users ? 'user' : 'folder');
}

async function existing(named: string, { cwd }: ConfigurationPlace, option: string): Promise<string> {
  const file = resolve(cwd, named);
  if ((await lookUp(file)) !== 'absent') return file;
  throw new SkillwireError(
    'CONFIG_NOT_FOUND',
    `the configuration "${file}" does not exist; check ${option}, or leave it out`,
    { data: { file } },
  );
}

/** The current content of a file that was found before; whose word it is stays the same. */
export function readAgain(
  { file, from }: Pick<FoundConfiguration, 'file' | 'from'>,
  { cwd }: Pick<ConfigurationPlace, 'cwd'>,
): Promise<FoundConfiguration> {
  return read(file, cwd, from);
}

/** Where the user's own configuration is looked for. */
export function userConfigurationFile({ cwd, env, home, platform }: ConfigurationPlace): string {
  const own = env.SKILLWIRE_HOME ?? '';
  if (own !== '') return resolve(cwd, own, configurationFileName);
  return join(userFolder(env, home, platform), 'skillwire', configurationFileName);
}

function userFolder(env: ConfigurationPlace['env'], home: string, platform: string): string {
  const xdg = env.XDG_CONFIG_HOME ?? '';
  if (isAbsolute(xdg)) return xdg;
  if (platform === 'win32') return env.APPDATA ?? join(home, 'AppData', 'Roaming');
  return platform === 'darwin' ? join(home, 'Library', 'Application Support') : join(home, '.config');
}

/** `hidden`: in a folder that may not be looked into. On the way upwards such a folder is passed by. */
async function lookUp(file: string): Promise<'there' | 'absent' | 'hidden'> {
  try {
    await stat(file);
    return 'there';
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'absent';
    if (code === 'EACCES' || code === 'EPERM') return 'hidden';
    throw unreadable(file, error);
  }
}

async function read(file: string, cwd: string, from: FoundConfiguration['from']): Promise<FoundConfiguration> {
  const bytes = await readBounded(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  let text: string;
  try {
    // A text that is too long may be cut within a character; the parser refuses it for its length.
    const fatal = bytes.length <= limits.configuration.bytes;
    text = new TextDecoder('utf-8', { fatal }).decode(bytes);
  } catch (error) {
    throw unreadable(file, error, 'it is not UTF-8 text; save it as UTF-8');
  }
  // Most runs have no configuration and do not load what reads one.
  const { parseConfiguration } = await import('../gateway/configuration.ts');
  return { file, from, configuration: parseConfiguration(text, shownPath(cwd, file)) };
}

/** One byte more than the limit at most, so that the parser can say that it is too long. */
async function readBounded(file: string): Promise<Uint8Array> {
  const handle = await open(file, 'r');
  try {
    if (!(await handle.stat()).isFile()) throw new Error('it is not an ordinary file');
    const buffer = new Uint8Array(limits.configuration.bytes + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await handle.close();
  }
}

function unreadable(file: string, cause: unknown, reason?: string): SkillwireError {
  const why = reason ?? `${cause instanceof Error ? cause.message : String(cause)}; check the file and its permissions`;
  return new SkillwireError('CONFIG_UNREADABLE', `cannot read the configuration "${file}": ${why}`, {
    data: { file },
    cause,
  });
}

/** What a configuration is called, for those who only look for one. */
export const configurationFileName = 'skillwire.json';
