/**
 * Which names may become files and folders of an installed skill. An accepted path names the same file on every system, inside the folder
 * of the skill. It is never a setting of a version control system. Paths of origins and lock files are both checked: both are foreign.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { foldName, parseFileName, windowsFault } from '../skill/file-path.ts';

/** Folders with settings that can run commands. */
const settingsFolders: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.bzr', '.jj']);

/** Why the text cannot be a name in a path, as a phrase after "the name"; `undefined` if it can. */
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
 * The first fault in the paths of a skill, as a sentence without a period; `undefined` if all can be written.
 *
 * @param good valid names, so that each is checked once for all skills
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
    `Cannot install ${quoteText(name)}: ${fault}. Ask its author to rename it.`,
    { data: { name } },
  );
}
