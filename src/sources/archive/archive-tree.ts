/**
 * Arranges the files of an archive as the folder tree that unpacking would give. So the code of the folder source makes
 * every decision: what is a skill, what is never published, `.skillignore`. Shown paths are the archive's path, then
 * the path inside it.
 */
import { relative, sep } from 'node:path';
import type { ArchiveFile } from '../../archive/archive-file.ts';
import { limits } from '../../limits.ts';
import { skillFileName } from '../../skill/entry.ts';
import { readFrontmatter } from '../../skill/frontmatter.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import { type AgentFolders, unusedNames } from '../directory/directory-root.ts';
import { createEntryNames, type EntryNames } from '../directory/entry-names.ts';
import { type FileReader, factsOf, type KnownFile, type StampedFile } from '../directory/file-facts.ts';
import type { FileStamp, ReadFault } from '../directory/file-stamp.ts';
import { type Child, type Collected, lookAt } from '../directory/folder-entry.ts';
import { unpublishedFolder } from '../directory/folder-ignores.ts';
import type { ListedEntry } from '../directory/folder-listing.ts';
import { below, FileNode, type FolderNode, type FolderPath } from '../directory/folder-node.ts';
import { findSkillFile } from '../directory/folder-tree.ts';
import { hiddenPlace, isLockFile, lockedNames } from '../directory/hidden-folders.ts';
import { type IgnoreReading, ignoreFileName, notAFile, parseIgnoreFile } from '../directory/ignore-file.ts';
import { leftOutFolders } from '../directory/left-out-folders.ts';
import { type NamedFiles, namedFiles } from '../directory/publish-rules.ts';
import type { TreePosition } from '../directory/walk.ts';

/** A link at the path of a `.skillignore`. Other links are already followed or refused. */
const link = Symbol('link');

/** A folder of the archive: its entries by name. */
type Branch = Map<string, Branch | ArchiveFile | typeof link>;

export interface ArchiveTreeOptions {
  /** Paths of `.skillignore` files that are links. */
  readonly ignoreLinks?: readonly string[];
  /** Whether to read hidden agent folders. Default false. */
  readonly agentFolders?: AgentFolders | undefined;
  /** Paths of files to publish although they are hidden or look like secrets. */
  readonly publish?: readonly string[] | undefined;
}

/** @param shown the archive's path, or the name that came with its bytes */
export async function archiveTree(
  files: readonly ArchiveFile[],
  shown: string,
  { ignoreLinks = [], agentFolders = false, publish = [] }: ArchiveTreeOptions = {},
) {
  const path: FolderPath = { real: shown, shown, local: true, direct: false };
  const contents = new Map<string, ArchiveFile>();
  const root = branchOf(files, ignoreLinks);
  const named = namedFiles([{ path: shown, publish }]);
  const tree = await growFolder(
    root,
    {
      path,
      name: rootName(files),
      inherited: { depth: 0, insideSkill: false, areas: [], above: undefined, ignores: [] },
    },
    {
      names: createEntryNames(),
      contents,
      agentFolders: agentFolders !== false,
      named,
    },
  );
  const leftOut = await leftOutFolders(tree, async (real) => {
    const branch = branchAt(root, relative(shown, real).split(sep));
    return branch === undefined ? [] : entriesOf(branch);
  });
  return {
    tree,
    named,
    reader: memoryReader(contents),
    /** Hidden folders with skills that are not read, and named files that do not exist. */
    findings: [...leftOut, ...unusedNames([{ root: { path: shown, publish }, tree }])],
    /** The bytes behind a node of the tree. */
    bytesOf: (file: KnownFile): Uint8Array | undefined => contents.get(file.real)?.bytes,
  };
}

function branchAt(root: Branch, path: readonly string[]): Branch | undefined {
  let branch = root;
  for (const name of path) {
    const next = branch.get(name);
    if (!(next instanceof Map)) return undefined;
    branch = next;
  }
  return branch;
}

function entriesOf(branch: Branch): ListedEntry[] {
  return [...branch].map(([name, content]) => ({ name, kind: content instanceof Map ? 'folder' : 'file' }));
}

/** A skill at the root has no folder whose name could differ, so the name in its frontmatter is used. */
function rootName(files: readonly ArchiveFile[]): string {
  const main = files.find(({ path }) => path === skillFileName);
  const reading = main === undefined ? undefined : readFrontmatter(main.bytes);
  return reading?.ok === true ? reading.frontmatter.name : '';
}

function branchOf(files: readonly ArchiveFile[], ignoreLinks: readonly string[]): Branch {
  const root: Branch = new Map();
  function put(path: string, content: ArchiveFile | typeof link): void {
    const segments = path.split('/');
    let branch = root;
    for (const segment of segments.slice(0, -1)) {
      const known = branch.get(segment);
      const next: Branch = known instanceof Map ? known : new Map();
      branch.set(segment, next);
      branch = next;
    }
    branch.set(segments.at(-1) ?? '', content);
  }
  for (const file of files) put(file.path, file);
  for (const path of ignoreLinks) put(path, link);
  return root;
}

interface Growth {
  readonly names: EntryNames;
  readonly contents: Map<string, ArchiveFile>;
  readonly agentFolders: boolean;
  readonly named: NamedFiles;
}

const stamp = { dev: 0, ino: 0, mtimeMs: 0, ctimeMs: 0 };
const settled = false;

async function growFolder(branch: Branch, place: TreePosition, growth: Growth): Promise<FolderNode> {
  const { real, shown } = place.path;
  const out: Collected = { findings: [], fileFindings: [], unpublished: [], links: [], broken: [] };
  let { inherited } = place;
  const own = await ownIgnores(branch.get(ignoreFileName), real, below(shown, ignoreFileName));
  if (own !== undefined && 'unusable' in own) return unpublishedFolder(place, { stamp, settled }, own.unusable);
  if (own !== undefined) inherited = { ...inherited, ignores: [...inherited.ignores, own.level] };
  const { areas, above, ignores } = inherited;
  const children: Child[] = [];
  const entries = entriesOf(branch);
  const hidden = hiddenPlace(place, entries, growth.agentFolders, installedIn(branch));
  const entryPlace = {
    real,
    shown,
    areas,
    above,
    ignores,
    roots: [],
    names: growth.names,
    named: growth.named,
    hidden,
  };
  for (const entry of entries) {
    const child = await lookAt(entry, entryPlace, out);
    if (child !== undefined) children.push(child);
  }
  const skill = findSkillFile(children);
  const insideSkill = inherited.insideSkill || skill !== undefined;
  const files: FileNode[] = [];
  const folders: FolderNode[] = [];
  let skillFile: FileNode | undefined;
  for (const child of children) {
    const content = branch.get(child.diskName);
    if (content instanceof Map) {
      const path = { ...place.path, real: below(real, child.diskName), shown: below(shown, child.diskName) };
      const inside = { ...inherited, depth: inherited.depth + 1, insideSkill, way: child.way };
      folders.push(await growFolder(content, { path, name: child.name, inherited: inside }, growth));
    } else if (content !== undefined && content !== link) {
      const name = child === skill ? skillFileName : child.name;
      const node = new FileNode(place.path, child.diskName, name, undefined, true);
      growth.contents.set(node.real, content);
      if (child === skill) skillFile = node;
      files.push(node);
    }
  }
  return {
    ...stamp,
    settled,
    path: place.path,
    name: place.name,
    folders,
    files,
    skillFile,
    notes: out,
    inherited,
    assembled: undefined,
  };
}

function installedIn(branch: Branch): string | undefined {
  let names: string | undefined;
  for (const [name, content] of branch)
    if (isLockFile(name) && content !== link && !(content instanceof Map))
      names = lockedNames(decodeUtf8(content.bytes), names);
  return names;
}

async function ownIgnores(
  content: Branch | ArchiveFile | typeof link | undefined,
  folder: string,
  shown: string,
): Promise<IgnoreReading | undefined> {
  if (content === undefined) return undefined;
  if (content === link) return notAFile('link', shown);
  return content instanceof Map ? notAFile('folder', shown) : parseIgnoreFile(folder, content.bytes, shown);
}

function stampOf({ bytes, executable }: ArchiveFile): FileStamp {
  return { size: bytes.length, mtimeMs: 0, ctimeMs: 0, ino: 0, executable, hardLinked: false };
}

/** Facts about files in memory, which never change. */
function memoryReader(contents: ReadonlyMap<string, ArchiveFile>): FileReader {
  function facts(file: KnownFile, isSkillFile: boolean): StampedFile | ReadFault {
    const content = contents.get(file.real);
    if (content === undefined) return { fault: 'gone' };
    const { bytes } = content;
    if (bytes.length > limits.skill.bytes) return { fault: 'too-large', size: bytes.length };
    const known = file.facts;
    if (known !== undefined && (!isSkillFile || known.reading !== undefined)) return known;
    const stamp = stampOf(content);
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    file.facts = factsOf(file.real, { bytes: buffer, stamp, young: false, settled: false }, isSkillFile);
    return file.facts;
  }
  return {
    stamp: (file) => {
      const content = contents.get(file.real);
      if (content === undefined) return { fault: 'gone' };
      return stampOf(content);
    },
    facts,
    read: (file, isSkillFile) => {
      const known = facts(file, isSkillFile);
      const content = contents.get(file.real);
      if ('fault' in known || content === undefined) return 'fault' in known ? known : { fault: 'gone' };
      const { buffer, byteOffset, byteLength } = content.bytes;
      return { bytes: Buffer.from(buffer, byteOffset, byteLength), facts: known };
    },
    isCurrent: (file, digest) => {
      const known = facts(file, false);
      return 'digest' in known && known.digest === digest;
    },
  };
}
