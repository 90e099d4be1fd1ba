/**
 * Nodes of a folder tree: what exists and may be published, not the contents of files. Ten thousand skills have eighty thousand nodes. So
 * paths are composed on demand, and rare fields share one empty object. Facts about a file are on its node, not in a table by path.
 */
import { sep } from 'node:path';
import type { Frontmatter } from '../../skill/entry.ts';
import type { Finding } from '../../skill/finding.ts';
import type { SourceSkill } from '../skill-source.ts';
import type { StampedFile } from './file-facts.ts';
import type { IgnoreLevel } from './ignore-file.ts';
import type { FolderAbove, FollowedLink } from './links.ts';
import type { Unpublished } from './publish-rules.ts';

/** A folder as its files reference it, without the folder's node. */
export interface FolderPath {
  /** Real path, free of links. */
  readonly real: string;
  /** Path as a reader would open it. */
  readonly shown: string;
  /** On a disk that may be read by synchronous calls. */
  readonly local: boolean;
  /** Reached from the root without a link, so that its facts can be cached with the root. */
  readonly direct: boolean;
}

/** The path of an entry. Both parts come from the system, so nothing needs normalizing. */
export function below(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

/** A class for its getters: an object with its own paths takes three times the memory. */
export class FileNode {
  readonly folder: FolderPath;
  readonly diskName: string;
  /** Name under which it is published. */
  readonly name: string;
  /** The target, if the file is a link. */
  readonly target: string | undefined;
  /** On a disk that may be read by synchronous calls. */
  readonly local: boolean;
  /** Facts about the bytes, valid while the file has their stamp. */
  facts: StampedFile | undefined;

  constructor(folder: FolderPath, diskName: string, name: string, target: string | undefined, local: boolean) {
    this.folder = folder;
    this.diskName = diskName;
    this.name = name;
    this.target = target;
    this.local = local;
    this.facts = undefined;
  }

  /** Real path, free of links. */
  get real(): string {
    return this.target ?? below(this.folder.real, this.diskName);
  }

  /** Path as a reader would open it. */
  get shown(): string {
    return below(this.folder.shown, this.diskName);
  }

  /** Reached from the root without a link. */
  get direct(): boolean {
    return this.target === undefined && this.folder.direct;
  }
}

/** Shows, without listing, that nothing was added to, removed from or renamed in a folder. */
export interface FolderStamp {
  readonly dev: number;
  readonly ino: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** Everything about a folder besides published folders and files; most folders have none of it. */
export interface FolderNotes {
  readonly findings: readonly Finding[];
  /** Findings that matter only if the folder belongs to a skill. */
  readonly fileFindings: readonly Finding[];
  readonly unpublished: readonly Unpublished[];
  readonly links: readonly FollowedLink[];
  /** Real paths of links that lead nowhere now. */
  readonly broken: readonly string[];
  /** Its own `.skillignore` may hide something. */
  readonly hides?: boolean;
}

/** How far a folder is on the path to an agent's folder. */
export interface AgentWay {
  /** From the project: `.claude`, then `.claude/skills`. */
  readonly path: string;
  /** Names of skills in the project's lock files, each between line feeds. */
  readonly installed: string | undefined;
}

/** State inherited from the folders above, shared by all subfolders. If it is equal, only a folder's own content decides. */
export interface Inherited {
  readonly depth: number;
  readonly insideSkill: boolean;
  /** Real folders that links may lead into. */
  readonly areas: readonly string[];
  /** The folders above, to notice loops. */
  readonly above: FolderAbove | undefined;
  readonly ignores: readonly IgnoreLevel[];
  /** For a hidden folder that leads to an agent's folder, or is one. */
  readonly way?: AgentWay | undefined;
}

export interface FolderNode extends FolderStamp {
  readonly path: FolderPath;
  readonly name: string;
  /** The stamp was old enough when the folder was listed to show every later change. */
  readonly settled: boolean;
  readonly folders: readonly FolderNode[];
  readonly files: readonly FileNode[];
  /** The `SKILL.md` (also among `files`), if the folder is a skill. */
  readonly skillFile: FileNode | undefined;
  readonly notes: FolderNotes;
  readonly inherited: Inherited;
  /** The assembled skill, if the folder is one. */
  assembled: AssembledSkill | undefined;
}

export interface AssembledFile {
  /** Decoded path below the skill. */
  readonly path: string;
  readonly node: FileNode;
  readonly isSkillFile: boolean;
  readonly facts: StampedFile;
}

/** A file of a skill, as far as an entry describes it. */
export interface EntryFile {
  /** Below the skill. */
  readonly path: string;
  readonly digest: string;
  readonly size: number;
  readonly executable: boolean;
  readonly mtimeMs: number;
}

export interface AssembledSkill {
  readonly folder: FolderNode;
  /** Absent if the skill cannot be served; the findings say why. */
  readonly frontmatter: Frontmatter | undefined;
  /** Line of the name in `SKILL.md`. */
  readonly nameLine: number | undefined;
  readonly files: readonly AssembledFile[];
  /** The files for an entry, in any order and with ordinary names, if known without building nodes. */
  readonly cachedFiles?: readonly EntryFile[] | undefined;
  /** Some files have media types that their names do not imply. */
  readonly hasMediaTypes: boolean;
  readonly hasExecutables: boolean;
  readonly emptyDirectories: readonly string[];
  /** A passing failure of the system (too many open files, a late answer) prevented a read. */
  readonly incomplete: boolean;
  readonly findings: readonly Finding[];
  readonly unpublished: readonly Unpublished[];
  /** As it was last published. */
  published: PublishedSkill | undefined;
}

export interface PublishedSkill {
  readonly skill: SourceSkill;
  readonly assembled: AssembledSkill;
  /** Decoded path of the skill. */
  readonly path: string;
}

const none: readonly never[] = [];
export const noNotes: FolderNotes = {
  findings: none,
  fileFindings: none,
  unpublished: none,
  links: none,
  broken: none,
};
export const noFolders: readonly FolderNode[] = none;

/** True if the `SKILL.md` of a folder has another spelling on disk. */
export function isMisspelled({ skillFile }: FolderNode): boolean {
  return skillFile !== undefined && skillFile.diskName.normalize('NFC') !== skillFile.name;
}

export function sameFolder(a: FolderStamp, b: FolderStamp): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

export function sameFolderStamp(a: FolderStamp, b: FolderStamp): boolean {
  return sameFolder(a, b) && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}
