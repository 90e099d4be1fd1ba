/** From a parsed origin to its place: paths become absolute, and the file system says whether a path is an archive. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isGitPath } from './git-origin.ts';
import type { OriginSettings } from './origin-schema.ts';
import { isArchiveName, type OriginLabel, type OriginSpec } from './parse-origin.ts';
import type { OriginPlace } from './place.ts';

/** Where a spec leads from a folder; `~` is the home folder. */
export function placeOf(spec: Exclude<OriginSpec, OriginLabel>, base: string, home: string): OriginPlace {
  if ('folder' in spec) {
    const path = pathFrom(spec.folder, base, home);
    return isArchivePath(path) ? { kind: 'archive', path } : { kind: 'folder', path };
  }
  if ('agent' in spec) return { kind: 'agent', agent: spec.agent };
  if ('repository' in spec) {
    const { repository, ref } = spec;
    const where = isGitPath(repository) ? pathFrom(repository, base, home) : repository;
    return { kind: 'git', repository: where, ...(ref === undefined ? {} : { ref }) };
  }
  if ('site' in spec) return { kind: 'site', url: spec.site };
  if ('hub' in spec) return { kind: 'mdp', hub: spec.hub };
  if ('hubCommand' in spec) return { kind: 'mdp-stdio', hubCommand: spec.hubCommand };
  return 'url' in spec ? { kind: 'mcp', url: spec.url } : { kind: 'stdio', command: spec.command };
}

/** The same for an origin of the configuration, with its settings for folders. */
export function configuredPlace(
  { nested, publish, ...spec }: Exclude<OriginSpec, OriginLabel> & Pick<OriginSettings, 'nested' | 'publish'>,
  base: string,
  home: string,
): OriginPlace {
  const place = placeOf(spec, base, home);
  if (place.kind !== 'folder') return place;
  return { ...place, ...(nested === undefined ? {} : { nested }), ...(publish === undefined ? {} : { publish }) };
}

function pathFrom(written: string, base: string, home: string): string {
  return /^~(?:[\\/]|$)/.test(written) ? join(home, written.slice(1)) : resolve(base, written);
}

/** A folder stays one, whatever it is called. */
export function isArchivePath(path: string): boolean {
  return isArchiveName(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true;
}
