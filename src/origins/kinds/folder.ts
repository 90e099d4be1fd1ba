/** A path: a folder of skills on this machine, or an archive, which is recognized by its name. */
import { statSync } from 'node:fs';
import { definedFields } from '../../defined-fields.ts';
import { pathActs } from '../../trust/acts.ts';
import { flagField, type OriginKind, pathField, publishField } from '../origin-kind.ts';

export interface FolderLocation {
  readonly kind: 'folder';
  readonly path: string;
  readonly nested?: boolean;
  /** Files below it that are published although they are hidden or look like secrets. */
  readonly publish?: readonly string[];
  /** Whether to read skills in the hidden folders of agents. Default: as the command does. */
  readonly agentFolders?: boolean;
}

export interface ArchiveLocation {
  readonly kind: 'archive';
  readonly path: string;
  /** Files in it that are published although they are hidden or look like secrets. */
  readonly publish?: readonly string[];
}

export interface OriginFolder {
  readonly label?: string;
  /** As written: not resolved, `~` not expanded. */
  readonly folder: string;
}

export const folder: OriginKind<FolderLocation, OriginFolder> = {
  key: 'folder',
  spec: 'folder',
  location(spec, path) {
    const absolute = path(spec.folder);
    return isArchivePath(absolute) ? undefined : { kind: 'folder', path: absolute };
  },
  read: (fields) => ({
    kind: 'folder',
    path: pathField(fields),
    nested: fields.nested === undefined ? undefined : flagField(fields, 'nested'),
    publish: publishField(fields),
  }),
  text: ({ path }) => path,
  resolved: (location, resolve) => ({ ...location, path: resolve(location.path) }),
  local: true,
  polled: false,
  credentials: 'none',
  acts: ({ path }, around) => pathActs(path, around),
  async open({ kind: _, ...location }, { watch = false, cache, agentFolders }) {
    const { directorySource } = await import('../../sources/directory/directory-source.ts');
    const root = { ...location, agentFolders: location.agentFolders ?? agentFolders };
    return directorySource([root], { watch, ...definedFields({ cache }) });
  },
};

export const archive: OriginKind<ArchiveLocation, OriginFolder> = {
  key: 'archive',
  spec: 'folder',
  location(spec, path) {
    const absolute = path(spec.folder);
    return isArchivePath(absolute) ? { kind: 'archive', path: absolute } : undefined;
  },
  read: (fields) => ({ kind: 'archive', path: pathField(fields), publish: publishField(fields) }),
  text: ({ path }) => path,
  resolved: (location, resolve) => ({ ...location, path: resolve(location.path) }),
  local: false,
  polled: true,
  credentials: 'none',
  acts: ({ path }, around) => pathActs(path, around),
  async open({ path, publish }, { agentFolders }) {
    const { archiveSource } = await import('../../sources/archive/archive-source.ts');
    return archiveSource(path, definedFields({ agentFolders, publish }));
  },
};

export function isArchiveName(path: string): boolean {
  return /\.(?:tar\.gz|tgz|zip|skill)$/i.test(path);
}

/** False for a folder, whatever its name. */
export function isArchivePath(path: string): boolean {
  return isArchiveName(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true;
}
