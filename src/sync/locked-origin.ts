/**
 * Where the lock file says that a skill comes from: a typed value, checked when the file is read. A lock file comes with a repository,
 * so its texts never become a command line. The first version of the file had a text as on the command line; it is read into the same
 * values, once, here.
 */
import { SkillwireError } from '../errors.ts';
import { isArchiveName } from '../origins/archive-path.ts';
import { locationText } from '../origins/kinds.ts';
import { type LockedLocation, sameLocation } from '../origins/location.ts';
import { isLabel, labelRule, parseConfiguredOrigin } from '../origins/parse-origin.ts';
import { locationWith } from '../origins/place-of.ts';
import { readLocation } from '../origins/read-place.ts';

export interface LockedOrigin {
  /** A path inside of the project is relative to its root. */
  readonly origin: LockedLocation;
  /** Under which the origin is known in a configuration, if it has such a name. */
  readonly label?: string;
  /** The commit, of a Git repository. */
  readonly revision?: string;
}

/** For people. Never parsed. */
export function lockedPlaceText(place: LockedLocation): string {
  return place.kind === 'label' ? place.label : locationText(place);
}

export function sameLockedPlace(a: LockedLocation, b: LockedLocation): boolean {
  if (a.kind === 'label' || b.kind === 'label') return a.kind === b.kind && lockedPlaceText(a) === lockedPlaceText(b);
  return sameLocation(a, b);
}

/** @returns the place, or what is wrong with it */
export function readLockedPlace(value: unknown): LockedLocation | { readonly fault: string } {
  if (typeof value === 'string') return readText(value);
  if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'label') {
    const label = 'label' in value ? value.label : undefined;
    return typeof label === 'string' && isLabel(label) ? { kind: 'label', label } : { fault: labelRule };
  }
  return readLocation(value);
}

/** The first version of the file. */
function readText(text: string): LockedLocation | { readonly fault: string } {
  if (text === '' || text.includes('\0')) return { fault: 'it names nothing' };
  if (isLabel(text)) return { kind: 'label', label: text };
  try {
    const spec = parseConfiguredOrigin(text, { insecureHttp: true });
    if ('folder' in spec) return readLocation({ kind: isArchiveName(text) ? 'archive' : 'folder', path: text });
    return locationWith(spec, (path) => path);
  } catch (error) {
    if (error instanceof SkillwireError) return { fault: error.message };
    throw error;
  }
}
