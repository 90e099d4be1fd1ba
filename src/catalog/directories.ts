/**
 * Directories of the skill namespace, for `resources/directory/read`. Inside a skill, the children are exactly those of
 * its entry, so that a host never sees a file that the entry does not promise. Above skills, they are the folders that
 * lead to listed skills.
 */
import { buildSkillUri } from '../skill/skill-uri.ts';
import { placeOf } from './skill-index.ts';
import type { CatalogChild, SkillRecord } from './skill-record.ts';

const directoryType = 'inode/directory';

function sorted(children: Map<string, CatalogChild>): readonly CatalogChild[] {
  return [...children.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
}

function directory(path: string, name: string): CatalogChild {
  return { uri: buildSkillUri(path), name, kind: 'directory', mediaType: directoryType };
}

/**
 * Children of a directory inside a skill. `base` is the requested path of the skill, its own or an alias; `below` is ''
 * for the skill's folder.
 */
export function skillDirectory(skill: SkillRecord, base: string, below: string): readonly CatalogChild[] | undefined {
  const prefix = below === '' ? '' : `${below}/`;
  const children = new Map<string, CatalogChild>();
  let exists = below === '';
  const addFolder = (path: string): void => {
    const name = path.slice(prefix.length).split('/', 1)[0] ?? '';
    if (!children.has(name)) children.set(name, directory(`${base}/${prefix}${name}`, name));
  };
  for (const file of skill.files.values()) {
    if (!file.path.startsWith(prefix)) continue;
    exists = true;
    const name = file.path.slice(prefix.length);
    if (name.includes('/')) addFolder(file.path);
    else
      children.set(name, {
        uri: base === skill.path ? file.uri : buildSkillUri(`${base}/${file.path}`),
        name,
        kind: 'file',
        mediaType: file.mediaType,
        size: file.size,
      });
  }
  for (const empty of skill.source.emptyDirectories ?? []) {
    if (empty === below) exists = true;
    else if (empty.startsWith(prefix)) {
      exists = true;
      addFolder(empty);
    }
  }
  return exists ? sorted(children) : undefined;
}

/**
 * Folders one level below a path ('' for the whole namespace) that lead to listed skills. These are sorted by URI, so
 * the skills of a known folder are skipped at once.
 */
export function skillsBelow(listed: readonly SkillRecord[], path: string): readonly CatalogChild[] | undefined {
  const prefix = path === '' ? '' : `${path}/`;
  const base = path === '' ? 'skill://' : `${buildSkillUri(path)}/`;
  const children = new Map<string, CatalogChild>();
  for (let at = placeOf(listed, base); at < listed.length; ) {
    const skill = listed[at] as SkillRecord;
    if (!skill.entry.uri.startsWith(base)) break;
    const name = skill.path.slice(prefix.length).split('/', 1)[0] ?? '';
    at++;
    if (name === '') continue;
    const child = directory(`${prefix}${name}`, name);
    children.set(name, child);
    // "0" follows "/" in ASCII.
    at = Math.max(at, placeOf(listed, `${child.uri}0`));
  }
  return children.size > 0 || path === '' ? sorted(children) : undefined;
}
