/** Paths for people: relative if the file is below the working folder, else absolute. An address of a repository stays as it is. */
import { isAbsolute, relative, resolve, sep } from 'node:path';

export function shownPath(cwd: string, file: string): string {
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(file)) return file;
  const inside = pathInside(cwd, file);
  if (inside === undefined) return resolve(cwd, file);
  return inside === '' ? '.' : inside;
}

/** The path below the folder: empty for the folder itself, `undefined` if the file is elsewhere. */
export function pathInside(folder: string, file: string): string | undefined {
  const path = relative(folder, resolve(folder, file));
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path) ? undefined : path;
}
