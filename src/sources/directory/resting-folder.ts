/**
 * A folder that is one skill and in which every file and folder has the stamp that an earlier run kept. What is in it is
 * decoded when it is asked for: of ten thousand skills a session reads a few, and making nodes for all of them would cost more
 * than asking the disk for their stamps. Only skills of which there is nothing to tell rest: no finding, nothing withheld, no
 * link, no skill inside.
 */
import type { MaybePromise } from '../../async/maybe-promise.ts';
import { limits } from '../../limits.ts';
import { type Frontmatter, skillFileName } from '../../skill/entry.ts';
import { filesBelow } from './assemble-skill.ts';
import { type KeptFolder, type KeptSkill, skillFilesOf, skillOf } from './folder-listing.ts';
import {
  type AssembledFile,
  type AssembledSkill,
  FileNode,
  type FolderNode,
  type FolderPath,
  type Inherited,
  type KeptFile,
  noFolders,
  noNotes,
  type PublishedSkill,
} from './folder-node.ts';
import type { Place, Unfold, Walk } from './walk.ts';

/**
 * The folder as it was kept, where all of it is still so and nothing above decides about what is in it; else undefined. `grow`
 * makes the nodes of a folder.
 */
export function rest(place: Place, walk: Walk, kept: KeptFolder, grow: Grow): FolderNode | undefined {
  const { path, inherited } = place;
  if (walk.keptOnly === true || !walk.trustsStamps || !path.local || !path.direct) return undefined;
  if (inherited.insideSkill || inherited.ignores.length > 0) return undefined;
  const skill = skillOf(kept);
  const entries = skill?.entriesIfUnchanged(path.real, (real) => walk.onFolder(real, true));
  if (skill === undefined || entries === undefined || entries >= walk.remaining) return undefined;
  walk.remaining -= entries;
  walk.unfold ??= createUnfold(walk, grow);
  return new RestingFolder(place, kept, skill, walk.unfold);
}

type Grow = (place: Place, walk: Walk, kept: KeptFolder) => MaybePromise<FolderNode>;

/** Every folder of a resting one was kept complete and without links, so nothing has to be waited for. */
function createUnfold({ roots, isLocal, onPassing, names, named }: Walk, grow: Grow): Unfold {
  const idle = (): undefined => undefined;
  const walk = {
    ...{ roots, isLocal, onPassing, names, named },
    ...{ onFolder: idle, onNews: idle, slices: { pause: idle }, trustsStamps: true, keptOnly: true, links: 0 },
    agentFolders: false,
  };
  return (place, kept) => grow(place, { ...walk, remaining: limits.scan.entries }, kept) as FolderNode;
}

export class RestingFolder implements FolderNode {
  readonly dev: number;
  readonly ino: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly path: FolderPath;
  readonly name: string;
  readonly inherited: Inherited;
  readonly skillFile: FileNode;
  assembled: AssembledSkill | undefined;
  private readonly kept: KeptFolder;
  private readonly unfold: Unfold;
  private unfolded: FolderNode | undefined;

  constructor({ path, name, inherited }: Place, kept: KeptFolder, skill: KeptSkill, unfold: Unfold) {
    const { stamp } = kept;
    this.dev = stamp.dev;
    this.ino = stamp.ino;
    this.mtimeMs = stamp.mtimeMs;
    this.ctimeMs = stamp.ctimeMs;
    this.path = path;
    this.name = name;
    this.inherited = inherited;
    this.skillFile = new FileNode(path, skillFileName, skillFileName, undefined, path.local);
    this.assembled = new RestingSkill(this, skill);
    this.kept = kept;
    this.unfold = unfold;
    this.unfolded = undefined;
  }

  get settled(): boolean {
    return true;
  }

  get notes(): typeof noNotes {
    return noNotes;
  }

  get folders(): readonly FolderNode[] {
    return this.content().folders;
  }

  get files(): readonly FileNode[] {
    return this.content().files;
  }

  private content(): FolderNode {
    this.unfolded ??= this.unfold(this, this.kept);
    return this.unfolded;
  }

  /** Without making nodes; undefined where a name is not ordinary. */
  keptFiles(): readonly KeptFile[] | undefined {
    return skillFilesOf(this.kept);
  }

  /** For a look that keeps nothing. */
  passing(): FolderNode {
    return this.unfolded ?? this.unfold(this, this.kept);
  }
}

/** What a resting folder was made into. */
export class RestingSkill implements AssembledSkill {
  readonly folder: RestingFolder;
  readonly frontmatter: Frontmatter;
  readonly nameLine: number | undefined;
  readonly hasMediaTypes: boolean;
  readonly hasExecutables: boolean;
  published: PublishedSkill | undefined;
  private assembledFiles: readonly AssembledFile[] | undefined;

  constructor(folder: RestingFolder, { reading, hasMediaTypes, hasExecutables }: KeptSkill) {
    this.folder = folder;
    this.frontmatter = reading.frontmatter;
    this.nameLine = reading.nameLine;
    this.hasMediaTypes = hasMediaTypes;
    this.hasExecutables = hasExecutables;
    this.published = undefined;
    this.assembledFiles = undefined;
  }

  get files(): readonly AssembledFile[] {
    this.assembledFiles ??= filesBelow(this.folder);
    return this.assembledFiles;
  }

  get keptFiles(): readonly KeptFile[] | undefined {
    return this.assembledFiles === undefined ? this.folder.keptFiles() : undefined;
  }

  get emptyDirectories(): readonly string[] {
    return nothing;
  }

  get incomplete(): boolean {
    return false;
  }

  get findings(): readonly never[] {
    return nothing;
  }

  get withheld(): readonly never[] {
    return nothing;
  }
}

const nothing: readonly never[] = [];

/** The folders in a folder that may be skills or have something to tell. */
export function foldersToLookInto(folder: FolderNode): readonly FolderNode[] {
  return folder instanceof RestingFolder ? noFolders : folder.folders;
}

/** A folder and all folders below it, for a look that keeps nothing. */
export function* nodesOf(node: FolderNode): Generator<FolderNode> {
  const stack = [node];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const seen = next instanceof RestingFolder ? next.passing() : next;
    yield seen;
    for (let index = seen.folders.length - 1; index >= 0; index--) stack.push(seen.folders[index] as FolderNode);
  }
}
