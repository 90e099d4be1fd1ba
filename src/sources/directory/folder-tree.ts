/**
 * The tree of folders below a root, as nodes that never change: what exists and may be published, not what is in the
 * files. `growTree` walks a folder; `renewTree` walks again only the folders that are named as dirty and shares every other
 * node with the tree before, so whoever remembers something per node keeps it for what did not change.
 *
 * Links are followed only to where `links.ts` allows it. Nothing here opens a file except `.skillignore`.
 */
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { limits } from '../../limits.ts';
import { skillFileName } from '../../skill/entry.ts';
import { foldName } from '../../skill/file-path.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import type { Slices } from './disk-speed.ts';
import { isPassingCode } from './file-stamp.ts';
import { below, type Child, isSkillFileName, lookAt } from './folder-entry.ts';
import { type IgnoreLevel, ignoreFileName, readIgnoreFile } from './ignore-file.ts';
import type { FollowedLink } from './links.ts';
import type { Withheld } from './publish-rules.ts';

export interface FileNode {
  /** Real path, free of links. */
  readonly real: string;
  /** Path as a reader would open it. */
  readonly shown: string;
  /** Name under which it is published. */
  readonly name: string;
}

export interface FolderNode {
  readonly real: string;
  /** Device and inode: a folder of the same name may be another one. */
  readonly id: string;
  readonly shown: string;
  readonly name: string;
  readonly folders: readonly FolderNode[];
  readonly files: readonly FileNode[];
  /** The `SKILL.md` (also among `files`), where the folder is a skill. */
  readonly skillFile?: FileNode;
  /** True if that file has another spelling on disk. */
  readonly misspelled: boolean;
  readonly findings: readonly Finding[];
  /** Findings that matter only if the folder belongs to a skill. */
  readonly fileFindings: readonly Finding[];
  readonly withheld: readonly Withheld[];
  readonly links: readonly FollowedLink[];
  /** Real paths of links that lead nowhere now. */
  readonly broken: readonly string[];
  /** What the folder inherits from above; equal means that its own content decides alone. */
  readonly place: Place;
}

/** Where a folder stands. */
export interface Place {
  readonly real: string;
  readonly shown: string;
  readonly name: string;
  readonly depth: number;
  readonly insideSkill: boolean;
  /** Real folders that links may lead into. */
  readonly areas: readonly string[];
  /** Real paths of the folders above, to notice loops. */
  readonly above: readonly string[];
  readonly ignores: readonly IgnoreLevel[];
}

export interface Walk {
  /** Real paths of all roots: a skill folder may be a link into any of them. */
  readonly roots: readonly string[];
  /** Called with each real folder before it is read, and whether it is one that was not known before. */
  readonly onFolder: (real: string, isNew: boolean) => void;
  /** Called with each real folder that a passing failure of the system kept from being read. */
  readonly onPassing: (real: string) => void;
  /** Whether the root lies on a disk that may be read by synchronous calls. */
  readonly local: boolean;
  readonly slices: Slices;
  /** Entries that may still be looked at. */
  remaining: number;
  /** Links that may still be followed. */
  links: number;
  readonly signal?: AbortSignal;
}

export class FolderUnreadable extends Error {
  readonly code: string;
  constructor(path: string, code: string) {
    super(`cannot read the folder "${path}" (${code})`);
    this.code = code;
  }
}

export function growTree(place: Place, walk: Walk): Promise<FolderNode> {
  return readFolder(place, walk, undefined, undefined);
}

/** Folders to be read again, and all folders above them. */
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

/** The same tree with the dirty folders (real paths) read again. Returns the same node where nothing below is dirty. */
export async function renewTree(node: FolderNode, dirty: DirtyFolders, walk: Walk): Promise<FolderNode> {
  if (dirty.folders.has(node.real)) return readFolder(node.place, walk, node, dirty);
  if (!dirty.above.has(node.real)) return node;
  const findings: Finding[] = [];
  const renewed = await Promise.all(
    node.folders.map((folder) => unlessUnreadable(renewTree(folder, dirty, walk), folder, findings, walk, folder)),
  );
  if (renewed.every((folder, index) => folder === node.folders[index])) return node;
  return {
    ...node,
    folders: renewed.filter((folder) => folder !== undefined),
    findings: [...node.findings, ...findings],
  };
}

/** One folder that cannot be read must not hide its siblings. */
async function unlessUnreadable(
  work: Promise<FolderNode>,
  { real, shown }: Pick<FolderNode, 'real' | 'shown'>,
  findings: Finding[],
  walk: Walk,
  previous: FolderNode | undefined,
): Promise<FolderNode | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof FolderUnreadable)) throw error;
    if (isPassingCode(error.code)) {
      // The folder is as it was until it can be read again.
      walk.onPassing(real);
      if (previous !== undefined) return previous;
    }
    // Gone between listing and reading: the folder above is read again soon.
    if (!isGone(error.code))
      findings.push(finding('file-unreadable', `the folder cannot be read (${error.code})`, { file: shown }));
    return undefined;
  }
}

/** Device and inode of a folder; undefined where there is none. */
export async function folderId(real: string, local: boolean): Promise<string | undefined> {
  try {
    const { dev, ino } = local ? statSync(real) : await stat(real);
    return `${dev}:${ino}`;
  } catch (error) {
    if (isGone((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}

function isGone(code: string | undefined): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR';
}

async function listFolder(place: Place, walk: Walk, isNew: boolean): Promise<{ id: string; entries: Dirent[] }> {
  walk.signal?.throwIfAborted();
  walk.onFolder(place.real, isNew);
  let entries: Dirent[];
  let id: string;
  try {
    const pause = walk.local ? walk.slices.pause() : undefined;
    if (pause !== undefined) await pause;
    id = (await folderId(place.real, walk.local)) ?? '';
    entries = walk.local
      ? readdirSync(place.real, { withFileTypes: true })
      : await readdir(place.real, { withFileTypes: true });
  } catch (error) {
    throw new FolderUnreadable(place.shown, (error as NodeJS.ErrnoException).code ?? String(error));
  }
  walk.remaining -= entries.length;
  return { id, entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

async function readFolder(
  given: Place,
  walk: Walk,
  previous: FolderNode | undefined,
  dirty: DirtyFolders | undefined,
): Promise<FolderNode> {
  const { id, entries } = await listFolder(given, walk, previous === undefined);
  const findings: Finding[] = [];
  const fileFindings: Finding[] = [];
  const withheld: Withheld[] = [];
  const links: FollowedLink[] = [];
  const broken: string[] = [];

  let place = given;
  if (entries.some((entry) => entry.name === ignoreFileName)) {
    const shown = below(place.shown, ignoreFileName);
    const ignoreFile = await readIgnoreFile(place.real, below(place.real, ignoreFileName), shown, walk.local);
    if (ignoreFile.finding !== undefined) findings.push(ignoreFile.finding);
    if (ignoreFile.level !== undefined) place = { ...place, ignores: [...place.ignores, ignoreFile.level] };
  }

  const suspicious = entries.some((entry) => entry.name.includes('\uFFFD'));
  const undecodable = suspicious ? await undecodableNames(place) : noNames;
  const children: Child[] = [];
  for (const entry of entries) {
    const shown = below(place.shown, entry.name);
    if (undecodable.has(entry.name)) {
      fileFindings.push(
        finding('file-name-not-utf8', 'a file name is not valid UTF-8, so the file is not served', { file: shown }),
      );
      continue;
    }
    const looked = lookAt(entry, place, walk.roots, shown, { findings, fileFindings, withheld, links, broken });
    const child = looked instanceof Promise ? await looked : looked;
    if (child !== undefined) children.push(child);
  }

  const skill = findSkillFile(children);
  const insideSkill = place.insideSkill || skill !== undefined;
  const kept = insideSkill ? withoutCollisions(children, skill, fileFindings) : children;
  const inherited = { ...place, insideSkill, above: [...place.above, place.real] };
  const known = previous !== undefined && samePlace(previous, inherited) ? foldersByReal(previous) : undefined;
  const files: FileNode[] = [];
  const folders: Promise<FolderNode | undefined>[] = [];
  for (const child of kept) {
    if (child.isFolder) folders.push(descend(child, inherited, walk, known?.get(child.real), dirty, findings));
    else files.push({ real: child.real, shown: child.shown, name: child === skill ? skillFileName : child.name });
  }
  const skillFile = files.find((file) => skill !== undefined && file.shown === skill.shown);
  return {
    real: place.real,
    id,
    shown: place.shown,
    name: place.name,
    folders: folders.length === 0 ? none : (await Promise.all(folders)).filter((folder) => folder !== undefined),
    files,
    ...(skillFile === undefined ? {} : { skillFile }),
    misspelled: skill !== undefined && skill.name !== skillFileName,
    findings: orNone(findings),
    fileFindings: orNone(fileFindings),
    withheld: orNone(withheld),
    links: orNone(links),
    broken: orNone(broken),
    place: given,
  };
}

const none: readonly never[] = [];
const noNames: ReadonlySet<string> = new Set();

/** Most folders have none of this; they share one empty list. */
function orNone<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? none : list;
}

function foldersByReal(node: FolderNode): ReadonlyMap<string, FolderNode> {
  return new Map(node.folders.map((folder) => [folder.real, folder]));
}

/** True if nothing that children inherit differs from when the folder was last read. */
function samePlace(previous: FolderNode, inherited: Place): boolean {
  const inheritedSkill = previous.place.insideSkill || previous.skillFile !== undefined;
  const child = previous.folders[0]?.place;
  const before = child?.ignores.map(({ folder, text }) => `${folder}\n${text}`).join('\n');
  const now = inherited.ignores.map(({ folder, text }) => `${folder}\n${text}`).join('\n');
  return inheritedSkill === inherited.insideSkill && (child === undefined || before === now);
}

async function descend(
  child: Child,
  inherited: Place,
  walk: Walk,
  known: FolderNode | undefined,
  dirty: DirtyFolders | undefined,
  findings: Finding[],
): Promise<FolderNode | undefined> {
  if (child.link !== undefined && --walk.links < 0) {
    if (walk.links === -1) {
      const message = `more than ${limits.scan.links} links are not followed`;
      findings.push(
        finding('scan-limit', message, { file: child.shown, remedy: 'remove links that lead to each other' }),
      );
    }
    return undefined;
  }
  const isSame = known?.name === child.name && known.id === (await folderId(child.real, walk.local));
  if (known !== undefined && isSame && dirty !== undefined)
    return unlessUnreadable(renewTree(known, dirty, walk), child, findings, walk, known);
  if (walk.remaining <= 0 || inherited.depth + 1 > limits.scan.depth) {
    const limit = walk.remaining <= 0 ? `${limits.scan.entries} files` : `${limits.scan.depth} levels`;
    const message = `the folder is not looked into: the limit of ${limit} is reached`;
    findings.push(finding('scan-limit', message, { file: child.shown }));
    return undefined;
  }
  const areas = child.link?.opens === undefined ? inherited.areas : [...inherited.areas, child.link.opens];
  const { real, shown, name } = child;
  const place = { ...inherited, real, shown, name, depth: inherited.depth + 1, areas };
  return unlessUnreadable(growTree(place, walk), child, findings, walk, undefined);
}

function findSkillFile(children: readonly Child[]): Child | undefined {
  const files = children.filter((child) => !child.isFolder && isSkillFileName(child.name));
  return files.find((child) => child.name === skillFileName) ?? files[0];
}

/** Of names that a case-insensitive or normalising disk cannot keep apart none is published, except an exact `SKILL.md`. */
function withoutCollisions(
  children: readonly Child[],
  skill: Child | undefined,
  findings: Finding[],
): readonly Child[] {
  const groups = groupByFold(children);
  const kept: Child[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    if (group.length === 1 && first !== undefined) {
      kept.push(first);
      continue;
    }
    const exact = group.find((child) => child === skill && child.name === skillFileName);
    if (exact !== undefined) kept.push(exact);
    const names = group.map((child) => `"${child.diskName}"`).join(' and ');
    for (const child of group)
      if (child !== exact)
        findings.push(
          finding(
            'file-names-collide',
            `${names} differ only in case or Unicode form, so "${child.diskName}" is not served`,
            { file: child.shown },
          ),
        );
  }
  return kept;
}

function groupByFold(children: readonly Child[]): Map<string, Child[]> {
  const groups = new Map<string, Child[]>();
  for (const child of children) {
    const key = foldName(child.name);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [child]);
    else group.push(child);
  }
  return groups;
}

/** Names that are not UTF-8 on disk: only those that were decoded with a replacement character can be. */
async function undecodableNames(place: Place): Promise<ReadonlySet<string>> {
  const bad = new Set<string>();
  for (const raw of await readdir(place.real, { encoding: 'buffer' })) {
    const name = raw.toString('utf8');
    if (!Buffer.from(name, 'utf8').equals(raw)) bad.add(name);
  }
  return bad;
}
