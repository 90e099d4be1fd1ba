/**
 * Locations of skill archives. We publish `<folder of the skill>.tar.gz` and `.zip`. Two drafts have archives. One derives the folder from
 * the URI without its suffix, the other ignores the URI. So both read this URI the same way.
 */
import type { ArtifactFormat } from '../dialect-skill.ts';

export const archiveMediaTypes: Readonly<Record<ArtifactFormat, string>> = {
  'tar.gz': 'application/gzip',
  zip: 'application/zip',
};

const formatsByType: ReadonlyMap<string, ArtifactFormat> = new Map([
  ['application/gzip', 'tar.gz'],
  ['application/x-gzip', 'tar.gz'],
  ['application/x-tar+gzip', 'tar.gz'],
  ['application/tar+gzip', 'tar.gz'],
  ['application/zip', 'zip'],
  ['application/x-zip-compressed', 'zip'],
]);

const suffixes: readonly (readonly [suffix: string, format: ArtifactFormat])[] = [
  ['.tar.gz', 'tar.gz'],
  ['.tgz', 'tar.gz'],
  ['.zip', 'zip'],
];

/** The archive URI for a `SKILL.md` URI. */
export function archiveUri(skillUri: string, format: ArtifactFormat): string {
  return `${skillUri.slice(0, skillUri.lastIndexOf('/'))}.${format}`;
}

/** The format of a media type, ignoring parameters and case. */
export function archiveFormatOfType(mimeType: string): ArtifactFormat | undefined {
  return formatsByType.get((mimeType.split(';', 1)[0] ?? '').trim().toLowerCase());
}

/** The path before the archive suffix, and the format. */
export function splitArchivePath(path: string): { readonly stem: string; readonly format: ArtifactFormat } | undefined {
  for (const [suffix, format] of suffixes)
    if (path.endsWith(suffix) && path.length > suffix.length) return { stem: path.slice(0, -suffix.length), format };
  return undefined;
}
