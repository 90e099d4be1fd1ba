/**
 * Applies the mechanical fixes of `skillwire validate --fix`. Writes only `SKILL.md` files below the named folders, each atomically. Neither
 * the file nor a folder between it and the named one may be a link. A file that another program changes meanwhile is skipped.
 */
import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { skillFileName } from '../skill/entry.ts';
import { countFindings, type Finding } from '../skill/finding.ts';
import { fixSkillMd, improves } from '../skill/fix-skill-md.ts';
import type { DirectoryReport } from '../sources/directory/directory-report.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';
import { nodeFileSystem } from '../store/embedded/file-system.ts';
import { replaceFile } from '../store/embedded/replace-file.ts';

export interface FixedFile {
  /** As in the findings. */
  readonly file: string;
  /** The new name, if it changed. */
  readonly renamedTo?: string;
  readonly changes: readonly string[];
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

export interface LeftFile {
  readonly file: string;
  readonly reason: string;
}

export interface Fixes {
  readonly fixed: readonly FixedFile[];
  /** Files that could be fixed, but were not. */
  readonly left: readonly LeftFile[];
  /** After the fixes; in a dry run, before them. */
  readonly report: DirectoryReport;
}

export interface FixOptions {
  readonly roots: readonly DirectoryRoot[];
  readonly cwd: string;
  readonly dryRun: boolean;
  /** Validates the folders. */
  readonly validate: () => Promise<DirectoryReport>;
}

export async function fixSkills(options: FixOptions): Promise<Fixes> {
  const fixed = new Map<string, FixedFile>();
  const left = new Map<string, string>();
  let report = await options.validate();
  // Findings are limited, so fixing some may reveal more.
  for (let round = 0; round < limits.cli.fixRounds; round++) {
    const files = candidates(report.findings).filter((file) => !fixed.has(file) && !left.has(file));
    const done: FixedFile[] = [];
    for (const file of files) {
      const result = await fixFile(file, options);
      if (result === undefined) continue;
      if ('reason' in result) left.set(file, result.reason);
      else done.push(result);
    }
    for (const one of done) fixed.set(one.file, one);
    if (options.dryRun || done.length === 0) break;
    const before = report;
    report = await options.validate();
    const undone = await undoWorse(done, before, report, options);
    for (const file of undone) {
      fixed.delete(file);
      left.set(file, 'the fix would cause other problems');
    }
    if (undone.length > 0) report = await options.validate();
  }
  return { fixed: [...fixed.values()], left: [...left].map(([file, reason]) => ({ file, reason })), report };
}

/** Files with findings whose name is `SKILL.md` in any spelling. */
function candidates(findings: readonly Finding[]): readonly string[] {
  const files = findings.flatMap(({ file, level }) => (file === undefined || level === 'note' ? [] : [file]));
  return [...new Set(files)].filter((file) => basename(file).toLowerCase() === skillFileName.toLowerCase());
}

/** `undefined` if there is nothing to fix mechanically. */
async function fixFile(file: string, { roots, cwd, dryRun }: FixOptions): Promise<FixedFile | LeftFile | undefined> {
  try {
    const place = await placeOf(resolve(cwd, file), roots, cwd);
    if (typeof place === 'string') return { file, reason: place };
    const { path, folder } = place;
    const before = new Uint8Array(await readFile(path));
    const { bytes: after, changes } = fixSkillMd(before, basename(folder));
    const misspelled = basename(path) !== skillFileName;
    const hasBoth = misspelled && (await readdir(folder)).includes(skillFileName);
    const renames = misspelled && !hasBoth;
    if (changes.length === 0 && !renames) return undefined;
    const target = renames ? join(folder, skillFileName) : path;
    if (!dryRun) {
      if (changes.length > 0) await write(path, before, after);
      if (renames) await nodeFileSystem.rename(path, target);
    }
    return {
      file,
      ...(renames ? { renamedTo: join(dirname(file), skillFileName) } : {}),
      changes: renames ? [...changes, `renamed the file to ${skillFileName}`] : changes,
      before,
      after,
    };
  } catch (error) {
    if (error instanceof SkillwireError) return { file, reason: error.message };
    if (error instanceof Error && 'code' in error) return { file, reason: `cannot be written (${String(error.code)})` };
    throw error;
  }
}

/** The real path of a file, or the reason why it must not be written. */
async function placeOf(
  path: string,
  roots: readonly DirectoryRoot[],
  cwd: string,
): Promise<{ readonly path: string; readonly folder: string } | string> {
  for (const root of roots) {
    const named = resolve(cwd, root.path);
    const below = relative(named, path);
    if (below === '' || below === '..' || below.startsWith(`..${sep}`) || resolve(named, below) !== path) continue;
    const real = join(await realpath(named), below);
    const folder = dirname(real);
    if ((await realpath(folder)) !== folder || !(await lstat(real)).isFile()) return 'it is reached through a link';
    return { path: real, folder };
  }
  return 'it is outside the named folders';
}

async function write(path: string, before: Uint8Array, bytes: Uint8Array): Promise<void> {
  const facts = await lstat(path);
  await replaceFile(nodeFileSystem, path, [bytes], {
    mode: facts.mode & 0o777,
    async confirm() {
      const now = await lstat(path);
      const same = now.isFile() && now.ino === facts.ino && (await realpath(dirname(path))) === dirname(path);
      if (same && Buffer.compare(await readFile(path), before) === 0) return;
      throw new SkillwireError('WRITE_FAILED', 'Another program changed it meanwhile. Run this again.', {
        data: { file: path },
      });
    },
  });
}

/** Undoes fixes that did not help, for example because a name is taken. @returns the files */
async function undoWorse(
  done: readonly FixedFile[],
  before: DirectoryReport,
  after: DirectoryReport,
  options: FixOptions,
): Promise<readonly string[]> {
  const undone: string[] = [];
  const [was, is] = [byFile(before.findings), byFile(after.findings)];
  const own = new Set(done.flatMap(({ file, renamedTo = file }) => [file, renamedTo]));
  // A fixed skill may have taken something from another one, such as its URI.
  const harm = [...is].flatMap(([file, now]) =>
    own.has(file) || countFindings(now).problems <= countFindings(was.get(file) ?? []).problems ? [] : now,
  );
  for (const one of done) {
    const { file, renamedTo = file } = one;
    const harms = harm.some(({ message }) => message.includes(dirname(file)));
    if (!harms && improves(was.get(file) ?? [], is.get(renamedTo) ?? [])) continue;
    const place = await placeOf(resolve(options.cwd, renamedTo), options.roots, options.cwd);
    if (typeof place === 'string') continue;
    if (one.changes.length > 0 && one.before !== one.after) await write(place.path, one.after, one.before);
    if (renamedTo !== file) await nodeFileSystem.rename(place.path, join(place.folder, basename(file)));
    undone.push(file);
  }
  return undone;
}

function byFile(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const files = new Map<string, Finding[]>();
  for (const found of findings) {
    const known = files.get(found.file ?? '');
    if (known === undefined) files.set(found.file ?? '', [found]);
    else known.push(found);
  }
  return files;
}
