/** Options about published files: `--publish FILE` for files that look like keys or credentials, and `--archive-format`. */
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Option } from 'commander';
import { archiveFormats } from '../../archive/archive-file.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { DirectoryRoot } from '../../sources/directory/directory-root.ts';
import { usageError } from '../cli.ts';
import { rareOption } from '../help/option-groups.ts';

export function archiveFormatOption(): Option {
  const about = 'Format of skills with several files (default: tar.gz)';
  return rareOption('common', '--archive-format <format>', about).choices(archiveFormats);
}

export function agentFoldersOption(): Option {
  return rareOption('common', '--agent-folders', 'Publish skills in hidden agent folders too, such as .claude/skills');
}

export function publishOption(): Option {
  const about = 'Publish a file that is hidden or looks like a key or credentials (repeatable)';
  return rareOption('common', '--publish <file>', about).argParser((file: string, earlier: readonly string[] = []) => [
    ...earlier,
    file,
  ]);
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
