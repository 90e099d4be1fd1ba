/**
 * The disk of a store with somebody looking on: every call is counted and shown before it is made, and the onlooker may fail it,
 * let it hang, or end the process. A write can be torn: half of it reaches the disk before the onlooker is asked.
 */
import type { FileSystem, OpenFile } from '../store/embedded/file-system.ts';

export interface DiskCall {
  /** From 1. */
  readonly step: number;
  /** For example `rename` or `file.write`. */
  readonly name: string;
  readonly path: string;
}

export interface Onlooker {
  before(call: DiskCall): void | Promise<void>;
  readonly tearsWrites?: boolean;
}

export interface ObservedFileSystem extends FileSystem {
  steps(): number;
  /** Closes what calls that hang left open. */
  closeAll(): Promise<void>;
}

export function observedFileSystem(files: FileSystem, onlooker: Onlooker): ObservedFileSystem {
  let step = 0;
  const opened = new Set<OpenFile>();
  const ask = async (name: string, path: string): Promise<void> => {
    step += 1;
    await onlooker.before({ step, name, path });
  };
  const seen = async <T>(name: string, path: string, call: () => Promise<T>): Promise<T> => {
    await ask(name, path);
    return call();
  };
  const observedFile = (file: OpenFile, path: string): OpenFile => ({
    stat: () => seen('file.stat', path, () => file.stat()),
    read: (into, position) => seen('file.read', path, () => file.read(into, position)),
    async write(bytes, position) {
      const half = onlooker.tearsWrites === true ? bytes.length >> 1 : 0;
      if (half > 0) await file.write(bytes.subarray(0, half), position);
      await ask('file.write', path);
      return half + (await file.write(bytes.subarray(half), position + half));
    },
    truncate: (size) => seen('file.truncate', path, () => file.truncate(size)),
    sync: () => seen('file.sync', path, () => file.sync()),
    async close() {
      try {
        await ask('file.close', path);
      } finally {
        opened.delete(file);
        await file.close();
      }
    },
  });
  return {
    open: (path, purpose, mode) =>
      seen('open', path, async () => {
        const file = await files.open(path, purpose, mode);
        opened.add(file);
        return observedFile(file, path);
      }),
    stat: (path) => seen('stat', path, () => files.stat(path)),
    lstat: (path) => seen('lstat', path, () => files.lstat(path)),
    isThere: (path) => seen('isThere', path, () => files.isThere(path)),
    realpath: (path) => seen('realpath', path, () => files.realpath(path)),
    mkdir: (path, mode) => seen('mkdir', path, () => files.mkdir(path, mode)),
    chmod: (path, mode) => seen('chmod', path, () => files.chmod(path, mode)),
    rename: (from, to) => seen('rename', to, () => files.rename(from, to)),
    link: (from, to) => seen('link', to, () => files.link(from, to)),
    unlink: (path) => seen('unlink', path, () => files.unlink(path)),
    async *names(path) {
      await ask('names', path);
      yield* files.names(path);
    },
    touch: (path, atMs) => seen('touch', path, () => files.touch(path, atMs)),
    syncFolder: (path) => seen('syncFolder', path, () => files.syncFolder(path)),
    steps: () => step,
    async closeAll() {
      for (const file of opened) await file.close();
      opened.clear();
    },
  };
}
