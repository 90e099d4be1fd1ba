import { encodePath } from '../relative-path.ts';

export const manifestName = '_manifest';

/** The manifest beside a `SKILL.md`. */
export function manifestUri(skillUri: string): string {
  return skillUri.slice(0, skillUri.lastIndexOf('/') + 1) + manifestName;
}

/** A file of a skill, from the URI of its `SKILL.md` and a decoded path. */
export function fileUri(skillUri: string, path: string): string {
  return skillUri.slice(0, skillUri.lastIndexOf('/') + 1) + encodePath(path);
}
