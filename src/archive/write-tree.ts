/**
 * Writes files as a new folder that appears complete or not at all: built in a sibling folder, synced, then renamed.
 * Creates only plain files and folders, with fixed modes, and never through a link. A failure leaves nothing behind.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import * as disk from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, reasonOf, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import type { ArchiveFile } from './archive-file.ts';
import { planOf } from './entry-plan.ts';

/**
 * Writes the files below a folder that must not exist; its parent must.
 *
 * @throws SkillwireError WRITE_FAILED, or ARCHIVE_* if the paths cannot exist side by side
 */
export async function writeTree(
  files: readonly ArchiveFile[],
  folder: string,
  disk: TreeDisk = nodeTreeDisk,
): Promise<void> {
  const planned = planOf(files, limits.archive.tree);
  const target = resolve(folder);
  const staging = join(dirname(target), `.${basename(target)}.unpacking-${randomBytes(8).toString('hex')}`);
  const step = async (path: string, run: (path: string) => Promise<void>, result?: string): Promise<void> => {
    try {
      await run(path);
    } catch (error) {
      throw await writeFailure(error, path, target, disk, result);
    }
  };
  const mustBeFree = async (path: string): Promise<void> => {
    if (await disk.exists(path)) throw alreadyThere(path);
  };
  await step(target, mustBeFree);
  await step(staging, disk.mkdir);
  try {
    const folders = foldersOf(planned);
    for (const path of folders) await step(join(staging, path), disk.mkdir);
    await inGroups(planned, (file) =>
      step(join(staging, file.path), (path) => disk.create(path, file.bytes, file.executable ? 0o755 : 0o644)),
    );
    for (const path of [...folders].reverse()) await step(join(staging, path), disk.syncFolder);
    await step(staging, disk.syncFolder);
    // The rename would replace an empty folder.
    await step(target, mustBeFree);
    await step(target, () => disk.rename(staging, target));
  } catch (error) {
    await removeStaging(staging, error, disk);
    throw error;
  }
  await step(dirname(target), disk.syncFolder, 'The folder is written, but may be lost if the power fails');
}

/** Removes the staging folder; if that fails, the error names it. */
async function removeStaging(staging: string, failure: unknown, disk: TreeDisk): Promise<void> {
  try {
    await disk.remove(staging);
  } catch (error) {
    const [why, reason] = [failure, error].map(reasonOf);
    const message = `${why} The partial folder ${quoteText(staging)} could not be removed: ${reason}.`;
    throw new SkillwireError('WRITE_FAILED', message, { data: { path: staging }, cause: failure });
  }
}

/** Every folder after its parent. */
function foldersOf(files: readonly ArchiveFile[]): readonly string[] {
  const folders = new Set<string>();
  for (const { path } of files) {
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      folders.add(path.slice(0, slash));
    }
  }
  return [...folders];
}

async function inGroups(files: readonly ArchiveFile[], write: (file: ArchiveFile) => Promise<void>): Promise<void> {
  for (let at = 0; at < files.length; at += limits.archive.parallelWrites) {
    // Waits for the whole group before a failure is handled: no write may create a file after the cleanup.
    const group = await Promise.allSettled(files.slice(at, at + limits.archive.parallelWrites).map(write));
    const failed = group.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

function alreadyThere(target: string): SkillwireError {
  const message = `Cannot write the folder ${quoteText(target)}: it already exists. Choose another name or remove it.`;
  return new SkillwireError('WRITE_FAILED', message, { data: { path: target } });
}

async function writeFailure(
  error: unknown,
  path: string,
  target: string,
  disk: TreeDisk,
  result = 'Nothing was written. Choose another folder or make room',
): Promise<SkillwireError> {
  if (error instanceof SkillwireError) return error;
  const reason = reasonOf(error);
  const left = codeOf(error) === 'ENOSPC' ? await freeBytes(dirname(target), disk) : '';
  const message = `Cannot write ${quoteText(path)}: ${reason}${left}. ${result}.`;
  return new SkillwireError('WRITE_FAILED', message, { data: { path, folder: target }, cause: error });
}

async function freeBytes(path: string, disk: TreeDisk): Promise<string> {
  const free = await disk.free(path).catch(() => undefined);
  return free === undefined ? '' : ` (${free} bytes are free)`;
}

/** The disk operations of `writeTree`, so that tests can make each of them fail. */
export interface TreeDisk {
  /** Fails if the path exists. */
  mkdir(path: string): Promise<void>;
  /** Creates a new file, whole and synced. */
  create(path: string, bytes: Uint8Array, mode: number): Promise<void>;
  syncFolder(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  remove(path: string): Promise<void>;
  /** Free bytes, if the system reports them. */
  free(path: string): Promise<number | undefined>;
}

/** O_NOFOLLOW does not exist on Windows. */
const creating = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Error codes of systems that cannot sync folders. */
const noFolderSync: ReadonlySet<string | undefined> = new Set(['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM']);

export const nodeTreeDisk: TreeDisk = {
  mkdir: async (path) => {
    await disk.mkdir(path, { mode: 0o755 });
  },
  async create(path, bytes, mode) {
    const file = await disk.open(path, creating, mode);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  async syncFolder(path) {
    if (process.platform === 'win32') return;
    const folder = await disk.open(path, constants.O_RDONLY);
    try {
      await folder.sync();
    } catch (error) {
      if (!noFolderSync.has(codeOf(error))) throw error;
    } finally {
      await folder.close();
    }
  },
  rename: (from, to) => disk.rename(from, to),
  exists: async (path) => {
    try {
      await disk.lstat(path);
      return true;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    }
  },
  remove: (path) => disk.rm(path, { recursive: true, force: true }),
  free: async (path) => {
    const { bavail, bsize } = await disk.statfs(path);
    return bavail * bsize;
  },
};
