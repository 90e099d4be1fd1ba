/**
 * Records which installed folders matched the lock file, with their stamps at that time. A folder with an unchanged stamp is not read
 * again, so an install with nothing to do reads only the lock file and stamps.
 *
 * A stamp covers every file and folder of the skill: inode, size, mode, mtime and ctime. It is recorded only if it was old enough to show
 * every later change, on a disk that stamps folders too. The record belongs to one text of the lock file. If it is missing or damaged,
 * every file is read.
 */
import { join } from 'node:path';
import { limits } from '../limits.ts';
import { isDigest } from '../skill/digest.ts';
import { isJsonObject } from '../skill/json.ts';
import { isAbsent } from '../store/embedded/file-system.ts';
import { replaceFile } from '../store/embedded/replace-file.ts';
import { type ExpectedFolder, sha256Of } from './drift.ts';
import { type InstallPlace, transactionFolder } from './install-place.ts';
import type { SyncDisk } from './sync-disk.ts';

const version = 1;

function recordPath(place: InstallPlace): string {
  return join(transactionFolder(place), 'checked.json');
}

export async function readChecked(disk: SyncDisk, place: InstallPlace, lockText: string) {
  const known = await readRecord(disk, place, digestOf(lockText));
  const stable = new Map<string, { readonly digest: string; readonly paths: readonly string[] }>();
  const settledMs = Date.now() - limits.sync.settledMs;
  return {
    /** Whether the folder has not changed since it was compared with this content. */
    async isUnchanged(folder: string, { files }: ExpectedFolder): Promise<boolean> {
      const paths = pathsOf(files);
      const stamp = await disk.stamp(folder, paths);
      if (stamp === undefined) return false;
      const digest = sha256Of(stamp.bytes);
      if (stamp.changedMs <= settledMs) stable.set(folder, { digest, paths });
      return known.get(folder) === digest;
    },
    /** The stamps to record; `undefined` if nothing changed. @param compared folders that match the lock file */
    async toRecord(compared: Iterable<string>): Promise<ReadonlyMap<string, string> | undefined> {
      const stamps = new Map<string, string>();
      let news = false;
      for (const folder of compared) {
        const now = stable.get(folder);
        if (now === undefined) continue;
        const isNews = known.get(folder) !== now.digest;
        if (isNews && (await hasOtherFolders(disk, folder, now.paths))) continue;
        stamps.set(folder, now.digest);
        news ||= isNews;
      }
      return news ? stamps : undefined;
    },
  };
}

export type CheckedFolders = Awaited<ReturnType<typeof readChecked>>;

/** The stamp does not cover folders that are not part of the skill, such as one for compiled files. */
async function hasOtherFolders(disk: SyncDisk, folder: string, paths: readonly string[]): Promise<boolean> {
  const known = new Set(paths);
  const look = async (path: string): Promise<boolean> => {
    for (const { name, kind } of await disk.list(join(folder, path))) {
      if (kind !== 'folder') continue;
      const below = path === '' ? name : `${path}/${name}`;
      if (!known.has(below) || (await look(below))) return true;
    }
    return false;
  };
  return look('');
}

/** Call it inside `inPlace()`. */
export async function writeChecked(
  disk: SyncDisk,
  place: InstallPlace,
  lockText: string,
  folders: ReadonlyMap<string, string>,
): Promise<void> {
  const text = JSON.stringify({ version, lock: digestOf(lockText), folders: Object.fromEntries(folders) });
  await replaceFile(disk, recordPath(place), [new TextEncoder().encode(text)]);
}

async function readRecord(disk: SyncDisk, place: InstallPlace, lock: string): Promise<ReadonlyMap<string, string>> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(await disk.read(recordPath(place))));
  } catch (error) {
    if (isAbsent(error) || error instanceof SyntaxError) return new Map();
    throw error;
  }
  if (!isJsonObject(value) || value['version'] !== version || value['lock'] !== lock || !isJsonObject(value['folders']))
    return new Map();
  return new Map(Object.entries(value['folders']).filter((row): row is [string, string] => isDigest(row[1])));
}

/** The folder itself, the folders in it, the files. */
function pathsOf(files: ExpectedFolder['files']): readonly string[] {
  const folders = new Set<string>(['']);
  const paths = Object.keys(files);
  for (const path of paths)
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
      folders.add(path.slice(0, slash));
  return [...folders, ...paths];
}

function digestOf(text: string): string {
  return sha256Of(new TextEncoder().encode(text));
}
