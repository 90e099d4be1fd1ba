/** A served folder: its real path, its kind of disk, and its tree. */
import { statSync } from 'node:fs';
import { realpath, stat, statfs } from 'node:fs/promises';
import { basename, join, normalize, resolve } from 'node:path';
import { SkillwireError } from '../../errors.ts';
import { either, listOf, text, withMembers } from '../../skill/checked-options.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import type { CachedFolder } from './folder-listing.ts';
import type { FolderNode } from './folder-node.ts';
import { isInside } from './links.ts';
import type { TreePosition } from './walk.ts';

/** `read`: for commands that show a project. */
export type AgentFolders = boolean | 'read';

/** A folder of skills and how it is published. */
export interface DirectoryRoot {
  readonly path: string;
  /** First segment of the URIs: `skill://<label>/<path>/SKILL.md`. Without it: `skill://<path>/SKILL.md`. */
  readonly label?: string;
  /** If false, a skill inside a skill is only files of the outer one. Default true. */
  readonly nested?: boolean;
  /** Paths of files below the folder to publish even though they look like private keys or credentials. */
  readonly publish?: readonly string[];
  /**
   * Whether to publish skills in hidden agent folders (`.claude/skills`). Default false: some are personal or
   * installed. `read`: they are read and marked, because a server leaves them out.
   */
  readonly agentFolders?: AgentFolders;
}

export const namedFolders = listOf(
  either(text, withMembers<DirectoryRoot>('an object', 'path')),
  'a list of folders such as "./skills" or { path: "./skills" }',
);

export interface RootState {
  readonly root: DirectoryRoot;
  real: string;
  id: string;
  disk: Disk;
  tree?: FolderNode;
  /** The tree that an earlier run cached, until the current one is built. */
  cached?: CachedFolder | undefined;
  unavailable?: Finding;
}

export function rootPlace({ root, real, disk }: RootState): TreePosition {
  return {
    path: { real, shown: normalize(root.path), local: disk.local, direct: true },
    name: basename(real).normalize('NFC'),
    inherited: { depth: 0, insideSkill: false, areas: [real], above: undefined, ignores: [] },
  };
}

type Located = Pick<RootState, 'real' | 'id' | 'disk'>;

/** The current real path of a root. A root that is a link may be repointed, as when releases are switched. */
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

/** Checks whether a root is still the same folder; if not, drops its tree. */
export async function relocate(state: RootState): Promise<void> {
  const now = await locate(state.root);
  if ('code' in now || (now.real === state.real && now.id === state.id)) return;
  Object.assign(state, now);
  delete state.tree;
}

/** True if the root is a different folder now, or exists again. */
export async function hasMoved(state: RootState): Promise<boolean> {
  const now = await locate(state.root);
  if ('code' in now) return state.tree !== undefined;
  return state.tree === undefined || now.real !== state.real || now.id !== state.id;
}

export async function resolveRoots(roots: readonly DirectoryRoot[]): Promise<RootState[]> {
  return Promise.all(
    roots.map(async (root) => {
      const located = await locate(root);
      if ('real' in located) return { root, ...located };
      throw unusable(root, located.code);
    }),
  );
}

/** For callers that need an early error. @throws the error that the first listing would throw */
export function requireFolder(path: string): void {
  let code: string | undefined = 'ENOTDIR';
  try {
    if (statSync(path).isDirectory()) return;
  } catch (error) {
    code = (error as NodeJS.ErrnoException).code;
  }
  throw unusable({ path }, code);
}

/** The error for a root that cannot be served at the start. */
export function unusable({ path }: DirectoryRoot, code: string | undefined): SkillwireError {
  const data = { path };
  if (code === 'ENOENT')
    return new SkillwireError('ORIGIN_NOT_FOUND', `Cannot read "${path}": there is no such folder. Check the path.`, {
      data,
    });
  if (code === 'ENOTDIR') {
    const message = `Cannot read "${path}": it is not a folder. Name the folder that contains the skills.`;
    return new SkillwireError('ORIGIN_NOT_A_FOLDER', message, { data });
  }
  return new SkillwireError('ORIGIN_UNREADABLE', `Cannot read "${path}" (${code}). Check its permissions.`, { data });
}

/** Reports files named in "publish" that do not exist; most likely the path is wrong. */
export function unusedNames(roots: readonly Pick<RootState, 'root' | 'tree'>[]): readonly Finding[] {
  return roots.flatMap(({ root: { path, publish = [] }, tree }) =>
    publish.flatMap((name) =>
      tree === undefined || hasFile(tree, resolve(path, name).normalize('NFC'))
        ? []
        : [finding('publish-unused', '"publish" names a file that is not served', { file: join(path, name) })],
    ),
  );
}

function hasFile(folder: FolderNode, file: string): boolean {
  const at = (shown: string): string => resolve(shown).normalize('NFC');
  return (
    at(folder.path.shown) === file ||
    folder.files.some(({ shown }) => at(shown) === file) ||
    folder.folders.some((child) => isInside(at(child.path.shown), file) && hasFile(child, file))
  );
}

/** Linux magic numbers: nfs, smb, smb2, cifs, ncp, afs, coda, fuse, 9p, ceph, lustre, gfs2, ocfs2. */
const remoteTypes: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x564c, 0x5346414f, 0x73757245, 0x65735546, 0x01021997, 0x00c36400,
  0x0bd00bd0, 0x01161970, 0x7461636f,
]);

/** Linux magic numbers: ext, xfs, btrfs, tmpfs, overlayfs, f2fs, zfs, bcachefs. */
const stampingTypes: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
]);

export interface Disk {
  /**
   * Synchronous calls are allowed. On a local disk, slices of them cost a tenth of the CPU of the thread pool. A
   * network disk may hang forever and is read with deadlines instead.
   */
  readonly local: boolean;
  /**
   * An unchanged folder stamp means unchanged entries. True only for known disks; FAT, for example, does not guarantee
   * it.
   */
  readonly stampsFolders: boolean;
}

export async function diskOf(folder: string): Promise<Disk> {
  if (process.platform === 'win32') return { local: !folder.startsWith('\\\\'), stampsFolders: false };
  if (process.platform === 'darwin') {
    const local = !/^\/(?:Volumes|Network)\//.test(folder);
    return { local, stampsFolders: local };
  }
  try {
    const { type } = await statfs(folder);
    return { local: !remoteTypes.has(type), stampsFolders: stampingTypes.has(type) };
  } catch (error) {
    // An unknown system counts as slow.
    if ((error as NodeJS.ErrnoException).code === 'ENOSYS') return { local: false, stampsFolders: false };
    throw error;
  }
}
