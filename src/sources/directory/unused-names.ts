/** Files that are named to be published although they look secret or are hidden, and are not there: most likely the path is wrong. */
import { join, resolve } from 'node:path';
import { type Finding, finding } from '../../skill/finding.ts';
import type { RootState } from './directory-root.ts';
import type { FolderNode } from './folder-node.ts';
import { isInside } from './links.ts';

export function unusedNames(roots: readonly RootState[]): readonly Finding[] {
  return roots.flatMap(({ root: { path, publish = [] }, tree }) =>
    publish.flatMap((name) =>
      tree === undefined || hasFile(tree, resolve(path, name).normalize('NFC'))
        ? []
        : [finding('publish-unused', '"publish" names a file that is not served', { file: join(path, name) })],
    ),
  );
}

function hasFile(folder: FolderNode, file: string): boolean {
  const at = (shown: string): string => resolve(shown).normalize('NFC');
  return (
    at(folder.path.shown) === file ||
    folder.files.some(({ shown }) => at(shown) === file) ||
    folder.folders.some((child) => isInside(at(child.path.shown), file) && hasFile(child, file))
  );
}
