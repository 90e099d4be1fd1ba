/** Checks the files of an archive: the layout of a skill, and the set of files that its publisher promised. */
import { SkillwireError, VerificationError } from '../errors.ts';
import { sha256Digest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import { skillFileName } from '../skill/entry.ts';
import type { ArchiveFile } from './archive-file.ts';

/**
 * Requires a `SKILL.md` at the root, as both index drafts and the well-known specification demand.
 *
 * @throws SkillwireError ARCHIVE_LAYOUT with the paths that were found instead
 */
export function checkSkillLayout(files: readonly ArchiveFile[]): void {
  if (files.some(({ path }) => path === skillFileName)) return;
  const others = files.filter(({ path }) => path.endsWith(`/${skillFileName}`)).map(({ path }) => path);
  const [first] = others;
  const found =
    first === undefined
      ? `none of its ${files.length} files is a "${skillFileName}"`
      : others.length === 1
        ? `its "${skillFileName}" is at ${quoteText(first)}`
        : `it contains ${others.length} of them, for example at ${quoteText(first)}`;
  const message = `Cannot use the archive as a skill: "${skillFileName}" must be at its root, but ${found}. Pack the skill's own folder, not its parent.`;
  throw new SkillwireError('ARCHIVE_LAYOUT', message, { data: { found: others } });
}

export interface PromisedFile {
  readonly path: string;
  readonly digest: string;
}

/**
 * Requires exactly the promised files: none more, none fewer, none changed.
 *
 * @throws VerificationError with the file, the expected and the found digest
 */
export async function checkPromisedSet(
  files: readonly ArchiveFile[],
  promised: readonly PromisedFile[],
): Promise<void> {
  const digests = new Map(promised.map(({ path, digest }) => [path, digest]));
  for (const { path, bytes } of files) {
    const expected = digests.get(path);
    if (expected === undefined) {
      throw mismatch('unlisted', `the file ${quoteText(path)} was not promised`, { path });
    }
    const found = await sha256Digest(bytes);
    if (found !== expected) {
      const fault = `${quoteText(path)} has the digest ${found}, not ${expected}`;
      throw mismatch('digest', fault, { path, expected, found });
    }
    digests.delete(path);
  }
  const [missing] = digests.keys();
  if (missing !== undefined) throw mismatch('missing', `the file ${quoteText(missing)} is missing`, { path: missing });
}

function mismatch(
  reason: 'unlisted' | 'digest' | 'missing',
  fault: string,
  data: Readonly<Record<string, string>>,
): VerificationError {
  return new VerificationError(reason, `The archive fails verification: ${fault}. Report this to the publisher.`, {
    data,
  });
}
