/**
 * On what kind of disk a folder lies: whether it is one of this machine, and whether it stamps a folder whenever an entry of it
 * comes, goes or is renamed. Reading a disk of this machine in slices of synchronous calls costs a tenth of the CPU
 * of going through the thread pool; a disk behind a network may hang for ever and is read with deadlines instead.
 */
import { statfs } from 'node:fs/promises';

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
