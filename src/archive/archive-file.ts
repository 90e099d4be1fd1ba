/** What goes into an archive and comes out of one: regular files only. Folders are the paths of files; links become copies. */

export const archiveFormats = ['tar.gz', 'zip'] as const;
export type ArchiveFormat = (typeof archiveFormats)[number];

export interface ArchiveFile {
  /** Relative, with slashes, in NFC. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** The most that an archive may hold; `limits.archive` has the values. */
export interface ArchiveLimits {
  readonly entries: number;
  readonly bytes: number;
}

/** The format that the first bytes tell; undefined where they are no archive of a known kind. */
export function archiveFormatOf(bytes: Uint8Array): ArchiveFormat | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'tar.gz';
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return undefined;
  // A local header, or the end of an archive without entries.
  return (bytes[2] === 3 && bytes[3] === 4) || (bytes[2] === 5 && bytes[3] === 6) ? 'zip' : undefined;
}

/** The format that the name of a file promises; undefined where it promises none, as `.skill` does. */
export function archiveFormatOfName(name: string): ArchiveFormat | undefined {
  if (/\.(?:tar\.gz|tgz)$/i.test(name)) return 'tar.gz';
  return /\.zip$/i.test(name) ? 'zip' : undefined;
}
