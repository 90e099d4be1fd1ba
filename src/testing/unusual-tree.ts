/**
 * A corpus of unusual but real skill folders, written to a disk. Each case names the expected result: the URI, the
 * published and unpublished files, and the findings. All text was written for this purpose; the defects are those of
 * public skills. Cases that a disk or system cannot represent are left out and listed in `skipped`.
 *
 * Links that leave the tree point to a file of this package. Nothing is written outside the root.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { SkillwireError } from '../errors.ts';
import { fileCases, linkTargets } from './unusual-files.ts';
import { frontmatterCases } from './unusual-frontmatter.ts';
import {
  type DiskAbility,
  isLink,
  type UnusualContent,
  type UnusualFolder,
  type UnusualSkill,
} from './unusual-skill.ts';

export type { UnusualSkill } from './unusual-skill.ts';

/** The folders that were written, with the expected result of each. */
export interface UnusualTree {
  readonly root: string;
  readonly skills: readonly UnusualSkill[];
  /** Cases that could not be written here. */
  readonly skipped: readonly { readonly folder: string; readonly why: string }[];
}

/** Writes the corpus into a new or empty folder. */
export async function writeUnusualTree(root: string): Promise<UnusualTree> {
  await mkdir(root, { recursive: true });
  if ((await readdir(root)).length > 0)
    throw new SkillwireError('USAGE', `cannot write odd skills into "${root}": it is not empty; name a new folder`);
  const missing = await missingAbilities(root);
  await writeFolder(root, linkTargets);
  const skills: UnusualSkill[] = [];
  const skipped: { folder: string; why: string }[] = [];
  for (const { skill, content, needs } of [...frontmatterCases, ...fileCases]) {
    const why = needs === undefined ? undefined : missing.get(needs);
    if (why !== undefined) {
      skipped.push({ folder: skill.folder, why });
      continue;
    }
    const folder = join(root, skill.folder);
    if (isLink(content)) await writeContent(folder, content);
    else await writeFolder(folder, content);
    skills.push(skill);
  }
  return { root, skills, skipped };
}

async function writeFolder(folder: string, content: UnusualFolder): Promise<void> {
  for (const [path, file] of Object.entries(content)) await writeContent(join(folder, path), file);
}

async function writeContent(path: string, content: UnusualContent): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (typeof content === 'string' || content instanceof Uint8Array) return writeFile(path, content, { flag: 'wx' });
  switch (content.kind) {
    case 'script':
      await writeFile(path, content.text, { flag: 'wx' });
      return chmod(path, 0o755);
    case 'link':
      return symlink(content.to, path);
    case 'pipe':
      return makePipe(path);
    case 'empty folder':
      return mkdir(path);
  }
}

async function makePipe(path: string): Promise<void> {
  await promisify(execFile)('mkfifo', [path]);
}

/** Tests which abilities this disk and system lack, and returns the reasons. */
async function missingAbilities(root: string): Promise<ReadonlyMap<DiskAbility, string>> {
  const missing = new Map<DiskAbility, string>();
  const folder = await mkdtemp(join(root, '.probe-'));
  async function attempt(ability: DiskAbility, contents: UnusualFolder): Promise<void> {
    try {
      await writeFolder(folder, contents);
    } catch (error) {
      missing.set(ability, `no ${ability} here: ${error instanceof Error ? error.message : error}`);
    }
  }
  await attempt('links', { link: { kind: 'link', to: 'nowhere' } });
  await attempt('pipes', { pipe: { kind: 'pipe' } });
  await attempt('names that differ in case', { case: '', CASE: '' });
  await attempt('names that differ in Unicode form', { 'caf\u00e9': '', 'cafe\u0301': '' });
  // Not tested: NTFS reads "a:b" as a stream of the file "a" and reports success.
  const ability = 'names that Windows refuses';
  if (process.platform === 'win32') missing.set(ability, `no ${ability} here: this is Windows`);
  await rm(folder, { recursive: true });
  return missing;
}
