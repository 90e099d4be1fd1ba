/** Where a file stands in the folder of its skill, decoded for people and models. The identity of a file stays its URI. */
import { type ResourceUri, tryParseResourceUri } from './resource-uri.ts';

/** Whoever asks for one file of a skill asks for the others next. */
let recent: { readonly skill: string; readonly folder: ResourceUri | undefined } | undefined;

/** The path of a file below the folder of the skill whose `SKILL.md` is `skill`; its whole URI where it is not in there. */
export function pathBelow(skill: string, uri: string): string {
  if (recent?.skill !== skill) recent = { skill, folder: tryParseResourceUri(skill) };
  const { folder } = recent;
  const file = tryParseResourceUri(uri);
  if (folder === undefined || file === undefined || file.scheme !== folder.scheme) return uri;
  const prefix = folder.path.slice(0, folder.path.lastIndexOf('/') + 1);
  return prefix !== '' && file.path.startsWith(prefix) ? file.path.slice(prefix.length) : uri;
}
