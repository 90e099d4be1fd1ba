/** Which paths are archives. */
import { statSync } from 'node:fs';

/** True for paths that are read as archives where they are not folders. */
export function isArchiveName(path: string): boolean {
  return /\.(?:tar\.gz|tgz|zip|skill)$/i.test(path);
}

/** A folder stays one, whatever it is called. */
export function isArchivePath(path: string): boolean {
  return isArchiveName(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true;
}
