/**
 * Puts a skill together from its folder: frontmatter, files with digests, findings. The result does not know where the
 * skill will be published, so it can be kept for as long as the folder's node stays the same.
 */
import { limits } from '../../limits.ts';
import { type Frontmatter, skillFileName } from '../../skill/entry.ts';
import { windowsFault } from '../../skill/file-path.ts';
import { at, type Finding, finding } from '../../skill/finding.ts';
import type { FrontmatterReading } from '../../skill/frontmatter.ts';
import type { FileFacts, FileFactsCache } from './file-facts.ts';
import { type FileStamp, isPassing, type ReadFault } from './file-stamp.ts';
import type { FileNode, FolderNode } from './folder-tree.ts';
import type { Withheld } from './publish-rules.ts';

export interface AssembledFile {
  /** Decoded path below the skill. */
  readonly path: string;
  readonly node: FileNode;
  readonly isSkillFile: boolean;
  readonly facts: FileFacts;
}

export interface AssembledSkill {
  readonly folder: FolderNode;
  /** Absent where the skill cannot be served; the findings say why. */
  readonly frontmatter?: Frontmatter;
  /** Line of the name in `SKILL.md`. */
  readonly nameLine?: number;
  readonly files: readonly AssembledFile[];
  readonly emptyDirectories: readonly string[];
  /** A passing failure of the system (too many open files, a late answer) kept something from being read. */
  readonly incomplete: boolean;
  readonly findings: readonly Finding[];
  readonly withheld: readonly Withheld[];
}

interface FoundFile {
  readonly path: string;
  readonly node: FileNode;
  readonly isSkillFile: boolean;
}

export async function assembleSkill(folder: FolderNode, cache: FileFactsCache): Promise<AssembledSkill> {
  const findings: Finding[] = [];
  const withheld: Withheld[] = [];
  const emptyDirectories: string[] = [];
  const found: FoundFile[] = [];
  collect(folder, '', { found, findings, withheld, emptyDirectories });

  const reading = await readSkillFile(folder, cache, findings);
  const passing = { count: 0 };
  const files = await readFiles(folder, found, cache, findings, withheld, passing);
  const whole = files?.some((file) => file.path === skillFileName) === true;
  return {
    folder,
    ...(whole && reading?.ok === true ? { frontmatter: reading.frontmatter, nameLine: reading.nameLine } : {}),
    files: files ?? [],
    emptyDirectories,
    incomplete: passing.count > 0,
    findings,
    withheld,
  };
}

interface Collected {
  readonly found: FoundFile[];
  readonly findings: Finding[];
  readonly withheld: Withheld[];
  readonly emptyDirectories: string[];
}

/** Everything below a folder, the folders of nested skills included. */
function collect(folder: FolderNode, prefix: string, out: Collected): void {
  out.findings.push(...folder.fileFindings);
  out.withheld.push(...folder.withheld);
  for (const file of folder.files) {
    const path = `${prefix}${file.name}`;
    if (checkPath(path, file, out.findings))
      out.found.push({ path, node: file, isSkillFile: file === folder.skillFile });
  }
  for (const child of folder.folders) collect(child, `${prefix}${child.name}/`, out);
  const isEmpty = folder.files.length === 0 && folder.folders.length === 0 && folder.withheld.length === 0;
  if (isEmpty && prefix !== '') out.emptyDirectories.push(prefix.slice(0, -1));
}

function checkPath(path: string, file: FileNode, findings: Finding[]): boolean {
  const depth = path.split('/').length;
  if (path.length > limits.path.characters || depth > limits.path.depth) {
    const size = `${path.length} characters and ${depth} levels`;
    findings.push(
      finding('file-path-too-long', `the path has ${size}, so the file is not served`, { file: file.shown }),
    );
    return false;
  }
  const fault = windowsFault(file.name);
  if (fault !== undefined) findings.push(finding('file-name-windows', `the name ${fault}`, { file: file.shown }));
  return true;
}

/** Reads `SKILL.md`; undefined where that is not possible, which is reported with the other files. */
async function readSkillFile(
  folder: FolderNode,
  cache: FileFactsCache,
  findings: Finding[],
): Promise<FrontmatterReading | undefined> {
  const skillFile = folder.skillFile;
  if (skillFile === undefined) return undefined;
  const facts = await cache.facts(skillFile.real, true);
  if ('fault' in facts) return undefined;
  for (const found of facts.reading?.findings ?? []) findings.push(at(found, { file: skillFile.shown }));
  if (folder.misspelled)
    findings.push(finding('skill-md-spelling', `the file is served as ${skillFileName}`, { file: skillFile.shown }));
  return facts.reading;
}

/** Reads all files; undefined where together they break a limit. No more is read than a skill may have. */
async function readFiles(
  folder: FolderNode,
  found: readonly FoundFile[],
  cache: FileFactsCache,
  findings: Finding[],
  withheld: Withheld[],
  passing: { count: number },
): Promise<readonly AssembledFile[] | undefined> {
  if (found.length > limits.skill.files) {
    const message = `the skill has ${found.length} files, the limit is ${limits.skill.files}, so it is not served`;
    findings.push(finding('skill-too-many-files', message, { file: folder.shown }));
    return undefined;
  }
  const files: AssembledFile[] = [];
  let bytes = 0;
  for (const file of found) {
    const facts =
      bytes > limits.skill.bytes
        ? await cache.stamp(file.node.real)
        : await cache.facts(file.node.real, file.isSkillFile);
    bytes += sizeOf(facts);
    if ('fault' in facts && isPassing(facts)) passing.count++;
    if (!('digest' in facts)) reportFault(facts, file.node.shown, findings);
    else if (isPublishable(file.node.shown, facts, findings, withheld)) files.push({ ...file, facts });
  }
  if (bytes <= limits.skill.bytes) return files;
  const message = `the files have ${bytes} bytes together, the limit is ${limits.skill.bytes}, so the skill is not served`;
  findings.push(finding('skill-too-large', message, { file: folder.shown }));
  return undefined;
}

function sizeOf(facts: FileFacts | FileStamp | ReadFault): number {
  return 'size' in facts ? facts.size : 0;
}

function isPublishable(shown: string, facts: FileFacts, findings: Finding[], withheld: Withheld[]): boolean {
  if (facts.isPrivateKey) {
    findings.push(finding('file-secret', 'the file begins as a private key does and is not served', { file: shown }));
    withheld.push({ file: shown, reason: 'begins as a private key does' });
    return false;
  }
  if (facts.overStdioLine) {
    const message = `the file has ${facts.size} bytes and does not fit into one line of the stdio transport`;
    findings.push(finding('file-too-large-for-stdio', message, { file: shown }));
  }
  return true;
}

function reportFault(fault: FileStamp | ReadFault, shown: string, findings: Finding[]): void {
  if (!('fault' in fault)) return;
  switch (fault.fault) {
    case 'gone':
      // The folder has changed since it was listed, and is read again because of that.
      return;
    case 'not-regular':
      findings.push(
        finding('file-not-regular', 'this is no longer an ordinary file and is not served', { file: shown }),
      );
      return;
    case 'too-large':
      // Alone larger than a skill may be, which is told of the skill.
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
