/**
 * Which names may become files and folders of an installed skill. What passes is one file on every system, inside the folder of the
 * skill, and nothing that a version control system would take for its own settings. Holds for origins and lock files alike: both
 * come from others.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { foldName, parseFileName, windowsFault } from '../skill/file-path.ts';

/** Folders whose files programs read as settings, with commands in them. */
const settingsFolders: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.bzr', '.jj']);

/** Why the text cannot be one name in a path, as a phrase that goes after "the name"; undefined if it can. */
export function nameFault(name: string): string | undefined {
  const parsed = parseFileName(name);
  if (!parsed.ok) return parsed.fault;
  if (parsed.name !== name) return 'is not in the Unicode form NFC';
  if (settingsFolders.has(foldName(name))) return 'belongs to a version control system';
  return windowsFault(name);
}

/** Why the text cannot be the folder of a skill. */
export function folderNameFault(name: string): string | undefined {
  if (name.startsWith('.')) return 'begins with a dot';
  return nameFault(name);
}

/**
 * The first fault of a list of paths below a skill, as a sentence without its end; undefined where all can be written.
 *
 * @param good names without fault, which are looked at once for all the skills that have them
 */
export function pathsFault(paths: Iterable<string>, good: Set<string> = new Set()): string | undefined {
  const files = new Set<string>();
  const folders = new Map<string, string>();
  for (const path of paths) {
    const segments = path.split('/');
    if (path.length > limits.path.characters || segments.length > limits.path.depth)
      return `the path ${quoteText(path)} is too long`;
    for (const segment of segments) {
      if (good.has(segment)) continue;
      const fault = nameFault(segment);
      if (fault !== undefined) return `the path ${quoteText(path)} has a name that ${fault}`;
      good.add(segment);
    }
    for (let end = 1; end < segments.length; end++) {
      const folder = segments.slice(0, end).join('/');
      const known = folders.get(foldName(folder));
      if (known !== undefined && known !== folder)
        return `${quoteText(known)} and ${quoteText(folder)} are one folder on some systems`;
      folders.set(foldName(folder), folder);
    }
    if (files.has(foldName(path))) return `two files are ${quoteText(path)} on some systems`;
    files.add(foldName(path));
  }
  for (const file of files) if (folders.has(file)) return `${quoteText(file)} is both a file and a folder`;
  return undefined;
}

/** @throws SkillwireError INVALID_SKILL */
export function requireSafeNames(name: string, paths: Iterable<string>): void {
  const own = folderNameFault(name);
  const fault = own === undefined ? pathsFault(paths) : `its name ${quoteText(name)} ${own}`;
  if (fault === undefined) return;
  throw new SkillwireError(
    'INVALID_SKILL',
    `cannot install ${quoteText(name)}: ${fault}; ask its author to rename it`,
    { data: { name } },
  );
}
