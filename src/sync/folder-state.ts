/** What lies where a skill is or shall be, compared with what the lock file says and with what is wanted there. */
import { dirname, resolve } from 'node:path';
import { lstatIfThere } from '../store/embedded/file-system.ts';
import { driftOf, type ExpectedFolder, type FileDrift } from './drift.ts';
import type { SyncDisk } from './sync-disk.ts';

export type FolderState =
  | { readonly kind: 'absent' }
  /** Exactly what is wanted. */
  | { readonly kind: 'wanted' }
  /** Exactly what was installed before. */
  | { readonly kind: 'ours' }
  /** Exactly what this machine installed, before the lock file became another one. */
  | { readonly kind: 'outdated' }
  /** A link to the real copy. */
  | { readonly kind: 'link' }
  /** What was installed before, with changes that somebody made. */
  | { readonly kind: 'edited'; readonly drift: readonly FileDrift[] }
  /** Nothing of ours. */
  | { readonly kind: 'foreign' };

export interface StateQuestion {
  readonly before?: ExpectedFolder | undefined;
  readonly wanted?: ExpectedFolder | undefined;
  /** What this machine installed earlier; asked for only where it matters. */
  readonly earlier?: () => Promise<readonly ExpectedFolder[]>;
  /** Whether the folder was found to be what was installed before, and was not changed since. */
  readonly unchanged?: (folder: string, before: ExpectedFolder) => Promise<boolean>;
  /** The real copy, where the path may be a link to it. */
  readonly real?: string;
  readonly platform: string;
}

export async function folderState(disk: SyncDisk, path: string, question: StateQuestion): Promise<FolderState> {
  const { before, wanted, real, platform, earlier, unchanged } = question;
  if (before !== undefined && (await unchanged?.(path, before)) === true) return { kind: 'ours' };
  const facts = await lstatIfThere(disk, path);
  if (facts === undefined) return { kind: 'absent' };
  if (facts.kind === 'link') {
    const leads = resolve(dirname(path), await disk.readlink(path));
    return { kind: real !== undefined && (await isSame(disk, leads, real)) ? 'link' : 'foreign' };
  }
  if (facts.kind !== 'folder') return { kind: 'foreign' };
  if (wanted !== undefined && (await driftOf(disk, path, wanted, platform))?.length === 0) return { kind: 'wanted' };
  if (before === undefined) return { kind: 'foreign' };
  const drift = (await driftOf(disk, path, before, platform)) ?? [];
  if (drift.length === 0) return { kind: 'ours' };
  for (const version of (await earlier?.()) ?? [])
    if ((await driftOf(disk, path, version, platform))?.length === 0) return { kind: 'outdated' };
  return { kind: 'edited', drift };
}

/** Also where neither exists: a link may lead to a copy that is gone. */
async function isSame(disk: SyncDisk, path: string, other: string): Promise<boolean> {
  if (path === other) return true;
  try {
    return (await disk.realpath(path)) === (await disk.realpath(other));
  } catch {
    // One of them is not there, so they are not the same.
    return false;
  }
}
