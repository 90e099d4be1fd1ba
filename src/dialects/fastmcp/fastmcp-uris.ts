/**
 * URIs of FastMCP 3 and skillsdotnet: every file of a skill at its path, and a manifest beside them that is no file.
 * FastMCP's own servers have one folder per skill (`skill://{dir}/…`, cut at the first slash), its client takes
 * whatever stands before `/SKILL.md` for the name, so nested paths work with it too.
 */
import { skillFileName } from '../../skill/entry.ts';
import { encodePath } from '../relative-path.ts';

export const manifestName = '_manifest';

/** The manifest beside a `SKILL.md`. */
export function manifestUri(skillUri: string): string {
  return skillUri.slice(0, skillUri.lastIndexOf('/') + 1) + manifestName;
}

/** The `SKILL.md` beside a manifest, or undefined for another URI. */
export function skillUriOfManifest(uri: string): string | undefined {
  const ending = `/${manifestName}`;
  const folder = uri.endsWith(ending) ? uri.slice(0, -manifestName.length) : '';
  return /^[a-z][a-z0-9+.-]*:\/\/./i.test(folder) ? `${folder}${skillFileName}` : undefined;
}

/** A file of a skill, from the URI of its `SKILL.md` and a decoded path. */
export function fileUri(skillUri: string, path: string): string {
  return skillUri.slice(0, skillUri.lastIndexOf('/') + 1) + encodePath(path);
}

/** The name by which FastMCP's client helpers call a skill: all between `skill://` and `/SKILL.md`. */
export function clientName(uri: string): string | undefined {
  return /^skill:\/\/(.+)\/SKILL\.md$/.exec(uri)?.[1];
}

/** The template for all files of one skill, as FastMCP registers it. */
export function fileTemplate(skillUri: string): string {
  return `${skillUri.slice(0, skillUri.lastIndexOf('/') + 1)}{path*}`;
}
