/**
 * On what kind of disk a folder lies: whether it is one of this machine, and whether it stamps a folder whenever an entry of it
 * comes, goes or is renamed. Reading a disk of this machine in slices of synchronous calls costs a tenth of the CPU
 * of going through the thread pool; a disk behind a network may hang for ever and is read with deadlines instead.
 */
import { statfs } from 'node:fs/promises';
import { limits } from '../../limits.ts';
import { monotonicMs } from './monotonic-ms.ts';

/** Magic numbers of Linux: nfs, smb, smb2, cifs, ncp, afs, coda, fuse, 9p, ceph, lustre, gfs2, ocfs2. */
const remoteTypes: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x564c, 0x5346414f, 0x73757245, 0x65735546, 0x01021997, 0x00c36400,
  0x0bd00bd0, 0x01161970, 0x7461636f,
]);

/** Magic numbers of Linux: ext, xfs, btrfs, tmpfs, overlayfs, f2fs, zfs, bcachefs. */
const stampingTypes: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
]);

export interface Disk {
  /** May be read by synchronous calls. */
  readonly local: boolean;
  /** A folder whose stamp is the same has the same entries. Known disks only: FAT, for one, does not do that. */
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
    // A system that does not tell is taken to be slow.
    if ((error as NodeJS.ErrnoException).code === 'ENOSYS') return { local: false, stampsFolders: false };
    throw error;
  }
}

/** Lets other work of the process run between slices of synchronous work. */
export interface Slices {
  /** A promise to wait for where the slice is used up, else undefined. */
  pause(): Promise<void> | undefined;
}

export function createSlices(ms: number = limits.scan.sliceMs): Slices {
  let endMs = monotonicMs() + ms;
  let waiting: (() => void)[] = [];
  let first = 0;

  /** Lets those who wait go on one by one, each with its own work, until the slice is used up. */
  function release(): void {
    endMs = monotonicMs() + ms;
    const next = (): void => {
      const resume = waiting[first];
      if (resume === undefined) {
        waiting = [];
        first = 0;
      } else if (monotonicMs() >= endMs) setImmediate(release);
      else {
        first++;
        resume();
        // After the work of the one that was let go, which is in the microtasks that it queued.
        queueMicrotask(() => queueMicrotask(() => queueMicrotask(next)));
      }
    };
    next();
  }

  return {
    pause() {
      if (waiting.length === 0 && monotonicMs() < endMs) return undefined;
      return new Promise((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 1) setImmediate(release);
      });
    },
  };
}
