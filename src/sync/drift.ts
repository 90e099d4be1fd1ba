/**
 * How an installed folder differs from the lock file, by the digest of each file. Litter of operating systems and interpreters is ignored.
 * Every other file that was not installed is a difference, so it is never lost silently.
 */
import crypto from 'node:crypto';
import { dirname, resolve, sep } from 'node:path';
import { limits } from '../limits.ts';
import { sha256DigestWith } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import { lstatIfThere } from '../store/embedded/file-system.ts';
import type { LockedFile } from './install-lock.ts';
import type { SyncDisk } from './sync-disk.ts';

/** `executable`: same bytes, other mode. `link`: a link, or anything else that is not a file. */
export type DriftKind = 'modified' | 'missing' | 'added' | 'executable' | 'link';

export interface FileDrift {
  readonly path: string;
  readonly kind: DriftKind;
}

export interface ExpectedFolder {
  readonly files: Readonly<Record<string, LockedFile>>;
  /** Whether files keep the executable bit of their origin. */
  readonly scripts: boolean;
}

/** Files that are not reported, and are removed with the folder. */
const litter = /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini|__pycache__\/[^/]+\.py[co])$/i;

export function sha256Of(bytes: Uint8Array): string {
  return sha256DigestWith(crypto, bytes);
}

/** Every difference, sorted by path; `undefined` if there is no folder. */
export async function driftOf(
  disk: SyncDisk,
  folder: string,
  { files, scripts }: ExpectedFolder,
  platform: string,
): Promise<readonly FileDrift[] | undefined> {
  if ((await lstatIfThere(disk, folder))?.kind !== 'folder') return undefined;
  const drift: FileDrift[] = [];
  const missing = new Set(Object.keys(files));
  const look = async (path: string, depth: number): Promise<void> => {
    for (const { name, kind } of await disk.list(path === '' ? folder : `${folder}${sep}${path}`)) {
      const below = path === '' ? name : `${path}/${name}`;
      if (kind === 'folder' && depth < limits.sync.depth) await look(below, depth + 1);
      else if (kind === 'file') {
        missing.delete(below);
        const change = await changeOf(below);
        if (change !== undefined) drift.push({ path: below, kind: change });
      } else {
        missing.delete(below);
        drift.push({ path: below, kind: 'link' });
      }
    }
  };
  const changeOf = async (path: string): Promise<DriftKind | undefined> => {
    const file = Object.hasOwn(files, path) ? files[path] : undefined;
    if (file === undefined) return litter.test(path) ? undefined : 'added';
    const found = await disk.readSized(`${folder}${sep}${path}`, file.size);
    if (found === undefined || sha256Of(found.bytes) !== file.digest) return 'modified';
    if (platform === 'win32') return undefined;
    return ((found.mode & 0o100) !== 0) === (scripts && file.executable === true) ? undefined : 'executable';
  };
  await look('', 0);
  for (const path of missing) drift.push({ path, kind: 'missing' });
  return drift.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The differences in one line. */
export function editsText(files: readonly FileDrift[]): string {
  const shown = files
    .slice(0, limits.sync.editsReported)
    .map(({ path, kind }) => `${quoteText(path)} ${driftWords[kind]}`);
  const rest = files.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

const driftWords: Readonly<Record<FileDrift['kind'], string>> = {
  modified: 'was changed',
  missing: 'is gone',
  added: 'was added',
  executable: 'has another mode',
  link: 'is a link',
};

/** The content of a skill's folder, compared with the lock file and with the wanted version. */
export type FolderState =
  | { readonly kind: 'absent' }
  /** Exactly the wanted version. */
  | { readonly kind: 'wanted' }
  /** Exactly the version of the lock file. */
  | { readonly kind: 'ours' }
  /** Exactly a version that this machine installed before the lock file changed. */
  | { readonly kind: 'outdated' }
  /** A link to the real copy. */
  | { readonly kind: 'link' }
  /** The version of the lock file, with local edits. */
  | { readonly kind: 'edited'; readonly drift: readonly FileDrift[] }
  /** Not installed by us. */
  | { readonly kind: 'foreign' };

export interface StateQuestion {
  readonly before?: ExpectedFolder | undefined;
  readonly wanted?: ExpectedFolder | undefined;
  /** Versions that this machine installed earlier; read only if needed. */
  readonly earlier?: () => Promise<readonly ExpectedFolder[]>;
  /** Whether the folder is known to match and has not changed since. */
  readonly unchanged?: (folder: string, before: ExpectedFolder) => Promise<boolean>;
  /** The real copy, if the path may be a link to it. */
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

/** Equal paths count even if nothing is there: a link may lead to a removed copy. */
async function isSame(disk: SyncDisk, path: string, other: string): Promise<boolean> {
  if (path === other) return true;
  try {
    return (await disk.realpath(path)) === (await disk.realpath(other));
  } catch {
    // One of them does not exist, so they differ.
    return false;
  }
}
