/** The entry of an installed version, made again from its row in the lock file. */
import { executableMetaKey, type Frontmatter, type SkillEntry, skillFileName } from '../skill/entry.ts';
import type { LockedSkill } from './install-lock.ts';

/** @param uriOf the URI of a path, if its origin spells it in its own way */
export function lockedEntry(
  locked: Pick<LockedSkill, 'uri' | 'files'>,
  frontmatter: Frontmatter,
  uriOf = (path: string): string => lockedUri(locked, path),
): SkillEntry {
  const rows = Object.entries(locked.files);
  const resources = rows.map(([path, { digest, size }]) => ({ uri: uriOf(path), digest, size }));
  const executable = rows.flatMap(([path, file]) => (file.executable ? [uriOf(path)] : []));
  return {
    uri: uriOf(skillFileName),
    frontmatter,
    resources: resources.sort((a, b) => (a.uri < b.uri ? -1 : 1)),
    ...(executable.length === 0 ? {} : { _meta: { [executableMetaKey]: executable } }),
  };
}

/** The canonical URI of a file of a locked skill. */
export function lockedUri({ uri }: Pick<LockedSkill, 'uri'>, path: string): string {
  return `${uri.slice(0, -skillFileName.length)}${path.split('/').map(encodeURIComponent).join('/')}`;
}
