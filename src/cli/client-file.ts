/**
 * The configuration file of a client on disk. Writing replaces the whole file: a copy of the old one stays beside it, the new one is written
 * under another name and renamed. If another program changed the file meanwhile, nothing is written. Links are followed.
 */
import { constants } from 'node:fs';
import { copyFile, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { reasonOf, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { nodeFileSystem } from '../store/embedded/file-system.ts';
import { replaceFile } from '../store/embedded/replace-file.ts';

export interface ClientFileOnDisk {
  /** The path that the client reads. */
  readonly path: string;
  /** Empty if there is no file. */
  readonly text: string;
  readonly exists: boolean;
}

/** Reads the first file that exists; else describes the first path. @throws SkillwireError HOST_FILE_UNUSABLE */
export async function readClientFile(paths: readonly [string, ...string[]]): Promise<ClientFileOnDisk> {
  for (const path of paths) {
    const text = await readText(path);
    if (text !== undefined) return { path, text, exists: true };
  }
  return { path: paths[0], text: '', exists: false };
}

/** @returns the path of the backup; `undefined` if there was no file */
export async function writeClientFile(
  { path, text: before, exists }: ClientFileOnDisk,
  text: string,
): Promise<string | undefined> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const real = exists ? await realpath(path) : path;
    const backup = exists ? await copyBeside(real) : undefined;
    const mode = exists ? (await stat(real)).mode & 0o777 : 0o644;
    const confirm = async (): Promise<void> => {
      if (((await readText(path)) ?? '') === before) return;
      throw new SkillwireError('HOST_FILE_UNUSABLE', `Another program changed "${path}" meanwhile. Run this again.`, {
        data: { file: path },
      });
    };
    await replaceFile(nodeFileSystem, real, [new TextEncoder().encode(text)], { mode, confirm });
    return backup;
  } catch (error) {
    if (error instanceof SkillwireError) throw error;
    const reason = reasonOf(error);
    throw new SkillwireError(
      'WRITE_FAILED',
      `Cannot write "${path}": ${reason}. Check the folder and its permissions.`,
      { data: { file: path }, cause: error },
    );
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(path);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const reason = error instanceof TypeError ? 'it is not UTF-8 text' : (error as Error).message;
    throw new SkillwireError('HOST_FILE_UNUSABLE', `Cannot read "${path}": ${reason}. Fix it first.`, {
      data: { file: path },
      cause: error,
    });
  }
}

/** Copies to an unused name, so no earlier copy is overwritten. */
async function copyBeside(path: string): Promise<string> {
  for (let number = 1; number <= limits.agents.backups; number++) {
    const copy = `${path}.before-skillwire${number === 1 ? '' : `-${number}`}`;
    try {
      await copyFile(path, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  const message = `There are already ${limits.agents.backups} copies of "${path}" (.before-skillwire). Remove some of them.`;
  throw new SkillwireError('WRITE_FAILED', message, { data: { file: path } });
}
