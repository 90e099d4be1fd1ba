/**
 * The folder in which the referees are installed: the `node_modules` of this folder, never that of the project. So their versions and their
 * Node cannot leak into our package.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const refereesFolder: string = fileURLToPath(new URL('.', import.meta.url));

export const installCommand = 'npm ci --prefix test/referees --ignore-scripts';

export function installedFile(path: string): string {
  const file = join(refereesFolder, 'node_modules', path);
  if (!existsSync(file)) {
    throw new Error(`The referees are not installed: "${file}" does not exist. Run \`${installCommand}\`.`);
  }
  return file;
}
