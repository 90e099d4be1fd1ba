/** Whether an archive holds exactly the files that its publisher promised beside it: none more, none less, none changed. */
import { VerificationError } from '../errors.ts';
import { sha256Digest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import type { ArchiveFile } from './archive-file.ts';

export interface PromisedFile {
  readonly path: string;
  readonly digest: string;
}

/** @throws VerificationError with the file, what was promised and what was found */
export async function checkPromisedSet(
  files: readonly ArchiveFile[],
  promised: readonly PromisedFile[],
): Promise<void> {
  const digests = new Map(promised.map(({ path, digest }) => [path, digest]));
  for (const { path, bytes } of files) {
    const expected = digests.get(path);
    if (expected === undefined) {
      const message = `the archive does not hold what was promised: nothing was said about its file ${quoteText(path)}`;
      throw new VerificationError('unlisted', `${message}; tell the publisher`, { data: { path } });
    }
    const found = await sha256Digest(bytes);
    if (found !== expected) {
      const message = `the archive does not hold what was promised: ${quoteText(path)} has the digest ${found}, not ${expected}`;
      throw new VerificationError('digest', `${message}; tell the publisher`, { data: { path, expected, found } });
    }
    digests.delete(path);
  }
  const [missing] = digests.keys();
  if (missing === undefined) return;
  const message = `the archive does not hold what was promised: it has no file ${quoteText(missing)}`;
  throw new VerificationError('missing', `${message}; tell the publisher`, { data: { path: missing } });
}
