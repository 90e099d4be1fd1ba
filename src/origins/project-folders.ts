/**
 * The folders in which a file of the project is looked for: from a folder upwards to the root of its repository, to the home folder or to
 * the last folder of the same owner. What lies above belongs to somebody else: a file there speaks for nobody here.
 */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder itself first. */
export function* foldersUpwards(folder: string, home: string): Iterable<string> {
  const owner = ownerOf(folder);
  for (let current = folder; ; current = dirname(current)) {
    yield current;
    const above = dirname(current);
    if (above === current || isSameFolder(current, home) || existsSync(join(current, '.git'))) return;
    if (ownerOf(above) !== owner) return;
  }
}

/** The root of the repository that a file lies in, else the folder of the file. */
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

/** `undefined` if the folder cannot be looked at. On Windows every folder has the same owner. */
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
