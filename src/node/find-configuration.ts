/**
 * Finds and reads `skillwire.json`: the one of `--config`, else the nearest one from the working folder to the project root, else the
 * user's own. An unreadable or invalid file is an error; it is never skipped for the next one. A file that came with a folder is data until
 * the user trusts it.
 */
import { open, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { reasonOf, SkillwireError } from '../errors.ts';
import type { Configuration, InstallSetting } from '../gateway/configuration.ts';
import { limits } from '../limits.ts';
import type { JudgedFile } from '../origins/file-trust.ts';
import type { JudgeConfigurationOptions } from '../origins/judge-file.ts';
import { foldersUpwards, isUsersFile } from '../origins/project-folders.ts';
import type { KeyValueStore } from '../store/store.ts';
import type { JudgedValue } from '../trust/trust-record.ts';
import { shownPath } from './shown-path.ts';

export interface FoundConfiguration {
  /** Absolute path. */
  readonly file: string;
  readonly configuration: Configuration;
  /** `user`: named by the user or among the user's own files. `folder`: came with a folder. */
  readonly from: 'user' | 'folder';
}

export interface ConfigurationBase {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: string;
}

/**
 * The configuration in force, or undefined if there is none.
 *
 * @param named by the user, so it is trusted
 * @param project named for a program that serves it, and untrusted like a file that was found
 */
export async function findConfiguration(
  place: ConfigurationBase,
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
  return usersConfiguration(place);
}

/** The user's own configuration, if there is one. */
export async function usersConfiguration(place: ConfigurationBase): Promise<FoundConfiguration | undefined> {
  const own = userConfigurationFile(place);
  if ((await lookUp(own)) !== 'there') return undefined;
  // On Windows the folder of the user's own files is protected as a whole.
  const users = place.platform === 'win32' || isUsersFile(own, place.platform);
  return read(own, place.cwd, users ? 'user' : 'folder');
}

/**
 * Whether `-y` may accept a plan. The user's own file counts beside the configuration in force, and the stricter of the two wins. A project
 * can add restrictions, and never loosen those of the user.
 */
export async function installSetting(
  place: ConfigurationBase,
  found: Pick<FoundConfiguration, 'file' | 'configuration'> | undefined,
): Promise<InstallSetting> {
  const own = userConfigurationFile(place);
  const users = found?.file !== own && (await lookUp(own)) === 'there' ? await read(own, place.cwd, 'user') : undefined;
  const settings = [found, users].map((one) => one?.configuration.install);
  return settings.includes('approved-only') ? 'approved-only' : 'open';
}

async function existing(named: string, { cwd }: ConfigurationBase, option: string): Promise<string> {
  const file = resolve(cwd, named);
  if ((await lookUp(file)) !== 'absent') return file;
  throw new SkillwireError(
    'CONFIG_NOT_FOUND',
    `The configuration "${file}" does not exist. Check ${option}, or leave it out.`,
    { data: { file } },
  );
}

/** The current content of a file that was found before. Its trust does not change. */
export function readAgain(
  { file, from }: Pick<FoundConfiguration, 'file' | 'from'>,
  { cwd }: Pick<ConfigurationBase, 'cwd'>,
): Promise<FoundConfiguration> {
  return read(file, cwd, from);
}

/** The path of the user's own configuration. */
export function userConfigurationFile({ cwd, env, home, platform }: ConfigurationBase): string {
  const own = env.SKILLWIRE_HOME ?? '';
  if (own !== '') return resolve(cwd, own, configurationFileName);
  return join(userFolder(env, home, platform), 'skillwire', configurationFileName);
}

function userFolder(env: ConfigurationBase['env'], home: string, platform: string): string {
  const xdg = env.XDG_CONFIG_HOME ?? '';
  if (isAbsolute(xdg)) return xdg;
  if (platform === 'win32') return env.APPDATA ?? join(home, 'AppData', 'Roaming');
  return platform === 'darwin' ? join(home, 'Library', 'Application Support') : join(home, '.config');
}

/** `hidden`: the folder is not readable. The search upwards skips such folders. */
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
    // A text that is too long may be cut within a character. The parser rejects it for its length.
    const fatal = bytes.length <= limits.configuration.bytes;
    text = new TextDecoder('utf-8', { fatal }).decode(bytes);
  } catch (error) {
    throw unreadable(file, error, 'it is not UTF-8. Save it as UTF-8.');
  }
  // Most runs have no configuration and never load the parser.
  const { parseConfiguration } = await import('../gateway/configuration.ts');
  return { file, from, configuration: parseConfiguration(text, shownPath(cwd, file)) };
}

/** Reads at most one byte more than the limit, so that the parser can report the length. */
async function readBounded(file: string): Promise<Uint8Array> {
  const handle = await open(file, 'r');
  try {
    if (!(await handle.stat()).isFile()) throw new Error('it is not a regular file');
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
  const why = reason ?? `${reasonOf(cause)}. Check the file and its permissions.`;
  return new SkillwireError('CONFIG_UNREADABLE', `Cannot read the configuration "${file}": ${why}`, {
    data: { file },
    cause,
  });
}

/** The file name of a configuration, for callers that only search for one. */
export const configurationFileName = 'skillwire.json';

/** A configuration and what the user accepted of it. */
export interface JudgedConfiguration extends FoundConfiguration {
  readonly judged: JudgedFile | 'own';
}

/** @param state read only for a file that came with a folder */
export async function judgedConfiguration(
  found: FoundConfiguration,
  state: Pick<KeyValueStore, 'get'>,
  options: JudgeConfigurationOptions,
): Promise<JudgedConfiguration> {
  if (found.from === 'user') return { ...found, judged: 'own' };
  const { judgeConfiguration } = await import('../origins/judge-file.ts');
  const { file, configuration } = found;
  return { ...found, judged: await judgeConfiguration(configuration, { file, home: homedir() }, state, options) };
}

/** The values accepted by digest before the file was edited in this run. */
export function earlierJudgement(before: Pick<JudgedConfiguration, 'judged'> | undefined): readonly JudgedValue[] {
  return before === undefined || before.judged === 'own' ? [] : before.judged.acceptedForRun;
}
