/** Where a skill is in its archive: at the root, as both drafts of the index and the well-known text ask. */
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';
import { skillFileName } from '../skill/entry.ts';
import type { ArchiveFile } from './archive-file.ts';

/**
 * Passes where the files are one skill: a `SKILL.md` at the root.
 *
 * @throws SkillwireError ARCHIVE_LAYOUT with what was found instead
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
        : `it holds ${others.length} of them, for example at ${quoteText(first)}`;
  const message = `cannot use the archive as a skill: "${skillFileName}" must be at its root, but ${found}; pack the folder of the skill, not the one above it`;
  throw new SkillwireError('ARCHIVE_LAYOUT', message, { data: { found: others } });
}
