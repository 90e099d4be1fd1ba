/** From a parsed origin, or from JSON, to a location. */
import { join, resolve } from 'node:path';
import { definedFields } from '../defined-fields.ts';
import { SkillwireError } from '../errors.ts';
import { isJsonObject } from '../skill/json.ts';
import { everyKind, kindNamed, kindNames, kindOf, type NamedSpec, type OriginLocation } from './kinds.ts';
import { LocationFault } from './origin-kind.ts';
import type { OriginSettings } from './origin-schema.ts';

/** Relative paths start at `base`; `~` is the home folder. The file system decides whether a path is an archive. */
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

/** The location of a configured origin, with its settings for folders. */
export function configuredLocation(
  { nested, agentFolders, publish, ...spec }: NamedSpec & Pick<OriginSettings, 'nested' | 'agentFolders' | 'publish'>,
  base: string,
  home: string,
): OriginLocation {
  const location = locationOf(spec, base, home);
  if (location.kind !== 'folder') return location;
  return { ...location, ...definedFields({ nested, agentFolders, publish }) };
}

function pathFrom(written: string, base: string, home: string): string {
  return /^~(?:[\\/]|$)/.test(written) ? join(home, written.slice(1)) : resolve(base, written);
}

/**
 * Reads a location from JSON such as `{"kind": "site", "url": "https://…"}`. It may come from a lock file, so only the command line's rules
 * for that kind apply. A site whose address begins with `stdio:` is a fault, never a program. Paths stay as written.
 *
 * @param insecureHttp whether to accept plain http to another machine; for a lock file that is a question of trust
 * @returns the location, or what is wrong with it
 */
export function readLocation(
  value: unknown,
  insecureHttp: boolean = true,
): OriginLocation | { readonly fault: string } {
  if (!isJsonObject(value)) return { fault: 'it is not an object' };
  const kind = typeof value.kind === 'string' ? kindNamed(value.kind) : undefined;
  if (kind === undefined) return { fault: `its "kind" must be one of ${kindNames.join(', ')}` };
  try {
    return kind.read(value, insecureHttp);
  } catch (error) {
    if (error instanceof LocationFault || error instanceof SkillwireError) return { fault: error.message };
    throw error;
  }
}

/** The location with its path resolved. A location without a path is returned unchanged. */
export function resolveLocation(location: OriginLocation, resolve: (path: string) => string): OriginLocation {
  return kindOf(location).resolved?.(location, resolve) ?? location;
}
