/**
 * Writes files as a folder that is there whole or not at all: put together in a folder beside it, synced, renamed. Only plain files
 * and folders are created, with modes of our own, and none of them through a link. After a failure nothing is left behind.
 */
import { randomBytes } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import type { ArchiveFile } from './archive-file.ts';
import { planFiles } from './entry-plan.ts';
import { errorCodeOf, nodeTreeDisk, type TreeDisk } from './tree-disk.ts';

/**
 * Writes the files below a folder that does not exist yet; its parent does.
 *
 * @throws SkillwireError WRITE_FAILED, or ARCHIVE_* where the paths cannot be files beside each other
 */
export async function writeTree(
  files: readonly ArchiveFile[],
  folder: string,
  disk: TreeDisk = nodeTreeDisk,
): Promise<void> {
  const planned = planFiles(
    files.map(({ path, bytes, executable }) => ({ kind: 'file', name: path, bytes, executable }) as const),
    limits.archive.tree,
  );
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
    // An empty folder would be replaced by the rename.
    await step(target, mustBeFree);
    await step(target, () => disk.rename(staging, target));
  } catch (error) {
    await clearAway(staging, error, disk);
    throw error;
  }
  await step(dirname(target), disk.syncFolder, 'the folder is there but may be lost if the power fails');
}

/** Says so where something stays behind. */
async function clearAway(staging: string, failure: unknown, disk: TreeDisk): Promise<void> {
  try {
    await disk.remove(staging);
  } catch (error) {
    const [why, reason] = [failure, error].map((one) => (one instanceof Error ? one.message : String(one)));
    const message = `${why}; what was written to ${quoteText(staging)} could not be removed: ${reason}`;
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
    // All of a group come to an end before a failure is handled: none may create a file after the clearing away.
    const group = await Promise.allSettled(files.slice(at, at + limits.archive.parallelWrites).map(write));
    const failed = group.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

function alreadyThere(target: string): SkillwireError {
  const message = `cannot write the folder ${quoteText(target)}: there is something already; name another or remove it`;
  return new SkillwireError('WRITE_FAILED', message, { data: { path: target } });
}

async function writeFailure(
  error: unknown,
  path: string,
  target: string,
  disk: TreeDisk,
  result = 'nothing of it was kept, name another folder or make room',
): Promise<SkillwireError> {
  if (error instanceof SkillwireError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const left = errorCodeOf(error) === 'ENOSPC' ? await freeBytes(dirname(target), disk) : '';
  const message = `cannot write ${quoteText(path)}: ${reason}${left}; ${result}`;
  return new SkillwireError('WRITE_FAILED', message, { data: { path, folder: target }, cause: error });
}

async function freeBytes(path: string, disk: TreeDisk): Promise<string> {
  const free = await disk.free(path).catch(() => undefined);
  return free === undefined ? '' : ` (${free} bytes are free there)`;
}
