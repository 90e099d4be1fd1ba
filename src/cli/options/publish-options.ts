/** Options about published files: `--publish FILE` for files that look like keys or credentials, and `--archive-format`. */
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { Option } from 'commander';
import { archiveFormats } from '../../archive/archive-file.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { DirectoryRoot } from '../../sources/directory/directory-root.ts';
import { usageError } from '../cli.ts';

export function archiveFormatOption(): Option {
  return new Option('--archive-format <format>', 'Format of skills with several files (default: tar.gz)').choices(
    archiveFormats,
  );
}

export function publishOption(): Option {
  return new Option(
    '--publish <file>',
    'Publish a file that is hidden or looks like a key or credentials (repeatable)',
  ).argParser((file: string, earlier: readonly string[] = []) => [...earlier, file]);
}

/** Adds each file to the folder that contains it. @throws SkillwireError USAGE if no folder contains a file */
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
  throw usageError(`--publish ${quoteText(first)} is not in any of the folders. Name a file below one of them.`, {
    file: first,
  });
}
