/** From a parsed origin, or from JSON, to a location. */
import { join, resolve } from 'node:path';
import { definedFields } from '../defined-fields.ts';
import { SkillwireError } from '../errors.ts';
import { isJsonObject } from '../skill/json.ts';
import type { ArchiveLocation, FolderLocation } from './kinds/folder.ts';
import type { GitLocation } from './kinds/git.ts';
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

/** The location of a configured origin, with its settings about published files. */
export function configuredLocation(
  { nested, agentFolders, publish, ...spec }: NamedSpec & Pick<OriginSettings, 'nested' | 'agentFolders' | 'publish'>,
  base: string,
  home: string,
): OriginLocation {
  const location = locationOf(spec, base, home);
  const more = location.kind === 'folder' ? definedFields({ nested, agentFolders }) : {};
  return publishing({ ...location, ...more }, publish);
}

/** The files of an origin that are published by name. */
export function publishedBy(location: OriginLocation): readonly string[] {
  return ('publish' in location ? location.publish : undefined) ?? [];
}

/** The location with more files that are published by name; unchanged if its kind has none. */
export function publishing(location: OriginLocation, files: readonly string[] = []): OriginLocation {
  if (files.length === 0 || !canPublish(location)) return location;
  return { ...location, publish: [...new Set([...publishedBy(location), ...files])] };
}

/** Whether files of an origin of this kind can be published by name. */
export function canPublish(location: OriginLocation): location is FolderLocation | ArchiveLocation | GitLocation {
  return location.kind === 'folder' || location.kind === 'archive' || location.kind === 'git';
}

export function pathFrom(written: string, base: string, home: string): string {
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
