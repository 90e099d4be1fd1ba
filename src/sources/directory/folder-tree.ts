/**
 * The tree of folders below a root, as immutable nodes. `growTree` walks a folder. `renewTree` walks only dirty folders
 * again and shares all other nodes with the previous tree, so data on unchanged nodes stays valid. On a local disk a
 * walk is a sequence of synchronous calls that yields after each time slice.
 *
 * Links are followed only as `links.ts` allows. No file is opened except `.skillignore`.
 */
import { dirname } from 'node:path';
import { andThen, type MaybePromise, mapInOrder } from '../../async/maybe-promise.ts';
import { limits } from '../../limits.ts';
import { skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { type Child, type Collected, type EntryPlace, lookAt } from './folder-entry.ts';
import { ownIgnores, unpublishedFolder } from './folder-ignores.ts';
import {
  type CachedFolder,
  type FolderListing,
  folderStamp,
  listOrThrow,
  undecodableNames,
  unlessUnreadable,
} from './folder-listing.ts';
import {
  below,
  FileNode,
  type FolderNode,
  type FolderNotes,
  type FolderPath,
  type Inherited,
  noFolders,
  noNotes,
  sameFolder,
} from './folder-node.ts';
import { hiddenPlace, installedIn, isLockFile, sameWay } from './hidden-folders.ts';
import { ignoreFileName } from './ignore-file.ts';
import { lazyFolder } from './lazy-folder.ts';
import { withoutCollisions } from './name-collisions.ts';
import type { TreePosition, Walk } from './walk.ts';

/** @param cached the folder as an earlier run cached it */
export function growTree(place: TreePosition, walk: Walk, cached?: CachedFolder): MaybePromise<FolderNode> {
  return readFolder(place, walk, undefined, undefined, cached);
}

/** Folders to read again, and all their parents. */
export interface DirtyFolders {
  readonly folders: ReadonlySet<string>;
  readonly above: ReadonlySet<string>;
}

export function dirtyFolders(folders: ReadonlySet<string>): DirtyFolders {
  const above = new Set<string>();
  for (const folder of folders)
    for (let path = dirname(folder); !above.has(path); path = dirname(path)) above.add(path);
  return { folders, above };
}

/** Reads dirty folders (real paths) again. Returns the same node if nothing below is dirty. */
export function renewTree(node: FolderNode, dirty: DirtyFolders, walk: Walk): MaybePromise<FolderNode> {
  const { real, local } = node.path;
  if (dirty.folders.has(real)) return readFolder(node, walk, node, dirty, undefined);
  if (!dirty.above.has(real)) return node;
  const touched = node.folders.filter(({ path }) => dirty.folders.has(path.real) || dirty.above.has(path.real));
  if (touched.length === 0) return node;
  const findings: Finding[] = [];
  const renew = (folder: FolderNode): MaybePromise<FolderNode | undefined> =>
    unlessUnreadable(() => renewTree(folder, dirty, walk), folder.path, findings, walk.onPassing, folder);
  return andThen(mapInOrder(touched, renew, !local), (renewed) => {
    if (renewed.every((folder, index) => folder === touched[index])) return node;
    let next = 0;
    const folders: FolderNode[] = [];
    for (const folder of node.folders) {
      const now = folder === touched[next] ? renewed[next++] : folder;
      if (now !== undefined) folders.push(now);
    }
    const notes = findings.length === 0 ? node.notes : withFindings(node.notes, findings);
    return withFolders(node, exact(folders), notes);
  });
}

/** The same folder with other folders in it. */
function withFolders(node: FolderNode, folders: readonly FolderNode[], notes: FolderNotes): FolderNode {
  const { dev, ino, mtimeMs, ctimeMs, path, name, settled, files, skillFile, inherited } = node;
  return {
    dev,
    ino,
    mtimeMs,
    ctimeMs,
    path,
    name,
    settled,
    folders,
    files,
    skillFile,
    notes,
    inherited,
    assembled: undefined,
  };
}

function withFindings(notes: FolderNotes, findings: readonly Finding[]): FolderNotes {
  return { ...notes, findings: [...notes.findings, ...findings] };
}

function readFolder(...reading: Parameters<typeof readNow>): MaybePromise<FolderNode> {
  const [place, walk] = reading;
  const pause = place.path.local ? walk.slices.pause() : undefined;
  return pause === undefined ? readNow(...reading) : pause.then(() => readNow(...reading));
}

function readNow(
  place: TreePosition,
  walk: Walk,
  previous: FolderNode | undefined,
  dirty: DirtyFolders | undefined,
  cached: CachedFolder | undefined,
): MaybePromise<FolderNode> {
  walk.signal?.throwIfAborted();
  const lazy = cached === undefined || previous !== undefined ? undefined : lazyFolder(place, walk, cached, growTree);
  if (lazy !== undefined) return lazy;
  walk.onFolder(place.path.real, previous === undefined);
  const listing =
    walk.cachedOnly === true && cached !== undefined
      ? { stamp: cached.stamp, settled: true, fresh: false, entries: cached.entries() }
      : listOrThrow(place.path, cached, walk.trustsStamps);
  return listing instanceof Promise
    ? listing.then((listed) => readListed({ place, walk, previous, dirty, listing: listed }))
    : readListed({ place, walk, previous, dirty, listing });
}

function readListed(reading: Reading): MaybePromise<FolderNode> {
  const { entries } = reading.listing;
  reading.walk.remaining -= entries.length;
  if (reading.previous?.notes.hides === true) return readWithCare(reading);
  const locks = reading.walk.agentFolders;
  for (const { name, kind } of entries)
    if ((kind !== 'file' && kind !== 'folder') || !isSimple(name) || (locks && isLockFile(name)))
      return readWithCare(reading);
  return readAtOnce(reading);
}

/** No `.skillignore`, and no name that may not be UTF-8 on disk. */
function isSimple(name: string): boolean {
  return name !== ignoreFileName && !name.includes('\uFFFD');
}

interface Reading {
  readonly place: TreePosition;
  readonly walk: Walk;
  readonly previous: FolderNode | undefined;
  readonly dirty: DirtyFolders | undefined;
  readonly listing: FolderListing;
}

function entryPlaceOf({ place, walk, listing }: Reading, inherited: Inherited, installed?: string): EntryPlace {
  const { real, shown } = place.path;
  const { areas, above, ignores } = inherited;
  const { roots, names, named, agentFolders } = walk;
  const hidden = hiddenPlace(place, listing.entries, agentFolders, installed);
  return { real, shown, areas, above, ignores, roots, names, named, hidden };
}

function nothingCollected(): Collected {
  return { findings: [], fileFindings: [], unpublished: [], links: [], broken: [] };
}

/** A folder of ordinary files and folders, which needs no waiting. */
function readAtOnce(reading: Reading): MaybePromise<FolderNode> {
  const { place, listing } = reading;
  const entryPlace = entryPlaceOf(reading, place.inherited);
  const out = nothingCollected();
  const children: Child[] = [];
  for (const entry of listing.entries) {
    const child = lookAt(entry, entryPlace, out);
    if (child !== undefined) children.push(child as Child);
  }
  return buildFolder(reading, place.inherited, children, out);
}

async function readWithCare(reading: Reading): Promise<FolderNode> {
  const { place, walk, listing } = reading;
  const { real, shown } = place.path;
  const out = nothingCollected();
  const own = await ownIgnores(reading);
  if (own !== undefined && 'unusable' in own) {
    if (own.passing) walk.onPassing(real);
    return unpublishedFolder(place, listing, own.unusable);
  }
  if (own !== undefined) out.hides = own.level.text !== '';
  const inherited =
    own === undefined ? place.inherited : { ...place.inherited, ignores: [...place.inherited.ignores, own.level] };
  const installed = walk.agentFolders ? await installedIn(place.path, listing.entries) : undefined;
  const entryPlace = entryPlaceOf(reading, inherited, installed);
  const undecodable = await undecodableNames(place.path, listing.entries);
  const children: Child[] = [];
  for (const entry of listing.entries) {
    if (undecodable.has(entry.name)) {
      const message = 'a file name is not valid UTF-8, so the file is not served';
      out.fileFindings.push(finding('file-name-not-utf8', message, { file: below(shown, entry.name) }));
      continue;
    }
    const child = await lookAt(entry, entryPlace, out);
    if (child !== undefined) children.push(child);
  }
  return buildFolder(reading, inherited, children, out);
}

/** `inherited` already includes the folder's own `.skillignore`. */
function buildFolder(
  { place, walk, previous, dirty, listing }: Reading,
  inherited: Inherited,
  children: readonly Child[],
  out: Collected,
): MaybePromise<FolderNode> {
  const { path, name } = place;
  const skill = findSkillFile(children);
  const insideSkill = inherited.insideSkill || skill !== undefined;
  const published = insideSkill ? withoutCollisions(children, skill, path.shown, out.fileFindings) : children;
  const files: FileNode[] = [];
  const folders: Child[] = [];
  let skillFile: FileNode | undefined;
  const before = previous === undefined ? undefined : new Map(previous.files.map((file) => [file.diskName, file]));
  for (const child of published) {
    if (child.isFolder) {
      folders.push(child);
      continue;
    }
    const file = fileNode(child, child === skill ? skillFileName : child.name, path, walk, before?.get(child.diskName));
    if (child === skill) skillFile = file;
    files.push(file);
  }
  const finish = (nodes: readonly (FolderNode | undefined)[]): FolderNode => {
    const notes = isNothing(out) ? noNotes : out;
    if (listing.fresh && listing.settled && notes === noNotes && path.direct) walk.onNews();
    return {
      dev: listing.stamp.dev,
      ino: listing.stamp.ino,
      mtimeMs: listing.stamp.mtimeMs,
      ctimeMs: listing.stamp.ctimeMs,
      path,
      name,
      settled: listing.settled,
      folders: nodes.length === 0 ? noFolders : exact(nodes.filter((folder) => folder !== undefined)),
      files: exact(files),
      skillFile,
      notes,
      inherited: place.inherited,
      assembled: undefined,
    };
  };
  if (folders.length === 0) return finish(noFolders);
  const below = {
    ...inherited,
    depth: inherited.depth + 1,
    insideSkill,
    above: { real: path.real, next: inherited.above },
    way: undefined,
  };
  const known =
    previous !== undefined && samePlace(previous, below)
      ? new Map(previous.folders.map((folder) => [folder.path.real, folder]))
      : undefined;
  const into = (child: Child): MaybePromise<FolderNode | undefined> =>
    descend(child, { path, walk, dirty, known, inherited: below, findings: out.findings });
  return andThen(mapInOrder(folders, into, !path.local), finish);
}

/** A copy of exact length: lists that grew have spare capacity. */
function exact<T>(list: readonly T[]): readonly T[] {
  return list.slice();
}

function isNothing({ findings, fileFindings, unpublished, links, broken }: FolderNotes): boolean {
  return findings.length + fileFindings.length + unpublished.length + links.length + broken.length === 0;
}

/** The node of a file: the previous one, with its facts, if it is the same file. */
function fileNode(
  { diskName, link, entry }: Child,
  name: string,
  folder: FolderPath,
  walk: Walk,
  before: FileNode | undefined,
): FileNode {
  const target = link?.target;
  const local = target === undefined ? folder.local : walk.isLocal(target);
  if (before?.name === name && before.target === target && before.local === local) return before;
  const node = new FileNode(folder, diskName, name, target, local);
  if (target === undefined) node.facts = entry.facts;
  return node;
}

/** True if children inherit the same as when the folder was last read. */
function samePlace(previous: FolderNode, inherited: Inherited): boolean {
  const inheritedSkill = previous.inherited.insideSkill || previous.skillFile !== undefined;
  const child = previous.folders[0]?.inherited;
  return inheritedSkill === inherited.insideSkill && (child === undefined || sameIgnores(child, inherited));
}

function sameIgnores(a: Inherited, b: Inherited): boolean {
  if (a.ignores === b.ignores) return true;
  const textOf = ({ ignores }: Inherited): string => ignores.map(({ folder, text }) => `${folder}\n${text}`).join('\n');
  return textOf(a) === textOf(b);
}

interface Descent {
  /** The folder above. */
  readonly path: FolderPath;
  readonly walk: Walk;
  readonly dirty: DirtyFolders | undefined;
  readonly known: ReadonlyMap<string, FolderNode> | undefined;
  readonly inherited: Inherited;
  readonly findings: Finding[];
}

function descend(child: Child, descent: Descent): MaybePromise<FolderNode | undefined> {
  const { walk, dirty, findings } = descent;
  const path = pathBelow(child, descent.path, walk);
  if (child.link !== undefined && --walk.links < 0) {
    if (walk.links === -1) {
      const message = `more than ${limits.scan.links} links are not followed`;
      const remedy = 'remove links that lead to each other';
      findings.push(finding('scan-limit', message, { file: path.shown, remedy }));
    }
    return undefined;
  }
  const known = descent.known?.get(path.real);
  const inherited = inheritedBelow(child, descent.inherited);
  const grow = (): MaybePromise<FolderNode | undefined> => {
    const { depth } = descent.inherited;
    if (walk.remaining <= 0 || depth > limits.scan.depth) {
      const limit = walk.remaining <= 0 ? `${limits.scan.entries} files` : `${limits.scan.depth} levels`;
      const message = `the folder is not looked into: the limit of ${limit} is reached`;
      findings.push(finding('scan-limit', message, { file: path.shown }));
      return undefined;
    }
    const cached = child.link === undefined ? child.entry.folder : undefined;
    return unlessUnreadable(
      () => growTree({ path, name: child.name, inherited }, walk, cached),
      path,
      findings,
      walk.onPassing,
      undefined,
    );
  };
  if (known === undefined || known.name !== child.name || dirty === undefined) return grow();
  if (!sameIgnores(known.inherited, inherited) || !sameWay(known.inherited.way, inherited.way)) return grow();
  return andThen(folderStamp(path), (stamp) =>
    stamp !== undefined && sameFolder(stamp, known)
      ? unlessUnreadable(() => renewTree(known, dirty, walk), path, findings, walk.onPassing, known)
      : grow(),
  );
}

/** Links add areas and ignore rules. */
function inheritedBelow({ link, way }: Child, inherited: Inherited): Inherited {
  if (way !== undefined) return { ...inherited, way };
  if (link?.opens === undefined && link?.ignores === undefined) return inherited;
  const { areas, ignores } = inherited;
  return {
    ...inherited,
    areas: link.opens === undefined ? areas : [...areas, link.opens],
    ignores: [...ignores, ...(link.ignores ?? [])],
  };
}

function pathBelow({ diskName, link }: Child, above: FolderPath, walk: Walk): FolderPath {
  const shown = below(above.shown, diskName);
  if (link !== undefined) return { real: link.target, shown, local: walk.isLocal(link.target), direct: false };
  // If the root is named by its real path, both paths share one string.
  const real = above.real === above.shown ? shown : below(above.real, diskName);
  return { real, shown, local: above.local, direct: above.direct };
}

/** `SKILL.md` in the right spelling, else in any. */
export function findSkillFile(children: readonly Child[]): Child | undefined {
  let found: Child | undefined;
  for (const child of children) {
    if (!child.isSkillFile) continue;
    if (child.name === skillFileName) return child;
    found ??= child;
  }
  return found;
}
