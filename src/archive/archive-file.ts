/** Archives contain regular files only. Folders are the paths of files; links become copies. */

export const archiveFormats = ['tar.gz', 'zip'] as const;
export type ArchiveFormat = (typeof archiveFormats)[number];

export interface ArchiveFile {
  /** Relative, with slashes, in NFC. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** `limits.archive` has the values. */
export interface ArchiveLimits {
  readonly entries: number;
  readonly bytes: number;
}

/** The format by its first bytes; `undefined` if they match no known archive. */
export function archiveFormatOf(bytes: Uint8Array): ArchiveFormat | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'tar.gz';
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return undefined;
  // A local header, or the end record of an archive without entries.
  return (bytes[2] === 3 && bytes[3] === 4) || (bytes[2] === 5 && bytes[3] === 6) ? 'zip' : undefined;
}

/** The format by file name; `undefined` if the name does not say, as with `.skill`. */
export function archiveFormatOfName(name: string): ArchiveFormat | undefined {
  if (/\.(?:tar\.gz|tgz)$/i.test(name)) return 'tar.gz';
  return /\.zip$/i.test(name) ? 'zip' : undefined;
}
