/** A served folder: where it really is, on what kind of disk, and what is known of it. */
import { realpath, stat } from 'node:fs/promises';
import { basename, normalize } from 'node:path';
import { SkillwireError } from '../../errors.ts';
import type { Finding } from '../../skill/finding.ts';
import { isLocalDisk } from './disk-speed.ts';
import type { FolderNode, Place } from './folder-tree.ts';

export interface DirectoryRoot {
  readonly path: string;
  /** First segment of the URIs: `skill://<label>/<path>/SKILL.md`. Without it: `skill://<path>/SKILL.md`. */
  readonly label?: string;
  /** False: a skill inside a skill is only files of the outer one. Default true. */
  readonly nested?: boolean;
}

export interface RootState {
  readonly root: DirectoryRoot;
  readonly real: string;
  readonly local: boolean;
  tree?: FolderNode;
  unavailable?: Finding;
}

export function rootPlace({ root, real }: RootState): Place {
  return {
    real,
    shown: normalize(root.path),
    name: basename(real).normalize('NFC'),
    depth: 0,
    insideSkill: false,
    areas: [real],
    above: [],
    ignores: [],
  };
}

/** The roots as they really are, fixed once: a link that is pointed elsewhere later is not a new root. */
export async function resolveRoots(given: readonly DirectoryRoot[]): Promise<RootState[]> {
  return Promise.all(
    given.map(async (root) => {
      const data = { path: root.path };
      let real: string;
      let isFolder: boolean;
      try {
        real = await realpath(root.path);
        isFolder = (await stat(real)).isDirectory();
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        if (code === 'ENOENT' || code === 'ENOTDIR')
          throw new SkillwireError(
            'ORIGIN_NOT_FOUND',
            `cannot read "${root.path}": there is no such folder; check the path`,
            { data, cause: error },
          );
        throw new SkillwireError('ORIGIN_UNREADABLE', `cannot read "${root.path}" (${code}); check its permissions`, {
          data,
          cause: error,
        });
      }
      if (!isFolder)
        throw new SkillwireError(
          'ORIGIN_NOT_A_FOLDER',
          `cannot read "${root.path}": it is not a folder; name the folder that holds the skills`,
          { data },
        );
      return { root, real, local: await isLocalDisk(real) };
    }),
  );
}
