/**
 * Where the archive of a skill lies. We publish `<folder of the skill>.tar.gz` and `.zip`: of the two drafts that know
 * archives, one takes the URI without its suffix for the folder of the skill and the other gives the URI no meaning, so
 * both read this the same way.
 */
import type { ArchiveFormat } from '../dialect-skill.ts';

export const archiveMediaTypes: Readonly<Record<ArchiveFormat, string>> = {
  'tar.gz': 'application/gzip',
  zip: 'application/zip',
};

const formatsByType: ReadonlyMap<string, ArchiveFormat> = new Map([
  ['application/gzip', 'tar.gz'],
  ['application/x-gzip', 'tar.gz'],
  ['application/x-tar+gzip', 'tar.gz'],
  ['application/tar+gzip', 'tar.gz'],
  ['application/zip', 'zip'],
  ['application/x-zip-compressed', 'zip'],
]);

const suffixes: readonly (readonly [suffix: string, format: ArchiveFormat])[] = [
  ['.tar.gz', 'tar.gz'],
  ['.tgz', 'tar.gz'],
  ['.zip', 'zip'],
];

/** The URI of the archive of a skill, from that of its `SKILL.md`. */
export function archiveUri(skillUri: string, format: ArchiveFormat): string {
  return `${skillUri.slice(0, skillUri.lastIndexOf('/'))}.${format}`;
}

/** The format that a media type names, whatever its parameters and case. */
export function archiveFormatOfType(mimeType: string): ArchiveFormat | undefined {
  return formatsByType.get((mimeType.split(';', 1)[0] ?? '').trim().toLowerCase());
}

/** What stands before the suffix of an archive, and its format. */
export function splitArchivePath(path: string): { readonly stem: string; readonly format: ArchiveFormat } | undefined {
  for (const [suffix, format] of suffixes)
    if (path.endsWith(suffix) && path.length > suffix.length) return { stem: path.slice(0, -suffix.length), format };
  return undefined;
}
