/**
 * File paths in the v0.1 index ("Files Array"): relative, `/` between segments, printable ASCII without `\ ? # [ ]`.
 * The same rule applies to publishing and reading. Reading also refuses lists that cannot coexist on a disk or exceed
 * the limits of a skill.
 */
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import type { EntryFault } from '../../skill/entry-faults.ts';
import { foldName } from '../../skill/file-path.ts';

/** Why v0.1 does not allow the path, as a phrase to follow it; `undefined` if it does. */
export function listedPathFault(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.length > limits.path.characters)
    return `has ${path.length} characters; at most ${limits.path.characters} are allowed`;
  if (path.startsWith('/')) return 'starts with a slash';
  if (/[^\x20-\x7e]/.test(path)) return 'contains characters that are not printable ASCII';
  const special = /[\\?#[\]]/.exec(path)?.[0];
  if (special !== undefined) return `contains the character ${special}`;
  for (const segment of path.split('/')) {
    if (segment === '..' || segment === '.') return `has a segment "${segment}"`;
    if (segment === '') return 'has an empty segment';
  }
  return undefined;
}

/** The URL of a file: the path is encoded segment by segment, so a percent sign in a name is encoded too. */
export function fileUrl(indexUrl: string, name: string, path: string): string {
  const encoded = path.split('/').map((segment) => encodeURIComponent(segment));
  return new URL(`${encodeURIComponent(name)}/${encoded.join('/')}`, indexUrl).href;
}

/** Faults of all paths of one entry together. */
export function fileListFaults(paths: readonly string[]): readonly EntryFault[] {
  const faults: EntryFault[] = [];
  const fault = (requirement: string, message: string): void => {
    faults.push({ requirement, message });
  };
  if (paths.length === 0) fault('wk01:files-not-empty', 'files is empty');
  else if (paths.length > limits.skill.files)
    fault('wk01:files-not-empty', `files lists ${paths.length} files; at most ${limits.skill.files} are allowed`);
  if (faults.length > 0) return faults;
  if (!paths.includes(skillFileName)) fault('wk01:files-skill-md', `files does not list ${skillFileName}`);
  const byFoldedName = new Map<string, string>();
  const folders = new Map<string, string>();
  for (const [index, path] of paths.entries()) {
    const wrong = listedPathFault(path);
    if (wrong !== undefined) {
      fault('wk01:files-paths', `files[${index}] ${quoteText(path)} ${wrong}`);
      continue;
    }
    const fold = foldName(path);
    const other = byFoldedName.get(fold);
    if (other !== undefined) {
      const how = other === path ? 'is listed twice' : `cannot coexist with ${quoteText(other)} on every disk`;
      fault('wk01:files-paths', `files[${index}] ${quoteText(path)} ${how}`);
      continue;
    }
    byFoldedName.set(fold, path);
    for (let end = fold.indexOf('/'); end !== -1; end = fold.indexOf('/', end + 1))
      folders.set(fold.slice(0, end), path);
  }
  for (const [fold, path] of byFoldedName) {
    const below = folders.get(fold);
    if (below !== undefined)
      fault('wk01:files-paths', `files lists ${quoteText(path)} as a file, and ${quoteText(below)} below it`);
  }
  return faults;
}
