/**
 * Reads the files of one commit that can belong to skills, exactly as committed. There is no checkout, so no attribute, filter or line
 * ending rule changes a byte.
 */
import type { ArchiveFile } from '../../archive/archive-file.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { parseFileName } from '../../skill/file-path.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { ignoreFileName } from '../directory/ignore-file.ts';
import { type GitRun, runGit } from './run-git.ts';

interface TreeEntry {
  readonly path: string;
  readonly object: string;
  readonly size: number;
  readonly kind: 'file' | 'executable' | 'link';
}

export interface CommitFiles {
  readonly files: readonly ArchiveFile[];
  /** Paths of `.skillignore` files that are links. */
  readonly ignoreLinks: readonly string[];
  readonly findings: readonly Finding[];
}

type Where = Omit<GitRun, 'args' | 'input'> & { readonly folder: string };

/** @param inside reads only skills of this folder. @throws SkillwireError ORIGIN_NOT_FOUND if the commit has no such folder */
export async function readCommit(revision: string, where: Where, inside?: string): Promise<CommitFiles> {
  const { folder, ...run } = where;
  const listing = await runGit({
    ...run,
    args: [`--git-dir=${folder}`, 'ls-tree', '-r', '-z', '--long', '--full-tree', revision],
  });
  const wanted = ofSkills(within(parseTree(listing), inside, where.shown));
  refuseTooMuch(wanted, where.shown);
  const objects = await readObjects(
    wanted.map(({ object }) => object),
    where,
  );
  const byPath = new Map(wanted.map((entry) => [entry.path, entry]));
  const files: ArchiveFile[] = [];
  const ignoreLinks: string[] = [];
  const findings: Finding[] = [];
  for (const entry of wanted) {
    if (entry.kind === 'link' && isIgnoreFile(entry.path)) {
      ignoreLinks.push(entry.path);
      continue;
    }
    const real = entry.kind === 'link' ? linked(entry, byPath, objects) : entry;
    const bytes = real === undefined ? undefined : objects.get(real.object);
    if (real === undefined || bytes === undefined) {
      const message = 'the link does not lead to a skill file of the repository and is not served';
      findings.push(finding('link-leaves-root', message, { file: `${where.shown}/${entry.path}` }));
      continue;
    }
    files.push({ path: entry.path, bytes, executable: real.kind === 'executable' });
  }
  return { files, ignoreLinks, findings };
}

function parseTree(listing: Uint8Array): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (const line of new TextDecoder().decode(listing).split('\0')) {
    const match = /^(\d{6}) blob ([0-9a-f]+) +(\d+)\t(.+)$/s.exec(line);
    if (match === null) continue;
    const [, mode = '', object = '', size = '', path = ''] = match;
    const names = path.split('/').flatMap((segment) => {
      const parsed = parseFileName(segment);
      return parsed.ok ? [parsed.name] : [];
    });
    const kind = mode === '120000' ? 'link' : mode === '100755' ? 'executable' : 'file';
    if (names.length === path.split('/').length)
      entries.push({ path: names.join('/'), object, size: Number(size), kind });
  }
  return entries;
}

/** Ignore files above the folder count, too. */
function within(entries: readonly TreeEntry[], inside: string | undefined, shown: string): readonly TreeEntry[] {
  if (inside === undefined) return entries;
  const isInside = ({ path }: TreeEntry): boolean => path.startsWith(`${inside}/`);
  if (!entries.some(isInside))
    throw new SkillwireError(
      'ORIGIN_NOT_FOUND',
      `${quoteText(shown)} has no folder ${quoteText(inside)}. Check the path after "#REF:".`,
      {
        data: { path: inside },
      },
    );
  return entries.filter((entry) => isInside(entry) || isIgnoreFile(entry.path));
}

function isIgnoreFile(path: string): boolean {
  return path.split('/').at(-1) === ignoreFileName;
}

/** Anything at the path of a `.skillignore`, including a folder. */
const ignorePath = new RegExp(`(?:^|/)\\${ignoreFileName}(?:/|$)`);

/** The files in folders with a `SKILL.md`, and the ignore files. */
function ofSkills(entries: readonly TreeEntry[]): readonly TreeEntry[] {
  const folders = new Set<string>();
  for (const { path } of entries)
    if ((path.split('/').at(-1) ?? '').toLowerCase() === skillFileName.toLowerCase())
      folders.add(path.slice(0, -skillFileName.length));
  return entries.filter(({ path }) => {
    if (ignorePath.test(path) || folders.has('')) return true;
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
      if (folders.has(path.slice(0, slash + 1))) return true;
    return false;
  });
}

function refuseTooMuch(entries: readonly TreeEntry[], shown: string): void {
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  if (entries.length <= limits.git.files && bytes <= limits.git.bytes) return;
  const message = `The skills of ${quoteText(shown)} are too large: ${entries.length} files with ${bytes} bytes. The limits are ${limits.git.files} files and ${limits.git.bytes} bytes.`;
  throw new SkillwireError('LIMIT_EXCEEDED', message, { data: { files: entries.length, bytes } });
}

/** Follows a link to a file inside the commit. */
function linked(
  link: TreeEntry,
  byPath: ReadonlyMap<string, TreeEntry>,
  objects: ReadonlyMap<string, Uint8Array>,
): TreeEntry | undefined {
  let entry: TreeEntry | undefined = link;
  for (let hops = 0; entry?.kind === 'link' && hops < limits.archive.linkHops; hops++) {
    const target = new TextDecoder().decode(objects.get(entry.object));
    const steps = entry.path.split('/').slice(0, -1);
    for (const step of target.split('/')) {
      if (step === '..') {
        if (steps.pop() === undefined) return undefined;
      } else if (step !== '.') steps.push(step);
    }
    entry = byPath.get(steps.join('/'));
  }
  return entry?.kind === 'link' ? undefined : entry;
}

async function readObjects(
  ids: readonly string[],
  { folder, ...run }: Where,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const objects = new Map<string, Uint8Array>();
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return objects;
  const output = await runGit({
    ...run,
    args: [`--git-dir=${folder}`, 'cat-file', '--batch'],
    input: `${wanted.join('\n')}\n`,
    maxBytes: limits.git.bytes + wanted.length * 256,
  });
  let at = 0;
  for (const id of wanted) {
    const end = output.indexOf(10, at);
    const head = new TextDecoder().decode(output.subarray(at, end));
    const size = Number(/^[0-9a-f]+ blob (\d+)$/.exec(head)?.[1]);
    if (!Number.isSafeInteger(size))
      throw new SkillwireError('ORIGIN_FAILED', `Cannot read ${quoteText(run.shown)}. Git reports: ${quoteText(head)}`);
    objects.set(id, output.subarray(end + 1, end + 1 + size));
    at = end + 2 + size;
  }
  return objects;
}
