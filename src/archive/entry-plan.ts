/**
 * Judges all entries of an archive together, before a byte of them is used. The plan contains regular files only. A
 * link becomes a copy if it leads to a regular file of the same archive. Any other link, and two entries that some
 * system would treat as one, refuse the whole archive.
 */
import type { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { foldName } from '../skill/file-path.ts';
import { refusedArchive } from './archive-error.ts';
import type { ArchiveFile, ArchiveLimits } from './archive-file.ts';
import { archivePath, comparePaths } from './archive-path.ts';

export type PlannedEntry = PlannedFile | PlannedFolder | PlannedLink;

interface PlannedFile extends Omit<ArchiveFile, 'path'> {
  readonly kind: 'file';
  readonly name: string;
}

interface PlannedFolder {
  readonly kind: 'folder';
  readonly name: string;
}

interface PlannedLink {
  /** The target of a `symlink` is relative to its folder, that of a `hardlink` to the root of the archive. */
  readonly kind: 'symlink' | 'hardlink';
  readonly name: string;
  readonly target: string;
}

/**
 * The files of these entries, sorted by path.
 *
 * @throws SkillwireError ARCHIVE_EMPTY, ARCHIVE_LINK, ARCHIVE_NAME, ARCHIVE_NAME_COLLISION, ARCHIVE_PATH_ESCAPE, ARCHIVE_TOO_LARGE
 */
export function planFiles(entries: readonly PlannedEntry[], bounds: ArchiveLimits): readonly ArchiveFile[] {
  if (entries.length > bounds.entries) throw tooManyEntries(bounds);
  const byPath = new Map<string, PlannedFile | PlannedLink>();
  const occupied = new OccupiedPaths();
  for (const entry of entries) {
    if (entry.kind === 'folder') {
      const path = folderPath(entry.name);
      if (path !== '') occupied.addFolder(path, entry.name);
      continue;
    }
    const path = archivePath(entry.name);
    occupied.addFile(path, entry.name);
    byPath.set(path, entry);
  }
  let total = 0;
  const files: ArchiveFile[] = [];
  for (const [path, entry] of byPath) {
    const { bytes, executable } = entry.kind === 'file' ? entry : linkedFile(path, entry, byPath);
    total += bytes.length;
    if (total > bounds.bytes) throw tooManyBytes(bounds);
    files.push({ path, bytes, executable });
  }
  if (files.length === 0) {
    throw refusedArchive('ARCHIVE_EMPTY', 'it contains no file', { remedy: 'Pack the folder of a skill' });
  }
  return files.sort((a, b) => comparePaths(a.path, b.path));
}

/** The plan of these files, for writers. */
export function planOf(files: readonly ArchiveFile[], bounds: ArchiveLimits): readonly ArchiveFile[] {
  return planFiles(
    files.map(({ path, ...file }) => ({ kind: 'file', name: path, ...file })),
    bounds,
  );
}

export function tooManyEntries(bounds: ArchiveLimits): SkillwireError {
  return refusedArchive('ARCHIVE_TOO_LARGE', `it has more than ${bounds.entries} entries`, {
    data: { limit: bounds.entries },
  });
}

export function tooManyBytes(bounds: ArchiveLimits): SkillwireError {
  return refusedArchive('ARCHIVE_TOO_LARGE', `it unpacks to more than ${bounds.bytes} bytes`, {
    data: { limit: bounds.bytes },
  });
}

/** `./` and `.` mean the root of the archive. */
function folderPath(name: string): string {
  if (name === '.' || name === './') return '';
  return archivePath(name.endsWith('/') ? name.slice(0, -1) : name);
}

interface Folder {
  readonly path: string;
  /** The name of the entry that declares this folder or lies below it. */
  readonly name: string;
  declared: boolean;
}

/** Occupied paths, folded as file systems compare them that ignore case or Unicode form. */
class OccupiedPaths {
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, Folder>();

  addFile(path: string, name: string): void {
    const segments = path.split('/');
    const key = this.#addParents(segments, name) + foldName(segments.at(-1) ?? '');
    const other = this.#files.get(key) ?? this.#folders.get(key)?.name;
    if (other !== undefined) throw collision(other, name);
    this.#files.set(key, name);
  }

  addFolder(path: string, name: string): void {
    const segments = path.split('/');
    const folder = this.#occupyFolder(path, this.#addParents(segments, name) + foldName(segments.at(-1) ?? ''), name);
    if (folder.declared) throw collision(folder.name, name);
    folder.declared = true;
  }

  /** @returns the key of the parent, to which that of the child is appended */
  #addParents(segments: readonly string[], name: string): string {
    let key = '';
    let path = '';
    for (const segment of segments.slice(0, -1)) {
      key += foldName(segment);
      path += segment;
      this.#occupyFolder(path, key, name);
      // A folded name may contain a slash; no name contains a NUL.
      key += '\0';
      path += '/';
    }
    return key;
  }

  #occupyFolder(path: string, key: string, name: string): Folder {
    const file = this.#files.get(key);
    if (file !== undefined) throw collision(file, name);
    const known = this.#folders.get(key);
    if (known !== undefined && known.path !== path) throw collision(known.name, name);
    if (known !== undefined) return known;
    const folder: Folder = { path, name, declared: false };
    this.#folders.set(key, folder);
    return folder;
  }
}

function collision(first: string, second: string): SkillwireError {
  const names = `${quoteText(first)} and ${quoteText(second)}`;
  const data = { paths: [first, second] };
  return refusedArchive('ARCHIVE_NAME_COLLISION', `${names} are the same path on some systems`, {
    remedy: 'Keep one of them',
    data,
  });
}

function linkedFile(
  path: string,
  link: PlannedLink,
  byPath: ReadonlyMap<string, PlannedFile | PlannedLink>,
): PlannedFile {
  let from = path;
  let entry: PlannedFile | PlannedLink = link;
  for (let hops = 0; entry.kind !== 'file'; hops++) {
    if (hops === limits.archive.linkHops) throw refusedLink(link, 'leads to a chain of too many links');
    const to = entry.kind === 'hardlink' ? normalTarget('', entry.target) : normalTarget(from, entry.target);
    if (to === undefined) throw refusedLink(link, 'leads out of the archive');
    const next = byPath.get(to);
    if (next === undefined) throw refusedLink(link, 'does not lead to a file of the archive');
    from = to;
    entry = next;
  }
  return entry;
}

/** A link target as a path of the archive; `undefined` if any step leaves it or is malformed. */
function normalTarget(from: string, target: string): string | undefined {
  if (target === '' || target.startsWith('/') || target.includes('\\') || target.includes('\0')) return undefined;
  const steps = from === '' ? [] : from.split('/').slice(0, -1);
  for (const step of target.split('/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.pop() === undefined) return undefined;
  }
  return steps.join('/').normalize('NFC');
}

function refusedLink(link: PlannedLink, fault: string): SkillwireError {
  return refusedArchive('ARCHIVE_LINK', `the link ${quoteText(link.name)} to ${quoteText(link.target)} ${fault}`, {
    remedy: 'Pack the file itself',
    data: { path: link.name, target: link.target },
  });
}
