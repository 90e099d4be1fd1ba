/** From a parsed origin to its location: paths become absolute, and the file system says whether a path is an archive. */

import { join, resolve } from 'node:path';
import { given } from '../given.ts';
import { everyKind } from './kinds.ts';
import type { OriginLocation } from './location.ts';
import type { OriginSettings } from './origin-schema.ts';
import type { NamedSpec } from './origin-spec.ts';

/** Where a spec leads from a folder; `~` is the home folder. */
export function locationOf(spec: NamedSpec, base: string, home: string): OriginLocation {
  return locationWith(spec, (written) => pathFrom(written, base, home));
}

/** @param path makes a path absolute */
export function locationWith(spec: NamedSpec, path: (written: string) => string): OriginLocation {
  for (const kind of everyKind) {
    const location = kind.spec in spec ? kind.location(spec, path) : undefined;
    if (location !== undefined) return location;
  }
  throw new TypeError(`no kind of origin has ${JSON.stringify(Object.keys(spec))}`);
}

/** The same for an origin of the configuration, with its settings for folders. */
export function configuredLocation(
  { nested, agentFolders, publish, ...spec }: NamedSpec & Pick<OriginSettings, 'nested' | 'agentFolders' | 'publish'>,
  base: string,
  home: string,
): OriginLocation {
  const location = locationOf(spec, base, home);
  if (location.kind !== 'folder') return location;
  return { ...location, ...given({ nested, agentFolders, publish }) };
}

function pathFrom(written: string, base: string, home: string): string {
  return /^~(?:[\\/]|$)/.test(written) ? join(home, written.slice(1)) : resolve(base, written);
}
