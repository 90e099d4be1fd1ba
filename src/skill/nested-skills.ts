/**
 * Paths of skills, and skills inside skills. The files of an inner skill are also files of the outer one, with the same URIs. To hide an
 * inner skill, one must find every skill that contains it.
 */
import { executableMetaKey, type SkillEntry, skillFileName } from './entry.ts';
import { tryParseResourceUri } from './resource-uri.ts';
import { buildSkillUri, skillFileUri, tryParseSkillUri } from './skill-uri.ts';

/** URIs of the `SKILL.md` files below a skill that its entry lists. */
export function nestedOf({ uri: own, resources }: Pick<SkillEntry, 'uri' | 'resources'>): readonly string[] {
  if (resources === 'dynamic') return [];
  const suffix = `/${skillFileName.toLowerCase()}`;
  return resources.map(({ uri }) => uri).filter((uri) => uri !== own && uri.toLowerCase().endsWith(suffix));
}

/** The decoded folder path of a file; for a `SKILL.md`, the path of its skill. */
export function folderPath(uri: string): string {
  const path = (tryParseResourceUri(uri) ?? tryParseSkillUri(uri))?.path ?? uri;
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/**
 * The path to publish a skill under: its folder, plus its name if the folder has another one. Older dialects allow a
 * different name, entries do not (S-24).
 */
export function namedPath({ uri, frontmatter: { name } }: Pick<SkillEntry, 'uri' | 'frontmatter'>): string {
  const folder = folderPath(uri);
  return folder.slice(folder.lastIndexOf('/') + 1) === name ? folder : `${folder}/${name}`;
}

/** The parent paths, innermost first: `a/b` and `a` for `a/b/c`. */
export function* pathsAround(path: string): Generator<string> {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) yield path.slice(0, end);
}

/** True if a skill may have files in a folder inside its own. Only the origin knows the files of a dynamic skill. */
export function hasFilesIn({ resources }: Pick<SkillEntry, 'resources'>, folder: string): boolean {
  if (resources === 'dynamic') return true;
  return resources.some(({ uri }) => `${folderPath(uri)}/`.startsWith(`${folder}/`));
}

/**
 * The entry of a skill at another path with the same name: the same files and digests at other URIs.
 *
 * @param from decoded path of the skill; `to` has the same last segment (S-24)
 */
export function movedEntry(entry: SkillEntry, from: string, to: string): SkillEntry {
  const base = `${buildSkillUri(from)}/`;
  const moved = (uri: string): string =>
    uri.startsWith(base) ? `${buildSkillUri(to)}/${uri.slice(base.length)}` : uri;
  const { resources, _meta } = entry;
  const executable = _meta?.[executableMetaKey];
  return {
    ...entry,
    uri: skillFileUri(to, skillFileName),
    resources:
      resources === 'dynamic' ? resources : resources.map((resource) => ({ ...resource, uri: moved(resource.uri) })),
    ...(Array.isArray(executable)
      ? { _meta: { ..._meta, [executableMetaKey]: executable.map((uri) => moved(String(uri))) } }
      : {}),
  };
}
