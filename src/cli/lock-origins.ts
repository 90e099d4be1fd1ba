/** Between origins as they are read and origins as a lock file names them, so that the file means the same to everybody who has it. */
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { LockedOrigin } from '../sync/install-decision.ts';
import { labelOf, type ReadingOrigin } from './reading-origins.ts';

/** A folder or archive inside of the root is named from there. */
export function lockedOrigin(origin: ReadingOrigin, root: string, revision?: string): LockedOrigin {
  const text = labelOf(origin.place);
  return {
    origin: isAbsolute(text) ? fromRoot(text, root) : text,
    ...(origin.label === text ? {} : { label: origin.label }),
    ...(revision === undefined ? {} : { revision }),
  };
}

function fromRoot(path: string, root: string): string {
  const way = relative(root, path);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return path;
  return way === '' ? '.' : `./${way.split(sep).join('/')}`;
}

/** Where a folder or an archive of a lock file is on this machine; undefined for every other origin. */
export function originPath({ origin }: LockedOrigin, root: string): string | undefined {
  if (/^\.{1,2}(?:\/|$)/.test(origin)) return resolve(root, origin);
  return isAbsolute(origin) ? origin : undefined;
}

/**
 * What to write on a command line to read the origin of a locked skill. A label that is known here is used, with what it says about
 * the way there; otherwise the origin itself, under the label that it had.
 *
 * @param pinned at the commit of the lock file, where it has one
 */
export function originArgument(
  locked: LockedOrigin,
  root: string,
  known: ReadonlySet<string>,
  pinned: boolean,
): string {
  const { origin, label, revision } = locked;
  const place = originPath(locked, root) ?? origin;
  if (pinned && revision !== undefined && origin.startsWith('git:')) return `${place.replace(/#.*$/, '')}#${revision}`;
  if (label === undefined) return place;
  return known.has(label) ? label : `${label}=${place}`;
}
