/** A path: a folder of skills on this machine. */

import { given } from '../../given.ts';
import { pathActs } from '../../trust/location-acts.ts';
import { isArchivePath } from '../archive-path.ts';
import type { OriginKind } from '../origin-kind.ts';
import { flagField, pathField } from '../place-fields.ts';

export interface FolderLocation {
  readonly kind: 'folder';
  readonly path: string;
  readonly nested?: boolean;
  /** Files below it that are published although they look like secrets. */
  readonly publish?: readonly string[];
  /** Whether skills in the hidden folders of agents are read. Default: as the command has it. */
  readonly agentFolders?: boolean;
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
    return directorySource([root], { watch, ...given({ cache }) });
  },
};
