/** Whose word a file is, by its owner and who else can write to it. */
import { statSync } from 'node:fs';

/**
 * Whether a file that the user named, or that lies among the user's own files, counts as the user's: it belongs to the user or to root, and
 * nobody else can write to it. A group may, if it is that of the user alone, as many systems set it up. On Windows this cannot be told.
 */
export function isUsersFile(file: string, platform: string): boolean {
  if (platform === 'win32') return false;
  const { uid, gid, mode } = statSync(file);
  if (uid !== 0 && uid !== process.getuid?.()) return false;
  const groupWrites = (mode & 0o020) !== 0 && gid !== uid;
  return (mode & 0o002) === 0 && !groupWrites;
}
