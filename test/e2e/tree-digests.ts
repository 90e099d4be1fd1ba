/** A folder as a table, to be compared with another one or with itself later: every byte of every file, every mode, every link. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

export type TreeDigests = Readonly<Record<string, string>>;

/** @param leftOut names directly below the folder that do not count, such as the state of the command */
export function treeDigests(folder: string, leftOut: readonly string[] = []): TreeDigests {
  const tree: Record<string, string> = {};
  const look = (path: string, shown: string): void => {
    const facts = lstatSync(path);
    if (facts.isSymbolicLink()) tree[shown] = `link to ${readlinkSync(path)}`;
    else if (facts.isFile()) {
      const mode = process.platform === 'win32' || (facts.mode & 0o111) === 0 ? 'file' : 'executable';
      tree[shown] = `${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
    } else {
      if (shown !== '') tree[`${shown}/`] = 'folder';
      for (const name of readdirSync(path).sort())
        if (shown !== '' || !leftOut.includes(name)) look(join(path, name), shown === '' ? name : `${shown}/${name}`);
    }
  };
  look(folder, '');
  return tree;
}
