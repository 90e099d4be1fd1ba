/**
 * Skills inside skills. The files of an inner skill are files of the outer one too, with the same URIs; so whoever hides an inner
 * skill must find every skill that carries it.
 */
import { type SkillEntry, skillFileName } from './entry.ts';
import { tryParseResourceUri } from './resource-uri.ts';
import { tryParseSkillUri } from './skill-uri.ts';

/** URIs of the `SKILL.md` files below a skill, as far as its entry names its files. */
export function nestedOf({ uri: own, resources }: Pick<SkillEntry, 'uri' | 'resources'>): readonly string[] {
  if (resources === 'dynamic') return [];
  const suffix = `/${skillFileName.toLowerCase()}`;
  return resources.map(({ uri }) => uri).filter((uri) => uri !== own && uri.toLowerCase().endsWith(suffix));
}

/** The decoded path of the folder that a file lies in; of a `SKILL.md` that is the path of its skill. */
export function folderPath(uri: string): string {
  const path = (tryParseResourceUri(uri) ?? tryParseSkillUri(uri))?.path ?? uri;
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/**
 * The path under which a skill can be published: that of its folder, and behind it its name if the folder has another one. Older dialects
 * allow that, an entry does not (S-24).
 */
export function namedPath({ uri, frontmatter: { name } }: Pick<SkillEntry, 'uri' | 'frontmatter'>): string {
  const folder = folderPath(uri);
  return folder.slice(folder.lastIndexOf('/') + 1) === name ? folder : `${folder}/${name}`;
}

/** The paths around a path, from the innermost: `a/b` and `a` for `a/b/c`. */
export function* pathsAround(path: string): Generator<string> {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) yield path.slice(0, end);
}

/** Whether a skill may have files in a folder inside its own. Which files a dynamic skill has is known only to its origin. */
export function hasFilesIn({ resources }: Pick<SkillEntry, 'resources'>, folder: string): boolean {
  if (resources === 'dynamic') return true;
  return resources.some(({ uri }) => `${folderPath(uri)}/`.startsWith(`${folder}/`));
}
