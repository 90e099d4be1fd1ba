/** From a parsed origin to its place: paths become absolute, and the file system says whether a path is an archive. */

import { join, resolve } from 'node:path';
import { given } from '../given.ts';
import { everyKind } from './kinds.ts';
import type { OriginSettings } from './origin-schema.ts';
import type { NamedSpec } from './origin-spec.ts';
import type { OriginPlace } from './place.ts';

/** Where a spec leads from a folder; `~` is the home folder. */
export function placeOf(spec: NamedSpec, base: string, home: string): OriginPlace {
  return placeWith(spec, (written) => pathFrom(written, base, home));
}

/** @param path makes a path absolute */
export function placeWith(spec: NamedSpec, path: (written: string) => string): OriginPlace {
  for (const kind of everyKind) {
    const place = kind.spec in spec ? kind.place(spec, path) : undefined;
    if (place !== undefined) return place;
  }
  throw new TypeError(`no kind of origin has ${JSON.stringify(Object.keys(spec))}`);
}

/** The same for an origin of the configuration, with its settings for folders. */
export function configuredPlace(
  { nested, agentFolders, publish, ...spec }: NamedSpec & Pick<OriginSettings, 'nested' | 'agentFolders' | 'publish'>,
  base: string,
  home: string,
): OriginPlace {
  const place = placeOf(spec, base, home);
  if (place.kind !== 'folder') return place;
  return { ...place, ...given({ nested, agentFolders, publish }) };
}

function pathFrom(written: string, base: string, home: string): string {
  return /^~(?:[\\/]|$)/.test(written) ? join(home, written.slice(1)) : resolve(base, written);
}
