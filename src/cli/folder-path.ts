import { join, resolve } from 'node:path';

/** Absolute. `~` is expanded here since no shell expands it after `LABEL=` or in a file. */
export function folderPath(folder: string, base: string, home: string): string {
  return /^~(?:[\\/]|$)/.test(folder) ? join(home, folder.slice(1)) : resolve(base, folder);
}
