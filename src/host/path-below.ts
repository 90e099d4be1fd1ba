/** Where a file stands in the folder of its skill, decoded for people and models. The identity of a file stays its URI. */
import { tryParseResourceUri } from '../skill/resource-uri.ts';

/** The path of a file below the folder of the skill whose `SKILL.md` is `skill`; its whole URI where it is not in there. */
export function pathBelow(skill: string, uri: string): string {
  const folder = tryParseResourceUri(skill);
  const file = tryParseResourceUri(uri);
  if (folder === undefined || file === undefined || file.scheme !== folder.scheme) return uri;
  const prefix = folder.path.slice(0, folder.path.lastIndexOf('/') + 1);
  return prefix !== '' && file.path.startsWith(prefix) ? file.path.slice(prefix.length) : uri;
}
