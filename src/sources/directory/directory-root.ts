/** A served folder: where it really is, on what kind of disk, and what is known of it. */
import { statSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, normalize } from 'node:path';
import { SkillwireError } from '../../errors.ts';
import type { Finding } from '../../skill/finding.ts';
import { type Disk, diskOf } from './disk-speed.ts';
import type { KeptFolder } from './folder-listing.ts';
import type { FolderNode } from './folder-node.ts';
import type { Place } from './walk.ts';

/** A folder of skills and how it is published. */
export interface DirectoryRoot {
  readonly path: string;
  /** First segment of the URIs: `skill://<label>/<path>/SKILL.md`. Without it: `skill://<path>/SKILL.md`. */
  readonly label?: string;
  /** False: a skill inside a skill is only files of the outer one. Default true. */
  readonly nested?: boolean;
  /** Paths of files below the folder that are published although they look like private keys or credentials. */
  readonly publish?: readonly string[];
  /** Whether skills in the hidden folders of agents (`.claude/skills`) are published. Default false: some are personal or installed. */
  readonly agentFolders?: boolean;
}

export interface RootState {
  readonly root: DirectoryRoot;
  real: string;
  id: string;
  disk: Disk;
  tree?: FolderNode;
  /** What an earlier run knew of it, until the tree is grown. */
  kept?: KeptFolder | undefined;
  unavailable?: Finding;
}

export function rootPlace({ root, real, disk }: RootState): Place {
  return {
    path: { real, shown: normalize(root.path), local: disk.local, direct: true },
    name: basename(real).normalize('NFC'),
    inherited: { depth: 0, insideSkill: false, areas: [real], above: undefined, ignores: [] },
  };
}

type Located = Pick<RootState, 'real' | 'id' | 'disk'>;

/** Where a root really is now. A root that is a link may be pointed elsewhere, as releases are switched. */
async function locate({ path }: DirectoryRoot): Promise<Located | { readonly code: string | undefined }> {
  try {
    const real = await realpath(path);
    const stats = await stat(real);
    if (!stats.isDirectory()) return { code: 'ENOTDIR' };
    return { real, id: `${stats.dev}:${stats.ino}`, disk: await diskOf(real) };
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code };
  }
}

/** Finds out whether a root is still the folder that it was; if not, its tree is forgotten. */
export async function relocate(state: RootState): Promise<void> {
  const now = await locate(state.root);
  if ('code' in now || (now.real === state.real && now.id === state.id)) return;
  Object.assign(state, now);
  delete state.tree;
}

/** True if the root is another folder than it was, or is back. */
export async function hasMoved(state: RootState): Promise<boolean> {
  const now = await locate(state.root);
  if ('code' in now) return state.tree !== undefined;
  return state.tree === undefined || now.real !== state.real || now.id !== state.id;
}

export async function resolveRoots(given: readonly DirectoryRoot[]): Promise<RootState[]> {
  return Promise.all(
    given.map(async (root) => {
      const located = await locate(root);
      if ('real' in located) return { root, ...located };
      throw unusable(root, located.code);
    }),
  );
}

/** For programs that want to know at once. @throws the error that the first listing would have */
export function requireFolder(path: string): void {
  let code: string | undefined = 'ENOTDIR';
  try {
    if (statSync(path).isDirectory()) return;
  } catch (error) {
    code = (error as NodeJS.ErrnoException).code;
  }
  throw unusable({ path }, code);
}

/** The error for a root that cannot be served from the start. */
export function unusable({ path }: DirectoryRoot, code: string | undefined): SkillwireError {
  const data = { path };
  if (code === 'ENOENT')
    return new SkillwireError('ORIGIN_NOT_FOUND', `cannot read "${path}": there is no such folder; check the path`, {
      data,
    });
  if (code === 'ENOTDIR') {
    const message = `cannot read "${path}": it is not a folder; name the folder that holds the skills`;
    return new SkillwireError('ORIGIN_NOT_A_FOLDER', message, { data });
  }
  return new SkillwireError('ORIGIN_UNREADABLE', `cannot read "${path}" (${code}); check its permissions`, { data });
}
