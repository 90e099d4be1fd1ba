/**
 * Assembles a skill from its folder: frontmatter, files with digests, findings. The result does not depend on the
 * published URI, so it can be cached for as long as the folder's node stays the same.
 */
import { andThen, type MaybePromise } from '../../async/maybe-promise.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { windowsFault } from '../../skill/file-path.ts';
import { at, type Finding, finding } from '../../skill/finding.ts';
import { withFolderName } from '../../skill/frontmatter-fields.ts';
import type { FileReader, StampedFile } from './file-facts.ts';
import { type FileStamp, isPassing, type ReadFault } from './file-stamp.ts';
import {
  type AssembledFile,
  type AssembledSkill,
  type FileNode,
  type FolderNode,
  isMisspelled,
} from './folder-node.ts';
import { isNamed, type NamedFiles, publishedSecret, type Unpublished } from './publish-rules.ts';

interface FoundFile {
  readonly path: string;
  readonly node: FileNode;
  readonly isSkillFile: boolean;
}

export interface AssembleOptions {
  readonly reader: FileReader;
  /** Files to publish even though they look secret. */
  readonly named: NamedFiles;
}

export function assembleSkill(folder: FolderNode, options: AssembleOptions): MaybePromise<AssembledSkill> {
  const out: Collected = { found: [], findings: [], unpublished: [], emptyDirectories: [] };
  collect(folder, '', out);
  const { skillFile } = folder;
  if (skillFile === undefined) return finish(folder, out, undefined, [], 0);
  return andThen(options.reader.facts(skillFile, true), (facts) => {
    reportReading(folder, skillFile, facts, out.findings);
    return readFiles(folder, out, facts, options);
  });
}

/** The files of a folder without findings whose files are all known. */
export function filesBelow(folder: FolderNode): readonly AssembledFile[] {
  const out: Collected = { found: [], findings: [], unpublished: [], emptyDirectories: [] };
  collect(folder, '', out);
  const files: AssembledFile[] = [];
  for (const { path, node, isSkillFile } of out.found)
    if (node.facts !== undefined) files.push({ path, node, isSkillFile, facts: node.facts });
  return files.slice();
}

const none: readonly never[] = [];

function finish(
  folder: FolderNode,
  { findings, unpublished, emptyDirectories }: Collected,
  skillFacts: StampedFile | ReadFault | undefined,
  files: readonly AssembledFile[],
  passing: number,
): AssembledSkill {
  const whole = files.some((file) => file.path === skillFileName);
  const read = whole && skillFacts !== undefined && 'digest' in skillFacts ? skillFacts.reading : undefined;
  const reading = read?.ok === true ? read : undefined;
  return {
    folder,
    frontmatter: reading?.frontmatter,
    nameLine: reading?.nameLine,
    // A copy of exact length: the list grew with spare capacity.
    files: files.slice(),
    hasMediaTypes: files.some(({ facts }) => facts.mediaType !== undefined),
    hasExecutables: files.some(({ facts }) => facts.executable),
    emptyDirectories: orNone(emptyDirectories),
    incomplete: passing > 0,
    findings: orNone(findings),
    unpublished: orNone(unpublished),
    published: undefined,
  };
}

/** Most skills have none; they share one empty list. */
function orNone<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? none : list;
}

interface Collected {
  readonly found: FoundFile[];
  readonly findings: Finding[];
  readonly unpublished: Unpublished[];
  readonly emptyDirectories: string[];
}

/** Collects everything below a folder, including the folders of nested skills. */
function collect(folder: FolderNode, prefix: string, out: Collected): void {
  const { fileFindings, unpublished } = folder.notes;
  if (fileFindings.length > 0) out.findings.push(...fileFindings);
  if (unpublished.length > 0) out.unpublished.push(...unpublished);
  for (const node of folder.files) {
    const path = prefix + node.name;
    if (checkPath(path, node, out.findings)) out.found.push({ path, node, isSkillFile: node === folder.skillFile });
  }
  for (const child of folder.folders) collect(child, `${prefix}${child.name}/`, out);
  const isEmpty = folder.files.length === 0 && folder.folders.length === 0 && unpublished.length === 0;
  if (isEmpty && prefix !== '') out.emptyDirectories.push(prefix.slice(0, -1));
}

function levelsOf(path: string): number {
  let levels = 1;
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) levels++;
  return levels;
}

/** Whether a file is not published because of its path below the skill. */
export function isTooLong(path: string): boolean {
  return path.length > limits.path.characters || levelsOf(path) > limits.path.depth;
}

function checkPath(path: string, file: FileNode, findings: Finding[]): boolean {
  if (isTooLong(path)) {
    const size = `${path.length} characters and ${levelsOf(path)} levels`;
    findings.push(
      finding('file-path-too-long', `the path has ${size}, so the file is not served`, { file: file.shown }),
    );
    return false;
  }
  const fault = windowsFault(file.name);
  if (fault !== undefined) findings.push(finding('file-name-windows', `the name ${fault}`, { file: file.shown }));
  return true;
}

/** An unreadable `SKILL.md` is reported with the other files. */
function reportReading(
  folder: FolderNode,
  skillFile: FileNode,
  facts: StampedFile | ReadFault,
  findings: Finding[],
): void {
  if ('fault' in facts) return;
  for (const found of facts.reading?.findings ?? none)
    findings.push(at(withFolderName(found, folder.name), { file: skillFile.shown }));
  if (isMisspelled(folder))
    findings.push(finding('skill-md-spelling', `the file is served as ${skillFileName}`, { file: skillFile.shown }));
}

/** Reads all files, unless together they exceed a limit: never reads more than a skill may have. */
function readFiles(
  folder: FolderNode,
  out: Collected,
  skillFacts: StampedFile | ReadFault,
  { reader, named }: AssembleOptions,
): MaybePromise<AssembledSkill> {
  const { found, findings } = out;
  if (found.length > limits.skill.files) {
    const message = `the skill has ${found.length} files, more than ${limits.skill.files}, so it is not served`;
    findings.push(finding('skill-too-many-files', message, { file: folder.path.shown }));
    return finish(folder, out, skillFacts, none, 0);
  }
  const files: AssembledFile[] = [];
  let bytes = 0;
  let passing = 0;

  function take({ path, node, isSkillFile }: FoundFile, facts: StampedFile | FileStamp | ReadFault): void {
    if ('size' in facts) bytes += facts.size;
    if ('fault' in facts && isPassing(facts)) passing++;
    if (!('digest' in facts)) reportFault(facts, node.shown, findings);
    else if (isPublishable(node, facts, out, named)) files.push({ path, node, isSkillFile, facts });
  }

  function from(first: number): MaybePromise<AssembledSkill> {
    for (let index = first; index < found.length; index++) {
      const file = found[index] as FoundFile;
      const facts =
        file.node === folder.skillFile
          ? skillFacts
          : bytes > limits.skill.bytes
            ? reader.stamp(file.node)
            : reader.facts(file.node, file.isSkillFile);
      if (facts instanceof Promise)
        return facts.then((read) => {
          take(file, read);
          return from(index + 1);
        });
      take(file, facts);
    }
    reportHardLinks(folder, files, findings);
    if (bytes <= limits.skill.bytes) return finish(folder, out, skillFacts, files, passing);
    const message = `the files have ${bytes} bytes together, more than ${limits.skill.bytes}, so the skill is not served`;
    findings.push(finding('skill-too-large', message, { file: folder.path.shown }));
    return finish(folder, out, skillFacts, none, passing);
  }
  return from(0);
}

function isPublishable(
  node: FileNode,
  facts: StampedFile,
  { findings, unpublished }: Collected,
  named: NamedFiles,
): boolean {
  if (!facts.isPrivateKey && !facts.overStdioLine) return true;
  const { shown } = node;
  if (facts.isPrivateKey && isNamed(named, shown)) findings.push(publishedSecret(keyBegins, shown));
  else if (facts.isPrivateKey) {
    findings.push(finding('file-secret', `the file ${keyBegins} and is not served`, { file: shown }));
    unpublished.push({ file: shown, reason: keyBegins });
    return false;
  }
  if (facts.overStdioLine) {
    const message = `the file has ${facts.size} bytes and does not fit into one line of the stdio transport`;
    findings.push(finding('file-too-large-for-stdio', message, { file: shown }));
  }
  return true;
}

const keyBegins = 'begins as a private key does';

/** A hard link looks like any other file, and may lead to one that was not meant to be published. */
function reportHardLinks(folder: FolderNode, files: readonly AssembledFile[], findings: Finding[]): void {
  const linked = files.filter(({ facts }) => facts.hardLinked);
  if (linked.length === 0) return;
  const most = limits.scan.hardLinksShown;
  const shown = linked.slice(0, most).map(({ path }) => quoteText(path));
  if (linked.length > most) shown.push(`and ${linked.length - most} more`);
  const what = linked.length === 1 ? 'a file is' : `${linked.length} files are`;
  const message = `${what} also reachable by another path (a hard link): ${shown.join(', ')}`;
  findings.push(finding('file-hard-linked', message, { file: folder.path.shown }));
}

function reportFault(fault: FileStamp | ReadFault, shown: string, findings: Finding[]): void {
  if (!('fault' in fault)) return;
  switch (fault.fault) {
    case 'gone':
      // The folder changed since it was listed, so it is read again.
      return;
    case 'not-regular':
      findings.push(
        finding('file-not-regular', 'this is no longer an ordinary file and is not served', { file: shown }),
      );
      return;
    case 'too-large':
      // Larger than a whole skill may be, which is reported for the skill.
      return;
    case 'unstable':
      findings.push(
        finding('file-unreadable', 'the file changes faster than it can be read and is not served', {
          file: shown,
          remedy: 'move the file out of the skill',
        }),
      );
      return;
    case 'unreadable':
      findings.push(
        finding('file-unreadable', `the file cannot be read (${fault.error}) and is not served`, { file: shown }),
      );
      return;
  }
}
