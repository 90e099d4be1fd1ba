/** `--publish FILE`: files that are published although they look like private keys or credentials. */
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { Option } from 'commander';
import { archiveFormats } from '../../archive/archive-file.ts';
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { DirectoryRoot } from '../../sources/directory/directory-root.ts';

export function publishOption(): Option {
  const about = 'publish this file although it is hidden or looks like a key or credentials (repeatable)';
  return new Option('--publish <file>', about).argParser((file: string, before: readonly string[] | undefined) => [
    ...(before ?? []),
    file,
  ]);
}

/**
 * The folders, each with the files below it that are named.
 *
 * @throws SkillwireError USAGE where a file is in none of them
 */
export function withPublished(
  roots: readonly DirectoryRoot[],
  files: readonly string[],
  cwd: string,
): readonly DirectoryRoot[] {
  const unused = new Set(files);
  const named = roots.map((root) => {
    const publish = files.flatMap((file) => {
      const below = relative(resolve(cwd, root.path), resolve(cwd, file));
      if (below === '' || below === '..' || below.startsWith(join('..', sep)) || isAbsolute(below)) return [];
      unused.delete(file);
      return [below];
    });
    return publish.length === 0 ? root : { ...root, publish: [...(root.publish ?? []), ...publish] };
  });
  const [first] = unused;
  if (first === undefined) return named;
  const message = `--publish ${quoteText(first)} is in none of the folders; name a file below one of them`;
  throw new SkillwireError('USAGE', message, { data: { file: first } });
}

/** `--archive-format`, which `serve` and `build` share. */

export function archiveFormatOption(): Option {
  const option = new Option(
    '--archive-format <format>',
    'how skills with several files are published (default: tar.gz)',
  );
  return option.choices(archiveFormats);
}
