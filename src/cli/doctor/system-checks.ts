/** The ground that everything stands on: Node, and the folders that Skillwire keeps its state and cache in. */
import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isAbsent } from '../../store/embedded/file-system.ts';
import type { StateFolders } from '../../store/embedded/state-folders.ts';
import type { DoctorFinding } from './finding.ts';

export const oldestNode = 20;
/** The oldest that still gets corrections. */
export const maintainedNode = 22;

export function nodeFindings(version: string): readonly DoctorFinding[] {
  const major = Number(/^v?(\d+)/.exec(version)?.[1] ?? 0);
  if (major < oldestNode)
    return [
      {
        level: 'problem',
        check: 'node',
        message: `this is Node ${version}, and Skillwire needs ${oldestNode} or newer`,
        remedy: `install Node ${maintainedNode} or newer`,
      },
    ];
  if (major >= maintainedNode) return [];
  return [
    {
      level: 'note',
      check: 'node',
      message: `Node ${version} works, but gets no corrections any more`,
      remedy: `install Node ${maintainedNode} or newer when you can`,
    },
  ];
}

export async function folderFindings({ state, cache }: StateFolders): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  for (const [title, path] of [
    ['state', state],
    ['cache', cache],
  ] as const) {
    const there = await nearestThere(path);
    try {
      await access(there, constants.W_OK | constants.X_OK);
    } catch (error) {
      findings.push({
        level: 'problem',
        check: 'folders',
        message: `the folder of the ${title} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
        remedy: `give yourself the right to write "${there}", or choose another folder with SKILLWIRE_HOME`,
        path,
      });
    }
  }
  return findings;
}

/** The folder itself, or the nearest one above that there is. */
async function nearestThere(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      await lstat(folder);
      return folder;
    } catch (error) {
      if (!isAbsent(error) || dirname(folder) === folder) return folder;
    }
  }
}
