/** A path: an archive of skills, known by its name. */

import { given } from '../../given.ts';
import { pathActs } from '../../trust/location-acts.ts';
import { isArchivePath } from '../archive-path.ts';
import type { OriginKind } from '../origin-kind.ts';
import { pathField } from '../place-fields.ts';
import type { OriginFolder } from './folder.ts';

export interface ArchiveLocation {
  readonly kind: 'archive';
  readonly path: string;
}

export const archive: OriginKind<ArchiveLocation, OriginFolder> = {
  key: 'archive',
  spec: 'folder',
  location({ folder }, path) {
    const absolute = path(folder);
    return isArchivePath(absolute) ? { kind: 'archive', path: absolute } : undefined;
  },
  read: (fields) => ({ kind: 'archive', path: pathField(fields) }),
  text: ({ path }) => path,
  resolved: (location, resolve) => ({ ...location, path: resolve(location.path) }),
  local: false,
  polled: true,
  credentials: 'none',
  acts: ({ path }, around) => pathActs(path, around),
  async open({ path }, { agentFolders }) {
    const { archiveSource } = await import('../../sources/archive/archive-source.ts');
    return archiveSource(path, given({ agentFolders }));
  },
};
