/**
 * Finds the files of a project, from a folder upwards. Stops at the root of its repository, the home folder, or the last folder of the same
 * owner. A folder above belongs to somebody else, so a file there does not count.
 */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Starts with the folder itself. */
export function* foldersUpwards(folder: string, home: string): Iterable<string> {
  const owner = ownerOf(folder);
  for (let current = folder; ; current = dirname(current)) {
    yield current;
    const above = dirname(current);
    if (above === current || isSameFolder(current, home) || existsSync(join(current, '.git'))) return;
    if (ownerOf(above) !== owner) return;
  }
}

/** The root of the repository that contains a file, else the folder of the file. */
export function projectOf(file: string, home: string): string {
  const folder = dirname(file);
  for (const above of foldersUpwards(folder, home)) if (existsSync(join(above, '.git'))) return above;
  return folder;
}

export const lockFileName = 'skillwire.lock';

/** The nearest folder upwards, within the project, that has a lock file; else the folder itself. */
export function findProject(cwd: string, home: string): string {
  for (const folder of foldersUpwards(cwd, home)) if (existsSync(join(folder, lockFileName))) return folder;
  return cwd;
}

/**
 * Whether a file counts as the user's: it belongs to the user or to root, and nobody else can write to it. The user's own group may
 * write, because that is the default on many systems. Always false on Windows, where this cannot be decided. Asked only about files
 * that the user named, or that are among the user's own.
 */
export function isUsersFile(file: string, platform: string): boolean {
  if (platform === 'win32') return false;
  const { uid, gid, mode } = statSync(file);
  if (uid !== 0 && uid !== process.getuid?.()) return false;
  const groupWrites = (mode & 0o020) !== 0 && gid !== uid;
  return (mode & 0o002) === 0 && !groupWrites;
}

/** `undefined` if the folder cannot be read. On Windows every folder has the same owner. */
function ownerOf(folder: string): number | undefined {
  try {
    return statSync(folder).uid;
  } catch {
    return undefined;
  }
}

function isSameFolder(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    return realpathSync(a) === realpathSync(b);
  } catch {
    return false;
  }
}
