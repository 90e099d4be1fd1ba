/**
 * The plan of an archive: all entries, judged together before a byte of them is used. It holds regular files only. A link
 * becomes a copy where it leads to a regular file of the same archive; every other link refuses the whole, as do two entries
 * that some system would take for one.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { foldName } from '../skill/file-path.ts';
import type { ArchiveFile, ArchiveLimits } from './archive-file.ts';
import { archivePath, comparePaths } from './archive-path.ts';

export type PlannedEntry = PlannedFile | PlannedFolder | PlannedLink;

interface PlannedFile {
  readonly kind: 'file';
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

interface PlannedFolder {
  readonly kind: 'folder';
  readonly name: string;
}

interface PlannedLink {
  /** The target of a `symlink` is meant from its folder, that of a `hardlink` from the root of the archive. */
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
  const places = new Places();
  for (const entry of entries) {
    if (entry.kind === 'folder') {
      const path = folderPath(entry.name);
      if (path !== '') places.addFolder(path, entry.name);
      continue;
    }
    const path = archivePath(entry.name);
    places.addFile(path, entry.name);
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
    throw new SkillwireError('ARCHIVE_EMPTY', 'cannot use the archive: it holds no file; pack the folder of a skill');
  }
  return files.sort((a, b) => comparePaths(a.path, b.path));
}

export function tooManyEntries(bounds: ArchiveLimits): SkillwireError {
  const message = `cannot use the archive: it has more than ${bounds.entries} entries; pack fewer files`;
  return new SkillwireError('ARCHIVE_TOO_LARGE', message, { data: { limit: bounds.entries } });
}

export function tooManyBytes(bounds: ArchiveLimits): SkillwireError {
  const message = `cannot use the archive: it unpacks to more than ${bounds.bytes} bytes; pack less`;
  return new SkillwireError('ARCHIVE_TOO_LARGE', message, { data: { limit: bounds.bytes } });
}

/** `./` and `.` are the root of the archive itself. */
function folderPath(name: string): string {
  if (name === '.' || name === './') return '';
  return archivePath(name.endsWith('/') ? name.slice(0, -1) : name);
}

interface Folder {
  readonly path: string;
  /** Of the entry that names it, or is below it. */
  readonly name: string;
  declared: boolean;
}

/** Who is where, by paths in the form in which file systems that ignore case or Unicode form compare them. */
class Places {
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
    const folder = this.#addPlace(path, this.#addParents(segments, name) + foldName(segments.at(-1) ?? ''), name);
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
      this.#addPlace(path, key, name);
      // A folded name may hold a slash; no name holds a NUL.
      key += '\0';
      path += '/';
    }
    return key;
  }

  #addPlace(path: string, key: string, name: string): Folder {
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
  const message = `cannot use the archive: ${names} are the same place on some systems; keep one of them`;
  return new SkillwireError('ARCHIVE_NAME_COLLISION', message, { data: { paths: [first, second] } });
}

function linkedFile(
  path: string,
  link: PlannedLink,
  byPath: ReadonlyMap<string, PlannedFile | PlannedLink>,
): PlannedFile {
  let from = path;
  let entry: PlannedFile | PlannedLink = link;
  for (let hops = 0; entry.kind !== 'file'; hops++) {
    if (hops === limits.archive.linkHops) throw refusedLink(link, 'leads to more links than are followed');
    const to = entry.kind === 'hardlink' ? normalTarget('', entry.target) : normalTarget(from, entry.target);
    if (to === undefined) throw refusedLink(link, 'leads out of the archive');
    const next = byPath.get(to);
    if (next === undefined) throw refusedLink(link, 'leads to no file of the archive');
    from = to;
    entry = next;
  }
  return entry;
}

/** A target as a path of the archive; undefined where any step of it is outside or no step of ours. */
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
  const what = `the link ${quoteText(link.name)} to ${quoteText(link.target)}`;
  const message = `cannot use the archive: ${what} ${fault}; pack the file itself`;
  return new SkillwireError('ARCHIVE_LINK', message, { data: { path: link.name, target: link.target } });
}
