/**
 * A folder that is one skill and whose files and folders all have their cached stamps. Its content is decoded on demand. Of ten thousand
 * skills a session reads a few; building all nodes would cost more than checking their stamps. Only skills without findings, unpublished
 * files, links and nested skills are lazy.
 */
import type { MaybePromise } from '../../async/maybe-promise.ts';
import { limits } from '../../limits.ts';
import { type Frontmatter, skillFileName } from '../../skill/entry.ts';
import { filesBelow } from './assemble-skill.ts';
import { type CachedFolder, type CachedTreeSkill, skillFilesOf, skillOf } from './folder-listing.ts';
import {
  type AssembledFile,
  type AssembledSkill,
  type EntryFile,
  FileNode,
  type FolderNode,
  type FolderPath,
  type Inherited,
  noFolders,
  noNotes,
  type PublishedSkill,
} from './folder-node.ts';
import type { Expand, TreePosition, Walk } from './walk.ts';

/**
 * The lazy folder, if all of it is unchanged and nothing inherited affects its content; else `undefined`. `grow` builds
 * the nodes of a folder.
 */
export function lazyFolder(place: TreePosition, walk: Walk, cached: CachedFolder, grow: Grow): FolderNode | undefined {
  const { path, inherited } = place;
  if (walk.cachedOnly === true || !walk.trustsStamps || !path.local || !path.direct) return undefined;
  if (inherited.insideSkill || inherited.ignores.length > 0) return undefined;
  const skill = skillOf(cached);
  const entries = skill?.entriesIfUnchanged(path.real, (real) => walk.onFolder(real, true));
  if (skill === undefined || entries === undefined || entries >= walk.remaining) return undefined;
  walk.remaining -= entries;
  walk.expand ??= createExpand(walk, grow);
  return new LazyFolder(place, cached, skill, walk.expand);
}

type Grow = (place: TreePosition, walk: Walk, cached: CachedFolder) => MaybePromise<FolderNode>;

/** All subfolders of a lazy folder were cached completely and without links, so nothing needs waiting. */
function createExpand({ roots, isLocal, onPassing, names, named }: Walk, grow: Grow): Expand {
  const idle = (): undefined => undefined;
  const walk = {
    ...{ roots, isLocal, onPassing, names, named },
    ...{ onFolder: idle, onNews: idle, slices: { pause: idle }, trustsStamps: true, cachedOnly: true, links: 0 },
    agentFolders: false,
  };
  return (place, cached) => grow(place, { ...walk, remaining: limits.scan.entries }, cached) as FolderNode;
}

export class LazyFolder implements FolderNode {
  readonly dev: number;
  readonly ino: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly path: FolderPath;
  readonly name: string;
  readonly inherited: Inherited;
  readonly skillFile: FileNode;
  assembled: AssembledSkill | undefined;
  private readonly cached: CachedFolder;
  private readonly expand: Expand;
  private expanded: FolderNode | undefined;

  constructor({ path, name, inherited }: TreePosition, cached: CachedFolder, skill: CachedTreeSkill, expand: Expand) {
    const { stamp } = cached;
    this.dev = stamp.dev;
    this.ino = stamp.ino;
    this.mtimeMs = stamp.mtimeMs;
    this.ctimeMs = stamp.ctimeMs;
    this.path = path;
    this.name = name;
    this.inherited = inherited;
    this.skillFile = new FileNode(path, skillFileName, skillFileName, undefined, path.local);
    this.assembled = new LazySkill(this, skill);
    this.cached = cached;
    this.expand = expand;
    this.expanded = undefined;
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
    this.expanded ??= this.expand(this, this.cached);
    return this.expanded;
  }

  /** Without building nodes; `undefined` if a name is not ordinary. */
  cachedFiles(): readonly EntryFile[] | undefined {
    return skillFilesOf(this.cached);
  }

  /** For a traversal that stores nothing. */
  passing(): FolderNode {
    return this.expanded ?? this.expand(this, this.cached);
  }
}

/** The assembled skill of a lazy folder. */
export class LazySkill implements AssembledSkill {
  readonly folder: LazyFolder;
  readonly frontmatter: Frontmatter;
  readonly nameLine: number | undefined;
  readonly hasMediaTypes: boolean;
  readonly hasExecutables: boolean;
  published: PublishedSkill | undefined;
  private assembledFiles: readonly AssembledFile[] | undefined;

  constructor(folder: LazyFolder, { reading, hasMediaTypes, hasExecutables }: CachedTreeSkill) {
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

  get cachedFiles(): readonly EntryFile[] | undefined {
    return this.assembledFiles === undefined ? this.folder.cachedFiles() : undefined;
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

  get unpublished(): readonly never[] {
    return nothing;
  }
}

const nothing: readonly never[] = [];

/** The subfolders that may be skills or have findings. */
export function foldersToLookInto(folder: FolderNode): readonly FolderNode[] {
  return folder instanceof LazyFolder ? noFolders : folder.folders;
}

/** A folder and all folders below it, for a traversal that stores nothing. */
export function* nodesOf(node: FolderNode): Generator<FolderNode> {
  const stack = [node];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const seen = next instanceof LazyFolder ? next.passing() : next;
    yield seen;
    for (let index = seen.folders.length - 1; index >= 0; index--) stack.push(seen.folders[index] as FolderNode);
  }
}
