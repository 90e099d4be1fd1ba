/**
 * The disk of a store with an onlooker. Every call is counted and shown to the onlooker before it happens. The onlooker
 * may fail it, let it hang, or end the process. A write can be torn: half of it reaches the disk before the onlooker is
 * called.
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
  /** Closes the files that hanging calls left open. */
  closeAll(): Promise<void>;
}

export function observedFileSystem(files: FileSystem, onlooker: Onlooker): ObservedFileSystem {
  let step = 0;
  const opened = new Set<OpenFile>();
  const announce = async (name: string, path: string): Promise<void> => {
    step += 1;
    await onlooker.before({ step, name, path });
  };
  const observed = async <T>(name: string, path: string, call: () => Promise<T>): Promise<T> => {
    await announce(name, path);
    return call();
  };
  const observedFile = (file: OpenFile, path: string): OpenFile => ({
    stat: () => observed('file.stat', path, () => file.stat()),
    read: (into, position) => observed('file.read', path, () => file.read(into, position)),
    async write(bytes, position) {
      const half = onlooker.tearsWrites === true ? bytes.length >> 1 : 0;
      if (half > 0) await file.write(bytes.subarray(0, half), position);
      await announce('file.write', path);
      return half + (await file.write(bytes.subarray(half), position + half));
    },
    truncate: (size) => observed('file.truncate', path, () => file.truncate(size)),
    sync: () => observed('file.sync', path, () => file.sync()),
    async close() {
      try {
        await announce('file.close', path);
      } finally {
        opened.delete(file);
        await file.close();
      }
    },
  });
  return {
    open: (path, purpose, mode) =>
      observed('open', path, async () => {
        const file = await files.open(path, purpose, mode);
        opened.add(file);
        return observedFile(file, path);
      }),
    stat: (path) => observed('stat', path, () => files.stat(path)),
    lstat: (path) => observed('lstat', path, () => files.lstat(path)),
    stampNow: (path) => files.stampNow(path),
    isThere: (path) => observed('isThere', path, () => files.isThere(path)),
    realpath: (path) => observed('realpath', path, () => files.realpath(path)),
    mkdir: (path, mode) => observed('mkdir', path, () => files.mkdir(path, mode)),
    chmod: (path, mode) => observed('chmod', path, () => files.chmod(path, mode)),
    rename: (from, to) => observed('rename', to, () => files.rename(from, to)),
    link: (from, to) => observed('link', to, () => files.link(from, to)),
    unlink: (path) => observed('unlink', path, () => files.unlink(path)),
    async *names(path) {
      await announce('names', path);
      yield* files.names(path);
    },
    touch: (path, atMs) => observed('touch', path, () => files.touch(path, atMs)),
    syncFolder: (path) => observed('syncFolder', path, () => files.syncFolder(path)),
    steps: () => step,
    async closeAll() {
      for (const file of opened) await file.close();
      opened.clear();
    },
  };
}
