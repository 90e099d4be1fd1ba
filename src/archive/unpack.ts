/**
 * Reads archives of others. The whole archive is judged before a file of it is handed over: it is taken as it is or refused as a
 * whole, with a code that says why. Nothing here touches a disk; archives inside are files like any other. Digests of an archive are
 * the caller's business, before this.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { type ArchiveFile, type ArchiveFormat, type ArchiveLimits, archiveFormatOf } from './archive-file.ts';
import { planFiles } from './entry-plan.ts';
import { gunzip } from './gunzip.ts';
import { readTar } from './tar-reader.ts';
import { readZip } from './zip-reader.ts';

export interface UnpackOptions {
  /** What the wire or the name said. The first bytes decide; where they say something else the archive is refused. */
  readonly format?: ArchiveFormat;
  /** Default: `limits.archive.skill`. */
  readonly limits?: ArchiveLimits;
  readonly signal?: AbortSignal;
}

/**
 * The files of an archive, sorted by path. Their bytes are views of one piece of memory.
 *
 * @throws SkillwireError with a code ARCHIVE_*, or INTERRUPTED
 */
export async function unpackArchive(bytes: Uint8Array, options: UnpackOptions = {}): Promise<readonly ArchiveFile[]> {
  const bounds = options.limits ?? limits.archive.skill;
  if (bytes.length > limits.archive.packedBytes) {
    const fact = `it has ${bytes.length} bytes, at most ${limits.archive.packedBytes} are read`;
    throw new SkillwireError('ARCHIVE_TOO_LARGE', `cannot use the archive: ${fact}; pack less into it`);
  }
  const format = formatOf(bytes, options.format);
  if (format === 'zip') return planFiles(await readZip(bytes, bounds, options.signal), bounds);
  const most = bounds.bytes + bounds.entries * limits.archive.overheadBytes;
  return planFiles(readTar(await gunzip(bytes, most, options.signal), bounds), bounds);
}

function formatOf(bytes: Uint8Array, said: ArchiveFormat | undefined): ArchiveFormat {
  const format = archiveFormatOf(bytes);
  if (bytes.length === 0)
    throw new SkillwireError('ARCHIVE_EMPTY', 'cannot use the archive: it has no bytes; pack it anew');
  if (format === undefined) {
    const message = 'cannot use the archive: it begins neither like gzip nor like zip; pack it as tar.gz or zip';
    throw new SkillwireError('ARCHIVE_FORMAT', message);
  }
  if (said !== undefined && said !== format) {
    const message = `cannot use the archive: it should be a ${said} archive but begins like ${format}; name it what it is`;
    throw new SkillwireError('ARCHIVE_FORMAT', message, { data: { said, found: format } });
  }
  return format;
}
