/** Options about published files: `--publish FILE` for hidden files and those that look like credentials, and `--archive-format`. */
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Option } from 'commander';
import { archiveFormats } from '../../archive/archive-file.ts';
import { canPublish, publishing } from '../../origins/location.ts';
import type { NamedOrigin } from '../../origins/named-origin.ts';
import { publishedPathPattern } from '../../origins/origin-kind.ts';
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
  return fileOption('Publish a file that is hidden or looks like a key or credentials (repeatable)');
}

export function installedFilesOption(): Option {
  return fileOption('Install a file that is hidden or looks like a key or credentials (repeatable)');
}

function fileOption(about: string): Option {
  return rareOption('common', '--publish <file>', about).argParser((file: string, earlier: readonly string[] = []) => [
    ...earlier,
    file,
  ]);
}

/**
 * Adds files to the one origin of a command. A file of a folder is a path as the shell knows it. One of an archive or a repository is a path
 * below its root.
 *
 * @throws SkillwireError USAGE if the origin has no such files
 */
export function publishingFrom(
  origins: readonly NamedOrigin[],
  files: readonly string[] | undefined,
  cwd: string,
): readonly NamedOrigin[] {
  if (files === undefined) return origins;
  return origins.map((origin) => {
    const { location, label } = origin;
    if (!canPublish(location))
      throw usageError(
        `--publish has no effect for ${quoteText(label)}: it names files of folders, archives and repositories.`,
      );
    if (location.kind === 'folder') {
      const [root] = withPublished([{ path: location.path }], files, cwd);
      const below = (root?.publish ?? []).map((file) => file.split(sep).join('/'));
      return { ...origin, location: publishing(location, below) };
    }
    const wrong = files.find((file) => !publishedPathPattern.test(file));
    if (wrong === undefined) return { ...origin, location: publishing(location, files) };
    throw usageError(
      `--publish ${quoteText(wrong)} is not a path below the root of ${quoteText(label)}. Write FOLDER/FILE.`,
      {
        file: wrong,
      },
    );
  });
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
