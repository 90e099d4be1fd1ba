/** The disk of an installation with an onlooker, like `observedFileSystem()` for a store. */
import type { SyncDisk } from '../sync/sync-disk.ts';
import { type ObservedFileSystem, type Onlooker, observedFileSystem } from './observed-file-system.ts';

export function observedSyncDisk(disk: SyncDisk, onlooker: Onlooker): SyncDisk & ObservedFileSystem {
  let step = 0;
  const ask = async (name: string, path: string): Promise<void> => {
    step += 1;
    await onlooker.before({ step, name, path });
  };
  const observed = observedFileSystem(disk, { ...onlooker, before: ({ name, path }) => ask(name, path) });
  const seen = async <T>(name: string, path: string, call: () => Promise<T>): Promise<T> => {
    await ask(name, path);
    return call();
  };
  return {
    ...observed,
    steps: () => step,
    symlink: (target, path, kind) => seen('symlink', path, () => disk.symlink(target, path, kind)),
    readlink: (path) => seen('readlink', path, () => disk.readlink(path)),
    rmdir: (path) => seen('rmdir', path, () => disk.rmdir(path)),
    list: (path) => seen('list', path, () => disk.list(path)),
    read: (path) => seen('read', path, () => disk.read(path)),
    readSized: (path, size) => seen('read', path, () => disk.readSized(path, size)),
    stamp: (folder, paths) => seen('stat', folder, () => disk.stamp(folder, paths)),
  };
}
