/** Reads an archive from a disk, up to its limit, and tells whether the file is still the one that was read. */
import { constants, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';

export interface ArchiveContent {
  readonly bytes: Uint8Array;
  /** Differs when the file was changed or replaced. */
  readonly stamp: string;
}

/** O_NONBLOCK does not exist on Windows. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export async function readArchiveFile(path: string): Promise<ArchiveContent> {
  try {
    const file = await open(path, flags);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw unreadable(path, 'it is not a file', 'name an archive');
      if (stats.size > limits.archive.packedBytes) {
        const fact = `it has ${stats.size} bytes, at most ${limits.archive.packedBytes} are read`;
        throw new SkillwireError('ARCHIVE_TOO_LARGE', `cannot use ${quoteText(path)}: ${fact}; pack less into it`, {
          data: { path },
        });
      }
      const bytes = new Uint8Array(stats.size);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      return { bytes: bytes.subarray(0, bytesRead), stamp: stampOf(stats) };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw readFailure(error, path);
  }
}

/** The stamp of the file as it is now; undefined where it cannot be asked for. */
export async function archiveStamp(path: string): Promise<string | undefined> {
  try {
    return stampOf(await stat(path));
  } catch {
    return undefined;
  }
}

function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

function readFailure(error: unknown, path: string): SkillwireError {
  if (error instanceof SkillwireError) return error;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    const message = `cannot read ${quoteText(path)}: there is no such file; check the path`;
    return new SkillwireError('ORIGIN_NOT_FOUND', message, { data: { path }, cause: error });
  }
  return unreadable(path, code ?? String(error), 'check its permissions', error);
}

function unreadable(path: string, reason: string, remedy: string, cause?: unknown): SkillwireError {
  return new SkillwireError('ORIGIN_UNREADABLE', `cannot read ${quoteText(path)}: ${reason}; ${remedy}`, {
    data: { path },
    cause,
  });
}
