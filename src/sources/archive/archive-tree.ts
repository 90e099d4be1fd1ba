/**
 * The files of an archive as the tree of folders that unpacking it would give, so that everything a folder source decides (what is a
 * skill, what is never published, `.skillignore`) is decided by the same code. Paths that are shown are those of the archive, then
 * those inside it.
 */
import type { ArchiveFile } from '../../archive/archive-file.ts';
import { limits } from '../../limits.ts';
import { skillFileName } from '../../skill/entry.ts';
import { finding } from '../../skill/finding.ts';
import { readFrontmatter } from '../../skill/frontmatter.ts';
import { createEntryNames, type EntryNames } from '../directory/entry-names.ts';
import { type FileFacts, type FileReader, factsOf, type KnownFile } from '../directory/file-facts.ts';
import type { ReadFault } from '../directory/file-stamp.ts';
import { type Child, type Collected, lookAt } from '../directory/folder-entry.ts';
import { below, FileNode, type FolderNode, type FolderPath, type Inherited } from '../directory/folder-node.ts';
import { findSkillFile } from '../directory/folder-tree.ts';
import { ignoreFileName, parseIgnoreFile } from '../directory/ignore-file.ts';

/** A folder of the archive; names to what they are. */
type Branch = Map<string, Branch | ArchiveFile>;

export interface ArchiveTree {
  readonly tree: FolderNode;
  readonly reader: FileReader;
  /** The bytes behind a node of the tree. */
  bytesOf(file: KnownFile): Uint8Array | undefined;
}

/** `shown` is how the archive is called: its path, or the name that was given with its bytes. */
export async function archiveTree(files: readonly ArchiveFile[], shown: string): Promise<ArchiveTree> {
  const path: FolderPath = { real: shown, shown, local: true, direct: false };
  const contents = new Map<string, ArchiveFile>();
  const tree = await growFolder(
    branchOf(files),
    {
      path,
      name: rootName(files),
      inherited: { depth: 0, insideSkill: false, areas: [], above: undefined, ignores: [] },
    },
    { names: createEntryNames(), contents },
  );
  return { tree, reader: memoryReader(contents), bytesOf: (file) => contents.get(file.real)?.bytes };
}

/** A skill at the root has no folder that could be called otherwise: the archive's own name is its publisher's business. */
function rootName(files: readonly ArchiveFile[]): string {
  const main = files.find(({ path }) => path === skillFileName);
  const reading = main === undefined ? undefined : readFrontmatter(main.bytes);
  return reading?.ok === true ? reading.frontmatter.name : '';
}

function branchOf(files: readonly ArchiveFile[]): Branch {
  const root: Branch = new Map();
  for (const file of files) {
    const segments = file.path.split('/');
    let branch = root;
    for (const segment of segments.slice(0, -1)) {
      const known = branch.get(segment);
      const next: Branch = known instanceof Map ? known : new Map();
      branch.set(segment, next);
      branch = next;
    }
    branch.set(segments.at(-1) ?? '', file);
  }
  return root;
}

interface Place {
  readonly path: FolderPath;
  readonly name: string;
  readonly inherited: Inherited;
}

interface Growth {
  readonly names: EntryNames;
  readonly contents: Map<string, ArchiveFile>;
}

async function growFolder(branch: Branch, place: Place, growth: Growth): Promise<FolderNode> {
  const { real, shown } = place.path;
  const out: Collected = { findings: [], fileFindings: [], withheld: [], links: [], broken: [] };
  let { inherited } = place;
  const ignoreFile = branch.get(ignoreFileName);
  if (ignoreFile !== undefined && !(ignoreFile instanceof Map)) {
    const { level, finding: found } = await readIgnores(ignoreFile, real, below(shown, ignoreFileName));
    if (found !== undefined) out.findings.push(found);
    if (level !== undefined) inherited = { ...inherited, ignores: [...inherited.ignores, level] };
  }
  const { areas, above, ignores } = inherited;
  const children: Child[] = [];
  for (const [name, content] of branch) {
    const entry = { name, kind: content instanceof Map ? 'folder' : 'file' } as const;
    const child = await lookAt(entry, { real, shown, areas, above, ignores, roots: [], names: growth.names }, out);
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
      const inside = { ...inherited, depth: inherited.depth + 1, insideSkill };
      folders.push(await growFolder(content, { path, name: child.name, inherited: inside }, growth));
    } else if (content !== undefined) {
      const name = child === skill ? skillFileName : child.name;
      const node = new FileNode(place.path, child.diskName, name, undefined, true);
      growth.contents.set(node.real, content);
      if (child === skill) skillFile = node;
      files.push(node);
    }
  }
  const stamp = { dev: 0, ino: 0, mtimeMs: 0, ctimeMs: 0, settled: false };
  return {
    ...stamp,
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

async function readIgnores(file: ArchiveFile, folder: string, shown: string): ReturnType<typeof parseIgnoreFile> {
  if (file.bytes.length <= limits.scan.ignoreFileBytes) return parseIgnoreFile(folder, file.bytes, shown);
  const message = `${ignoreFileName} has ${file.bytes.length} bytes, so it excludes nothing`;
  return { finding: finding('ignore-file', message, { file: shown }) };
}

/** Facts about files in memory: they never change. */
function memoryReader(contents: ReadonlyMap<string, ArchiveFile>): FileReader {
  function facts(file: KnownFile, isSkillFile: boolean): FileFacts | ReadFault {
    const content = contents.get(file.real);
    if (content === undefined) return { fault: 'gone' };
    const { bytes, executable } = content;
    if (bytes.length > limits.skill.bytes) return { fault: 'too-large', size: bytes.length };
    const known = file.facts;
    if (known !== undefined && (!isSkillFile || known.reading !== undefined)) return known;
    const stamp = { size: bytes.length, mtimeMs: 0, ctimeMs: 0, ino: 0, executable };
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    file.facts = factsOf(file.real, { bytes: buffer, stamp, young: false, settled: false }, isSkillFile);
    return file.facts;
  }
  return {
    stamp: (file) => {
      const content = contents.get(file.real);
      if (content === undefined) return { fault: 'gone' };
      return { size: content.bytes.length, mtimeMs: 0, ctimeMs: 0, ino: 0, executable: content.executable };
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
