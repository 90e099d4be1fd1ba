/** What a walk through folders is given, and where it stands. */
import type { Slices } from '../../async/slices.ts';
import type { EntryNames } from './entry-names.ts';
import type { KeptFolder } from './folder-listing.ts';
import type { FolderNode, FolderPath, Inherited } from './folder-node.ts';
import type { NamedFiles } from './publish-rules.ts';

/** Where a folder stands. */
export interface Place {
  readonly path: FolderPath;
  readonly name: string;
  readonly inherited: Inherited;
}

export interface Walk {
  /** Real paths of all roots: a skill folder may be a link into any of them. */
  readonly roots: readonly string[];
  /** Whether a real path lies on a disk that may be read by synchronous calls. */
  readonly isLocal: (real: string) => boolean;
  /** Called with each real folder before it is read, and whether it is one that was not known before. */
  readonly onFolder: (real: string, isNew: boolean) => void;
  /** Called for each folder whose listing is worth keeping and is not kept. */
  readonly onNews: () => void;
  /** Called with each real folder that a passing failure of the system kept from being read. */
  readonly onPassing: (real: string) => void;
  readonly slices: Slices;
  readonly names: EntryNames;
  /** Files that are published although they look secret. */
  readonly named: NamedFiles;
  /** Whether the hidden folders of agents are looked into. */
  readonly agentFolders: boolean;
  /** Whether the stamp of a folder tells that its entries are the same. */
  readonly trustsStamps: boolean;
  /** What was kept is taken as it is. */
  readonly keptOnly?: boolean;
  /** Made by the first folder that rests. */
  unfold?: Unfold;
  /** Entries that may still be looked at. */
  remaining: number;
  /** Links that may still be followed. */
  links: number;
  readonly signal?: AbortSignal;
}

/** Makes the nodes of a folder of what was kept of it, without asking the disk. */
export type Unfold = (place: Place, kept: KeptFolder) => FolderNode;
