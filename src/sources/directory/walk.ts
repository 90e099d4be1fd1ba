/** The input and the state of a walk through folders. */
import type { Slices } from '../../async/slices.ts';
import type { EntryNames } from './entry-names.ts';
import type { CachedFolder } from './folder-listing.ts';
import type { FolderNode, FolderPath, Inherited } from './folder-node.ts';
import type { NamedFiles } from './publish-rules.ts';

/** A folder's position in the tree. */
export interface TreePosition {
  readonly path: FolderPath;
  readonly name: string;
  readonly inherited: Inherited;
}

export interface Walk {
  /** Real paths of all roots: a skill folder may be a link into any of them. */
  readonly roots: readonly string[];
  /** Whether a real path is on a disk that allows synchronous calls. */
  readonly isLocal: (real: string) => boolean;
  /** Called with each real folder before it is read, and whether it is new. */
  readonly onFolder: (real: string, isNew: boolean) => void;
  /** Called for each folder with a new listing worth caching. */
  readonly onNews: () => void;
  /** Called with each real folder that could not be read because of a passing failure. */
  readonly onPassing: (real: string) => void;
  readonly slices: Slices;
  readonly names: EntryNames;
  /** Files to publish even though they look secret. */
  readonly named: NamedFiles;
  /** Whether to read hidden agent folders. */
  readonly agentFolders: boolean;
  /** Whether an unchanged folder stamp means unchanged entries. */
  readonly trustsStamps: boolean;
  /** Trust the cache without checking the disk. */
  readonly cachedOnly?: boolean;
  /** Created by the first lazy folder. */
  expand?: Expand;
  /** Remaining entries. */
  remaining: number;
  /** Remaining links to follow. */
  links: number;
  readonly signal?: AbortSignal;
}

/** Builds the nodes of a folder from its cache, without reading the disk. */
export type Expand = (place: TreePosition, cached: CachedFolder) => FolderNode;
